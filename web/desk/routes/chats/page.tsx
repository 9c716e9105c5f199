import { Badge, Box, Flex, NavLink, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { pageOf, useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Empty, Page } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { Pager } from '../../shared/table.tsx';
import { chatsKey, Dialog } from './dialog.tsx';
import { chatsTexts } from './texts.ts';

const reopenMs = 10_000;

/** Chats of people with the federation: the list, and the one that is open; on a phone one of them. */
export function RoutePage() {
  const { words, number, ago, texts } = useTexts(chatsTexts);
  const [{ person, page }, change] = useFilters<'person' | 'page'>();
  const { data: chats, meta } = useSuspenseQuery(read('/admin/chats', { params: { query: { page: pageOf(page) } } })).data;
  useLiveChats();
  const isOpen = person !== undefined;
  return (
    <Page title={words.sections.chats}>
      <Flex gap="md" align="flex-start">
        <Box flex={{ base: '1 1 auto', sm: '0 0 300px' }} miw={0} {...(isOpen && { visibleFrom: 'sm' })}>
          {chats.length === 0 && <Empty>{texts.empty}</Empty>}
          <nav aria-label={words.sections.chats}>
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
          </nav>
          <Pager meta={meta} onPage={(next) => change({ page: String(next) })} />
        </Box>
        <Box flex="1 1 auto" miw={0} {...(!isOpen && { visibleFrom: 'sm' })}>
          {isOpen ? <Dialog key={person} person={Number(person)} /> : <Empty>{texts.choose}</Empty>}
        </Box>
      </Flex>
    </Page>
  );
}

/** Reads the chats again at each message of the live stream, while the page is open. */
function useLiveChats(): void {
  const client = useQueryClient();
  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => void client.invalidateQueries({ queryKey: chatsKey });
    const open = () => {
      source = new EventSource('/api/v1/notifications/stream');
      // A stream that opens does not tell what came before.
      for (const event of ['open', 'message', 'reset']) source.addEventListener(event, update);
      source.addEventListener('error', () => {
        // The browser reconnects by itself, except after a refusal, as when the session has ended.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, reopenMs);
      });
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [client]);
}
