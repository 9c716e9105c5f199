import { Group, Text } from '@mantine/core';
import type { components } from '../../../../../client/src/index.ts';
import { confirmationOf } from '../../../shared/dialog.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { Facts, Section } from '../../../shared/page.tsx';
import { fromBrowser, registry } from '../../../shared/registry.ts';
import { useAdministrator, useOpenedSession } from '../../../shared/session.tsx';
import { Status, wordOf } from '../../../shared/status.tsx';
import { languages } from '../../../shared/texts.ts';
import { peopleTexts } from '../texts.ts';
import { PersonAction } from './person-action.tsx';

type Person = components['schemas']['UserRecord'];

/** The actions: when the registry allows each (ACC-10, ACC-13, ACC-34), and what it changes of the account. */
const actions = [
  ['block', ({ status }: Person) => status === 'active', { status: 'blocked' }],
  ['unblock', ({ status }: Person) => status === 'blocked', { status: 'active' }],
  ['promote', ({ role }: Person) => role === 'user', { role: 'administrator' }],
  ['demote', ({ role }: Person) => role === 'administrator', { role: 'user' }],
  ['removeSecondFactor', (person: Person) => person.second_factor, null],
  ['impersonate', ({ role, status }: Person) => role === 'user' && status === 'active', null],
] as const;

/** The account with its state, and what can be done to it. */
export function AccountSection({ person }: { person: Person }) {
  const { words, moment, number, texts } = useTexts(peopleTexts);
  const { last_export: lastExport } = person;
  const isOwn = useAdministrator().id === person.id;
  const allowed = isOwn ? [] : actions.filter(([, isAllowed]) => isAllowed(person));
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
          [words.kinds.account_export, lastExport && `${wordOf(lastExport.status, words.statuses)}, ${moment(lastExport.requested_at)}`],
        ]}
      />
      <Group gap="xs" mt="sm">
        {isOwn && <Text size="sm">{words.problems.codes.own_account}</Text>}
        {allowed.map((action) => (
          <AccountAction key={action[0]} person={person} action={action} />
        ))}
      </Group>
    </Section>
  );
}

interface AccountActionProps {
  person: Person;
  action: (typeof actions)[number];
}

function AccountAction({ person: { id, name }, action: [action, , change] }: AccountActionProps) {
  const { texts } = useTexts(peopleTexts);
  const opened = useOpenedSession();
  const params = { path: { id }, ...fromBrowser };
  const send = async ({ reason = '', ...fields }: Record<string, string>) => {
    const confirmation = confirmationOf(fields);
    if (change !== null) await registry.PATCH('/admin/users/{id}', { params, body: { ...change, ...confirmation } });
    else if (action === 'removeSecondFactor')
      await registry.DELETE('/admin/users/{id}/second-factor', { params, body: { reason, ...confirmation } });
    else await opened((await registry.POST('/admin/impersonate', { params: fromBrowser, body: { user_id: id, ...confirmation } })).data);
  };
  return (
    <PersonAction
      title={name}
      submit={texts.actions[action]}
      color={action === 'block' || action === 'removeSecondFactor' ? 'red' : 'blue'}
      hasReason={action === 'removeSecondFactor'}
      send={send}
    >
      <Text size="sm">{texts.effects[action]}</Text>
    </PersonAction>
  );
}
