import { Group, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { components } from '../../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { read } from '../../../shared/queries.ts';
import { Status, wordOf } from '../../../shared/status.tsx';
import { DataTable } from '../../../shared/table.tsx';
import { TextLink } from '../../../shared/text-link.tsx';
import { peopleTexts } from '../texts.ts';
import { FoldedSection } from './folded-section.tsx';
import { personTexts } from './texts.ts';
import { Transfer } from './transfer.tsx';

export type Profile = components['schemas']['UserRecord']['profiles'][number];

/** A profile of the person: its state; opened, its records and its transfer. */
export function ProfileSection({ profile, ownerId }: { profile: Profile; ownerId: number }) {
  const texts = useTexts(personTexts);
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
          <TextLink to="/records/$kind/$id" params={{ kind: 'profile', id: String(profile.id) }}>
            {texts.record}
          </TextLink>
        </Group>
        <ProfileRecords id={profile.id} />
        <Transfer profile={profile} ownerId={ownerId} />
      </Stack>
    </FoldedSection>
  );
}

function ProfileRecords({ id }: { id: number }) {
  const { words, language, day } = useLanguage();
  const texts = { ...useTexts(peopleTexts), ...useTexts(personTexts) };
  const { documents, applications } = useSuspenseQuery(read('/admin/records/profile/{id}', { params: { path: { id } } })).data.data;
  const { services } = useSuspenseQuery(read('/admin/catalog')).data.data;
  const serviceOf = (serviceId: number) => services.find((service) => service.id === serviceId)?.title[language] ?? String(serviceId);
  return (
    <>
      <Title order={3} size="h6">
        {texts.counts.documents}
      </Title>
      <DataTable
        label={texts.counts.documents}
        rows={documents}
        keyOf={({ id: documentId }) => documentId}
        empty={texts.noRecords}
        columns={[
          {
            title: words.kinds.document,
            isMain: true,
            cell: (document) => (
              <TextLink to="/records/$kind/$id" params={{ kind: 'document', id: String(document.id) }}>
                {wordOf(document.type, words.documentTypes)}
              </TextLink>
            ),
          },
          { title: texts.number, cell: ({ number }) => number },
          { title: texts.expires, cell: ({ expires_at: expires }) => expires && day(expires) },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
        ]}
      />
      <Title order={3} size="h6">
        {texts.counts.applications}
      </Title>
      <DataTable
        label={texts.counts.applications}
        rows={applications}
        keyOf={({ id: applicationId }) => applicationId}
        empty={texts.noRecords}
        columns={[
          {
            title: words.kinds.application,
            isMain: true,
            cell: (application) => (
              <TextLink to="/records/$kind/$id" params={{ kind: 'application', id: String(application.id) }}>
                {serviceOf(application.service_id)}
              </TextLink>
            ),
          },
          { title: texts.number, cell: ({ number }) => number },
          { title: texts.year, align: 'right', cell: ({ year }) => year },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
        ]}
      />
    </>
  );
}
