import { Alert, Group, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ActionButton } from '../../../shared/action.tsx';
import { confirmationOf } from '../../../shared/dialog.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { Facts } from '../../../shared/page.tsx';
import { read, reread } from '../../../shared/queries.ts';
import { RecordLink } from '../../../shared/record-link.tsx';
import { fromBrowser, registry } from '../../../shared/registry.ts';
import { wordOf } from '../../../shared/status.tsx';
import { erasureTexts } from './erasure-texts.ts';
import { PersonAction } from './person-action.tsx';

/** The erasure of an account: how far it is, what it does and what prevents it (PRV-3, PRV-4). Administrators request their own. */
export function Erasure({ userId, isAdministrator }: { userId: number; isAdministrator: boolean }) {
  const { words, moment, day, number, texts } = useTexts(erasureTexts);
  const params = { path: { id: userId }, ...fromBrowser };
  const { data: erasure } = useSuspenseQuery(read('/admin/users/{id}/erasure', { params: { path: { id: userId } } })).data;
  const { erased, kept, blocked_by: blockers } = erasure.preview;
  const names: Readonly<Record<string, string>> = { ...words.kinds, ...texts.kinds };
  /** Records by their kinds; those that only the service knows together, at the end. */
  const countsOf = (records: readonly { kind: string; n: number }[]) => {
    const others = records.filter(({ kind }) => names[kind] === undefined).reduce((sum, { n }) => sum + n, 0);
    const known = records.flatMap(({ kind, n }) => (names[kind] === undefined ? [] : [`${names[kind]}: ${number(n)}`]));
    return [...known, ...(others > 0 ? [`${texts.others}: ${number(others)}`] : [])].join(' · ');
  };
  const reasons = Object.entries(Object.groupBy(kept, ({ why }) => why));
  return (
    <Stack gap="xs">
      {blockers.length > 0 && (
        <Alert color="orange" title={texts.blocked}>
          {blockers.map(({ code, kind, ids }) => (
            <Group key={code} gap="xs">
              <Text size="sm">{texts.blockers[code]}</Text>
              {ids.map((id) => (
                <RecordLink key={id} kind={kind} id={id} />
              ))}
            </Group>
          ))}
        </Alert>
      )}
      <Facts
        facts={[
          [texts.requested, erasure.requested_at && moment(erasure.requested_at)],
          [texts.due, erasure.due_at && moment(erasure.due_at)],
          [texts.erased, erasure.erased_at && moment(erasure.erased_at)],
          [texts.goes, countsOf(Object.entries(erased).map(([kind, n]) => ({ kind, n })))],
          ...reasons.map(([why, records]) => {
            const until = records[0]?.until;
            return [wordOf(why, texts.stays), `${countsOf(records)}${until ? `, ${texts.until(day(until.slice(0, 10)))}` : ''}`] as const;
          }),
        ]}
      />
      <Group>
        {erasure.status === 'none' && blockers.length === 0 && !isAdministrator && (
          <PersonAction
            title={texts.start}
            submit={texts.start}
            color="red"
            send={({ reason = '', ...fields }) =>
              registry.POST('/admin/users/{id}/erasure', { params, body: { reason, ...confirmationOf(fields) } })
            }
          >
            <Text size="sm">{texts.about}</Text>
          </PersonAction>
        )}
        {erasure.due_at && (
          <ActionButton run={() => registry.DELETE('/admin/users/{id}/erasure', { params }).then(reread)}>{texts.withdraw}</ActionButton>
        )}
      </Group>
    </Stack>
  );
}
