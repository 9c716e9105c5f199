import { Group, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { components } from '../../../../../client/src/index.ts';
import { FoldedSection } from '../../../shared/folded-section.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { read } from '../../../shared/queries.ts';
import { RecordLink } from '../../../shared/record-link.tsx';
import { Status, wordOf } from '../../../shared/status.tsx';
import { DataTable } from '../../../shared/table.tsx';
import { peopleTexts } from '../texts.ts';
import { Transfer } from './transfer.tsx';

export type Profile = components['schemas']['UserRecord']['profiles'][number];

/** A profile of the person: its state; opened, its records and its transfer. */
export function ProfileSection({ profile, ownerId }: { profile: Profile; ownerId: number }) {
  const { texts } = useTexts(peopleTexts);
  return (
    <FoldedSection
      title={texts.profileKinds[profile.kind](profile.name)}
      summary={
        <>
          <Status value={profile.status} />
          <Text size="xs">{texts.photo}</Text>
          <Status value={profile.photo_status} />
        </>
      }
    >
      <Stack gap="xs">
        <Group>
          <RecordLink kind="profile" id={profile.id} />
        </Group>
        <ProfileRecords id={profile.id} />
        <Transfer profile={profile} ownerId={ownerId} />
      </Stack>
    </FoldedSection>
  );
}

function ProfileRecords({ id: profileId }: { id: number }) {
  const { words, language, day, texts } = useTexts(peopleTexts);
  const init = { params: { path: { id: profileId } } };
  const { documents, applications } = useSuspenseQuery(read('/admin/records/profile/{id}', init)).data.data;
  const { services } = useSuspenseQuery(read('/admin/catalog')).data.data;
  const serviceOf = (serviceId: number) => services.find(({ id }) => id === serviceId)?.title[language] ?? String(serviceId);
  const rows = [
    ...documents.map((document) => ({
      ...document,
      kind: 'document',
      name: wordOf(document.type, words.documentTypes),
      expires: document.expires_at && day(document.expires_at),
    })),
    ...applications.map((application) => ({
      ...application,
      kind: 'application',
      name: `${serviceOf(application.service_id)}, ${application.year}`,
      expires: null,
    })),
  ];
  return (
    <DataTable
      label={texts.records}
      rows={rows}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      empty={texts.nothing}
      columns={[
        { title: texts.records, isMain: true, cell: ({ kind, id, name }) => <RecordLink kind={kind} id={id} name={name} /> },
        { title: texts.number, cell: ({ number }) => number },
        { title: texts.expires, cell: ({ expires }) => expires },
        { title: texts.status, cell: ({ status }) => <Status value={status} /> },
      ]}
    />
  );
}
