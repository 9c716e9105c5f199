import { Button, Center, Loader, Modal, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react';
import type { components } from '../../../client/src/index.ts';
import { useLanguage } from './language.tsx';
import { Problem } from './problem.tsx';
import { read } from './queries.ts';
import { fromBrowser, isSessionOver, registry, setCsrfToken } from './registry.ts';

type Session = components['schemas']['Session'];

const sessionQuery = { ...read('/session'), staleTime: Number.POSITIVE_INFINITY };

/** Shows its children to administrators. When the session ends, the sign-in lies above them: what they hold is not lost. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { words } = useLanguage();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionQuery);
  const [wasOpen, setWasOpen] = useState(false);
  const session = data?.data;
  if (session) setCsrfToken(session.csrf_token);
  const isOpen = session?.user?.role === 'administrator' && session.second_factor_required !== true;
  useEffect(() => {
    if (isOpen) setWasOpen(true);
  }, [isOpen]);
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ type, query }) => {
        if (type === 'updated' && isSessionOver(query.state.error) && isOpen) void refetch();
      }),
    [client, isOpen, refetch],
  );
  if (error !== null && session === undefined)
    return (
      <Center mih="100vh" p="md">
        <Problem error={error} onRetry={() => void refetch()} />
      </Center>
    );
  if (session === undefined)
    return (
      <Center mih="100vh">
        <Loader />
      </Center>
    );
  const form = (
    <SignIn session={session} onSession={(next) => client.setQueryData(sessionQuery.queryKey, (old) => old && { ...old, data: next })} />
  );
  if (!isOpen && !wasOpen)
    return (
      <Center mih="100vh" p="md" component="main">
        <Paper withBorder p="lg" w={360} maw="100%">
          <Title order={1} size="h3" mb="md">
            {words.signIn.title}
          </Title>
          {form}
        </Paper>
      </Center>
    );
  return (
    <>
      {children}
      {!isOpen && (
        <Modal opened onClose={() => undefined} withCloseButton={false} centered title={words.signIn.title}>
          <Text size="sm" mb="sm">
            {words.signIn.over}
          </Text>
          {form}
        </Modal>
      )}
    </>
  );
}

function SignIn({ session, onSession }: { session: Session; onSession(session: Session): void }) {
  const { words } = useLanguage();
  const client = useQueryClient();
  const opened = (next: Session) => {
    setCsrfToken(next.csrf_token);
    onSession(next);
    if (next.user !== null && next.second_factor_required !== true)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  };
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => registry.POST('/auth/login', { params: fromBrowser, body }),
    onSuccess: ({ data }) => opened(data),
  });
  const confirm = useMutation({
    mutationFn: (code: string) => registry.POST('/auth/second-factor', { params: fromBrowser, body: { code } }),
    onSuccess: ({ data }) => opened(data),
  });
  const leave = useMutation({
    mutationFn: () => registry.POST('/auth/logout', { params: fromBrowser }),
    onSuccess: ({ data }) => opened(data),
  });
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
