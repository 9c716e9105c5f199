import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { FoldedSection } from '../../../shared/folded-section.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { Empty, Page } from '../../../shared/page.tsx';
import { read } from '../../../shared/queries.ts';
import { TextLink } from '../../../shared/text-link.tsx';
import { peopleTexts } from '../texts.ts';
import { AccountSection } from './account-section.tsx';
import { Requests, Sessions } from './activity.tsx';
import { Erasure } from './erasure.tsx';
import { ProfileSection } from './profile-section.tsx';
import { WalletSection } from './wallet-section.tsx';

/** `/people/{id}`: what the registry has of one person, and what an administrator can do about it. */
export function RoutePage() {
  const { id } = useParams({ from: '/people/$id' });
  return <Person key={id} id={Number(id)} />;
}

function Person({ id }: { id: number }) {
  const { words, texts } = useTexts(peopleTexts);
  const { data: person } = useSuspenseQuery(read('/admin/users/{id}', { params: { path: { id } } })).data;
  return (
    <Page
      title={person.name}
      actions={
        <Group gap="md">
          <TextLink to="/chats" search={{ person: String(id) }}>
            {words.kinds.chat}
          </TextLink>
          <TextLink to="/audit" search={{ actor_id: String(id) }}>
            {words.sections.audit}
          </TextLink>
        </Group>
      }
    >
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm">
        <AccountSection person={person} />
        <Stack gap="sm">
          {person.profiles.map((profile) => (
            <ProfileSection key={profile.id} profile={profile} ownerId={id} />
          ))}
          {person.profiles.length === 0 && <Empty>{texts.noProfiles}</Empty>}
        </Stack>
      </SimpleGrid>
      <WalletSection userId={id} balanceMinor={person.balance_minor} />
      <FoldedSection title={texts.sessions}>
        <Sessions userId={id} />
      </FoldedSection>
      <FoldedSection title={texts.requests}>
        <Requests userId={id} />
      </FoldedSection>
      <FoldedSection title={words.kinds.account_erasure}>
        <Erasure userId={id} isAdministrator={person.role === 'administrator'} />
      </FoldedSection>
    </Page>
  );
}
