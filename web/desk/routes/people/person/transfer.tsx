import { Alert, Button, Group, Loader, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { confirmationOf } from '../../../shared/dialog.tsx';
import { FilterText } from '../../../shared/filter-fields.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { Empty, Facts } from '../../../shared/page.tsx';
import { read } from '../../../shared/queries.ts';
import { registry } from '../../../shared/registry.ts';
import { wordOf } from '../../../shared/status.tsx';
import { peopleTexts } from '../texts.ts';
import { PersonAction } from './person-action.tsx';
import type { Profile } from './profile-section.tsx';

interface Target {
  id: number;
  name: string;
}
interface TransferProps {
  profile: Profile;
  ownerId: number;
}

/** Transfers a profile: the new owner, then what would move, then the transfer. */
export function Transfer({ profile, ownerId }: TransferProps) {
  const { texts } = useTexts(peopleTexts);
  const [q, setQ] = useState('');
  const [target, setTarget] = useState<Target | null>(null);
  const { data } = useQuery({ ...read('/admin/users', { params: { query: { q, limit: 10 } } }), enabled: q !== '' });
  return (
    <>
      <FilterText label={texts.transfer.target} placeholder={texts.search} value={q} onChange={setQ} />
      <Group gap="xs">
        {data?.data.map(({ id, name, email }) => (
          <Button
            key={id}
            variant={id === target?.id ? 'filled' : 'default'}
            aria-pressed={id === target?.id}
            maw="100%"
            onClick={() => setTarget({ id, name: `${name}, ${email}` })}
          >
            {`${name}, ${email}`}
          </Button>
        ))}
      </Group>
      {data?.data.length === 0 && <Empty>{texts.empty}</Empty>}
      {target && <Preview profile={profile} ownerId={ownerId} target={target} />}
    </>
  );
}

function Preview({ profile, ownerId, target }: TransferProps & { target: Target }) {
  const { words, number, texts } = useTexts(peopleTexts);
  const init = { params: { path: { id: profile.id }, query: { target_user_id: target.id } } };
  const { data } = useQuery(read('/admin/profiles/{id}/owner/preview', init));
  if (data === undefined) return <Loader size="sm" />;
  const { counts, conflicts } = data.data;
  return (
    <>
      <Title order={3} size="h6">
        {`${texts.transfer.moves}: ${target.name}`}
      </Title>
      <Facts align="right" facts={Object.entries(counts).map(([part, count]) => [wordOf(part, texts.counts), number(count)])} />
      <Text size="sm">{texts.transfer.stays}</Text>
      {conflicts.length > 0 ? (
        <Alert color="orange">
          <Text size="sm">{[texts.transfer.conflicts, ...conflicts.map(({ code }) => wordOf(code, words.problems.codes))].join(' ')}</Text>
        </Alert>
      ) : (
        <Group>
          <PersonAction
            title={`${profile.name} → ${target.name}`}
            submit={texts.transfer.submit}
            send={({ reason = '', ...fields }) =>
              registry.PUT('/admin/profiles/{id}/owner', {
                params: { path: { id: profile.id } },
                body: { current_user_id: ownerId, target_user_id: target.id, reason, ...confirmationOf(fields) },
              })
            }
          >
            <Text size="sm">{texts.transfer.notified}</Text>
          </PersonAction>
        </Group>
      )}
    </>
  );
}
