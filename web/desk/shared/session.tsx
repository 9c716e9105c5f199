import { Button, Center, Loader, Modal, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, type SubmitEvent, useContext, useEffect, useState } from 'react';
import type { components } from '../../../client/src/index.ts';
import { useLanguage } from './language.tsx';
import { Problem } from './problem.tsx';
import { read } from './queries.ts';
import { fromBrowser, isSessionOver, registry, setCsrfToken } from './registry.ts';

type Session = components['schemas']['Session'];
type Administrator = NonNullable<Session['user']>;

const sessionQuery = queryOptions({
  ...read('/session'),
  queryFn: async ({ signal }) => {
    const answer = await registry.GET('/session', { signal });
    setCsrfToken(answer.data.csrf_token);
    return answer;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const AdministratorContext = createContext<Administrator | null>(null);

/** The administrator who is signed in. */
export function useAdministrator(): Administrator {
  const administrator = useContext(AdministratorContext);
  if (administrator === null) throw new Error('the page is outside of the session');
  return administrator;
}

/** Takes what a change of the session answers, and not a read that began before; reads begin anew when another account reads. */
export function useOpenedSession(): (session: Session) => Promise<void> {
  const client = useQueryClient();
  return async (session) => {
    await client.cancelQueries({ queryKey: sessionQuery.queryKey });
    setCsrfToken(session.csrf_token);
    client.setQueryData(sessionQuery.queryKey, (old) => old && { ...old, data: session });
    if (session.user !== null && session.second_factor_required !== true)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  };
}

/** A change of the session, such as a sign-in. */
export function useSessionChange<Input = void>(send: (input: Input) => Promise<{ data: Session }>) {
  const opened = useOpenedSession();
  return useMutation({ mutationFn: send, onSuccess: ({ data }) => opened(data) });
}

/** Shows its children to administrators. When the session ends, the sign-in lies above them: what they hold is not lost. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { words } = useLanguage();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionQuery);
  const [administrator, setAdministrator] = useState<Administrator | null>(null);
  const session = data?.data;
  const user = session?.user ?? null;
  const isOpen = user?.role === 'administrator' && session?.second_factor_required !== true;
  if (isOpen && user !== administrator) setAdministrator(user);
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ type, query }) => {
        // One read for all that are refused: each would begin a session of its own, and the last cookie would not be that of the token.
        if (type === 'updated' && isSessionOver(query.state.error) && isOpen) void refetch({ cancelRefetch: false });
      }),
    [client, isOpen, refetch],
  );
  if (session === undefined)
    return (
      <Center mih="100vh" p="md">
        {error === null ? <Loader /> : <Problem error={error} onRetry={() => void refetch()} />}
      </Center>
    );
  if (session.impersonation !== null) return <Impersonated session={session} />;
  if (administrator === null)
    return (
      <Outside title={words.signIn.title}>
        <SignIn session={session} />
      </Outside>
    );
  return (
    // Another person's page begins anew.
    <AdministratorContext key={administrator.id} value={administrator}>
      {children}
      {!isOpen && (
        <Modal opened onClose={() => undefined} withCloseButton={false} centered title={words.signIn.title}>
          <Text size="sm" mb="sm">
            {words.signIn.over}
          </Text>
          <SignIn session={session} />
        </Modal>
      )}
    </AdministratorContext>
  );
}

function Outside({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="lg" w={360} maw="100%">
        <Title order={1} size="h3" mb="md">
          {title}
        </Title>
        {children}
      </Paper>
    </Center>
  );
}

/** While an administrator acts for a person, the desk is closed: the API refuses it everything of the administration. */
function Impersonated({ session: { user, impersonation } }: { session: Session }) {
  const { words, moment } = useLanguage();
  const stop = useSessionChange(() => registry.POST('/auth/impersonation/stop', { params: fromBrowser }));
  return (
    <Outside title={words.impersonation.title}>
      <Stack>
        <Text size="sm">{words.impersonation.text(user?.name ?? '', moment(impersonation?.expires_at ?? ''))}</Text>
        {stop.error !== null && <Problem error={stop.error} />}
        <Button loading={stop.isPending} onClick={() => stop.mutate()}>
          {words.impersonation.stop}
        </Button>
      </Stack>
    </Outside>
  );
}

function SignIn({ session }: { session: Session }) {
  const { words } = useLanguage();
  const signIn = useSessionChange((body: { email: string; password: string }) =>
    registry.POST('/auth/login', { params: fromBrowser, body }),
  );
  const confirm = useSessionChange((code: string) => registry.POST('/auth/second-factor', { params: fromBrowser, body: { code } }));
  const leave = useSessionChange(() => registry.POST('/auth/logout', { params: fromBrowser }));
  const fieldsOf = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
  };
  if (session.second_factor_required === true)
    return (
      <form onSubmit={(event) => confirm.mutate(fieldsOf(event)['code'] ?? '')}>
        <Stack>
          <TextInput name="code" label={words.signIn.code} inputMode="numeric" autoComplete="one-time-code" required data-autofocus />
          {confirm.error !== null && <Problem error={confirm.error} />}
          <Button type="submit" loading={confirm.isPending}>
            {words.signIn.confirm}
          </Button>
        </Stack>
      </form>
    );
  if (session.user !== null)
    return (
      <Stack>
        <Text size="sm">{words.signIn.notAdministrator}</Text>
        <Button loading={leave.isPending} onClick={() => leave.mutate()}>
          {words.signIn.leave}
        </Button>
      </Stack>
    );
  return (
    <form
      onSubmit={(event) => {
        const { email = '', password = '' } = fieldsOf(event);
        signIn.mutate({ email, password });
      }}
    >
      <Stack>
        <TextInput name="email" type="email" label={words.signIn.email} autoComplete="username" required data-autofocus />
        <PasswordInput name="password" label={words.signIn.password} autoComplete="current-password" required />
        {signIn.error !== null && <Problem error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending}>
          {words.signIn.submit}
        </Button>
      </Stack>
    </form>
  );
}
