import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../../client/src/index.ts';
import { ConfirmingFields, confirmationOf, FormDialog } from '../../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { languages } from '../../../shared/texts.ts';
import { Facts, Section } from '../../../shared/page.tsx';
import { fromBrowser, registry } from '../../../shared/registry.ts';
import { useAdministrator, useOpenedSession } from '../../../shared/session.tsx';
import { useAnnounce } from '../../../shared/shell.tsx';
import { Status } from '../../../shared/status.tsx';
import { peopleTexts } from '../texts.ts';
import { ReasonField } from './reason-field.tsx';
import { personTexts } from './texts.ts';

type Person = components['schemas']['UserRecord'];

const changes = {
  block: { status: 'blocked' },
  unblock: { status: 'active' },
  promote: { role: 'administrator' },
  demote: { role: 'user' },
} as const;
type Action = keyof typeof changes | 'removeSecondFactor' | 'impersonate';

/** The account with its state, and what can be done to it. */
export function AccountSection({ person }: { person: Person }) {
  const { words, moment, number } = useLanguage();
  const texts = { ...useTexts(peopleTexts), ...useTexts(personTexts) };
  const isOwn = useAdministrator().id === person.id;
  const [asked, setAsked] = useState<Action | null>(null);
  const yesOrNo = (isTrue: boolean) => (isTrue ? words.yes : words.no);
  return (
    <Section title={words.kinds.user}>
      <Facts
        facts={[
          [texts.number, person.id],
          [words.signIn.email, person.email],
          [texts.emailConfirmed, yesOrNo(person.email_confirmed)],
          [texts.phone, person.phone],
          [texts.role, texts.roles[person.role]],
          [texts.status, <Status key="status" value={person.status} />],
          [texts.secondFactor, yesOrNo(person.second_factor)],
          [texts.language, languages[person.language]],
          [texts.sessions, number(person.sessions)],
          [texts.keys, number(person.api_keys)],
          [texts.seen, person.last_seen_at && moment(person.last_seen_at)],
          [texts.created, moment(person.created_at)],
        ]}
      />
      {isOwn ? (
        <Text size="sm" mt="sm">
          {texts.own}
        </Text>
      ) : (
        <Group gap="xs" mt="sm">
          {actionsOf(person).map((action) => (
            <Button key={action} variant="default" onClick={() => setAsked(action)}>
              {texts.actions[action]}
            </Button>
          ))}
        </Group>
      )}
      {!isOwn && person.role === 'user' && !person.email_confirmed && (
        <Text size="xs" mt="xs">
          {texts.emailFirst}
        </Text>
      )}
      {asked && <ActionDialog person={person} action={asked} onClose={() => setAsked(null)} />}
    </Section>
  );
}

/** The actions that the registry allows in the state of the account (ACC-10, ACC-13, ACC-34). */
function actionsOf({ role, status, email_confirmed: isConfirmed, second_factor: hasSecondFactor }: Person): Action[] {
  const isActive = status === 'active';
  const isUser = role === 'user';
  return [
    isActive ? 'block' : 'unblock',
    ...(isUser ? (isConfirmed ? ['promote' as const] : []) : ['demote' as const]),
    ...(hasSecondFactor ? ['removeSecondFactor' as const] : []),
    ...(isUser && isActive ? ['impersonate' as const] : []),
  ];
}

function ActionDialog({ person: { id, name }, action, onClose }: { person: Person; action: Action; onClose(): void }) {
  const texts = useTexts(personTexts);
  const queryClient = useQueryClient();
  const opened = useOpenedSession();
  const announce = useAnnounce();
  const params = { path: { id }, ...fromBrowser };
  const send = async ({ reason = '', ...fields }: Record<string, string>) => {
    const confirmation = confirmationOf(fields);
    if (action === 'impersonate') {
      opened((await registry.POST('/admin/impersonate', { params: fromBrowser, body: { user_id: id, ...confirmation } })).data);
      return;
    }
    if (action === 'removeSecondFactor')
      await registry.DELETE('/admin/users/{id}/second-factor', { params, body: { reason, ...confirmation } });
    else await registry.PATCH('/admin/users/{id}', { params, body: { ...changes[action], ...confirmation } });
    void queryClient.invalidateQueries({ queryKey: ['/admin/users'] });
    void queryClient.invalidateQueries({ queryKey: ['/admin/users/{id}'] });
    announce(texts.done);
  };
  return (
    <FormDialog
      title={name}
      submit={texts.actions[action]}
      {...((action === 'block' || action === 'removeSecondFactor') && { color: 'red' })}
      send={send}
      onClose={onClose}
    >
      <Text size="sm">{texts.effects[action]}</Text>
      {action === 'removeSecondFactor' && <ReasonField />}
      <ConfirmingFields />
    </FormDialog>
  );
}
