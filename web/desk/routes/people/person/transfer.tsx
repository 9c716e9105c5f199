import { Alert, Button, Group, Loader, Select, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmingFields, confirmationOf, FormDialog } from '../../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { Facts } from '../../../shared/page.tsx';
import { read } from '../../../shared/queries.ts';
import { registry } from '../../../shared/registry.ts';
import { useAnnounce } from '../../../shared/shell.tsx';
import { wordOf } from '../../../shared/status.tsx';
import { peopleTexts } from '../texts.ts';
import type { Profile } from './profile-section.tsx';
import { ReasonField } from './reason-field.tsx';
import { personTexts } from './texts.ts';

interface Target {
  id: number;
  label: string;
}
interface TransferProps {
  profile: Profile;
  ownerId: number;
}

/** Transfers a profile: the new owner, then what would move, then the transfer. */
export function Transfer({ profile, ownerId }: TransferProps) {
  const texts = useTexts(personTexts);
  const [isOpen, setIsOpen] = useState(false);
  const [target, setTarget] = useState<Target | null>(null);
  return (
    <Stack gap="xs" align="stretch">
      <Group>
        <Button variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {texts.transfer.begin}
        </Button>
      </Group>
      {isOpen && <TargetField target={target} onChange={setTarget} />}
      {isOpen && target && <Preview profile={profile} ownerId={ownerId} target={target} />}
    </Stack>
  );
}

function TargetField({ target, onChange }: { target: Target | null; onChange(target: Target | null): void }) {
  const texts = useTexts(personTexts);
  const { search } = useTexts(peopleTexts);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 300);
  const found = useQuery({
    ...read('/admin/users', { params: { query: { q, limit: 10 } } }),
    placeholderData: keepPreviousData,
    // A choice writes its own words into the field.
    enabled: q !== '' && q !== target?.label,
  });
  const others = (found.data?.data ?? [])
    .filter(({ id }) => id !== target?.id)
    .map(({ id, name, email }) => ({ id, label: `${name}, ${email}` }));
  const offered = target === null ? others : [target, ...others];
  return (
    <Select
      label={texts.transfer.target}
      placeholder={search}
      data={offered.map(({ id, label }) => ({ value: String(id), label }))}
      value={target && String(target.id)}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The registry has searched already.
      filter={({ options }) => options}
      nothingFoundMessage={q !== '' && found.isFetched && texts.transfer.nobody}
      maxLength={200}
      onChange={(value) => onChange(offered.find(({ id }) => String(id) === value) ?? null)}
    />
  );
}

function Preview({ profile, ownerId, target }: TransferProps & { target: Target }) {
  const { words, number } = useLanguage();
  const texts = useTexts(personTexts);
  const queryClient = useQueryClient();
  const announce = useAnnounce();
  const [isAsked, setIsAsked] = useState(false);
  const init = { params: { path: { id: profile.id }, query: { target_user_id: target.id } } };
  const { data } = useQuery(read('/admin/profiles/{id}/owner/preview', init));
  if (data === undefined) return <Loader size="sm" />;
  const { counts, conflicts } = data.data;
  const sentences = { ...words.problems.codes, quota_exceeded: texts.transfer.quota };
  return (
    <>
      <Title order={3} size="h6">
        {texts.transfer.moves}
      </Title>
      <Facts align="right" facts={Object.entries(counts).map(([part, count]) => [wordOf(part, texts.counts), number(count)])} />
      <Text size="sm">{texts.transfer.stays}</Text>
      {conflicts.length > 0 ? (
        <Alert color="orange">
          <Text size="sm" fw={600}>
            {texts.transfer.conflicts}
          </Text>
          {conflicts.map(({ code }) => (
            <Text key={code} size="sm">
              {wordOf(code, sentences)}
            </Text>
          ))}
        </Alert>
      ) : (
        <Group>
          <Button onClick={() => setIsAsked(true)}>{texts.transfer.submit}</Button>
        </Group>
      )}
      {isAsked && (
        <FormDialog
          title={texts.transfer.submit}
          submit={texts.transfer.submit}
          send={({ reason = '', ...fields }) =>
            registry.PUT('/admin/profiles/{id}/owner', {
              params: { path: { id: profile.id } },
              body: { current_user_id: ownerId, target_user_id: target.id, reason, ...confirmationOf(fields) },
            })
          }
          onSent={() => {
            // It moves records of many kinds.
            void queryClient.invalidateQueries();
            announce(texts.done);
          }}
          onClose={() => setIsAsked(false)}
        >
          <Text size="sm">{texts.transfer.effect(profile.name, target.label)}</Text>
          <ReasonField />
          <ConfirmingFields />
        </FormDialog>
      )}
    </>
  );
}
