import { Badge, Box, Flex, NavLink, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFilters } from '../../shared/filters.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty, Page } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { Pager } from '../../shared/table.tsx';
import { Dialog } from './dialog.tsx';
import { useLiveChats } from './live.ts';
import { chatsTexts } from './texts.ts';

/** Chats of people with the federation: the list, and the one that is open; on a phone one of them. */
export function ChatsPage() {
  const { words } = useLanguage();
  const texts = useTexts(chatsTexts);
  const [{ person }] = useFilters<'person' | 'page'>();
  useLiveChats();
  const isOpen = person !== undefined;
  return (
    <Page title={words.sections.chats}>
      <Flex gap="md" align="flex-start">
        <Box flex={{ base: '1 1 auto', sm: '0 0 300px' }} miw={0} {...(isOpen && { visibleFrom: 'sm' })}>
          <ChatList person={person} />
        </Box>
        <Box flex="1 1 auto" miw={0} {...(!isOpen && { visibleFrom: 'sm' })}>
          {isOpen ? <Dialog key={person} person={Number(person)} /> : <Empty>{texts.choose}</Empty>}
        </Box>
      </Flex>
    </Page>
  );
}

function ChatList({ person }: { person: string | undefined }) {
  const { number, ago } = useLanguage();
  const texts = useTexts(chatsTexts);
  const [{ page = '1' }, change] = useFilters<'person' | 'page'>();
  const { data: chats, meta } = useSuspenseQuery(read('/admin/chats', { params: { query: { page: Number(page) } } })).data;
  if (chats.length === 0) return <Empty>{texts.empty}</Empty>;
  return (
    <nav aria-label={texts.list}>
      {chats.map(({ user_id: id, name, unread, last_message: last }) => (
        <NavLink
          key={id}
          renderRoot={(props) => <Link to="/chats" search={(search) => ({ ...search, person: String(id) })} {...props} />}
          active={String(id) === person}
          label={
            <>
              {name}
              <Text size="xs" truncate>
                {ago(last.created_at)} · {last.message}
              </Text>
            </>
          }
          rightSection={unread > 0 && <Badge aria-label={texts.unread(number(unread))}>{number(unread)}</Badge>}
        />
      ))}
      <Pager meta={meta} onPage={(next) => change({ page: String(next) })} />
    </nav>
  );
}
