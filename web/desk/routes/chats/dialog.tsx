import { Box, Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useDraft } from '../../shared/draft.ts';
import { useTexts } from '../../shared/language.tsx';
import { Empty, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { TextLink } from '../../shared/text-link.tsx';
import { chatsTexts } from './texts.ts';

/** The key of the list, with which that of each chat begins. */
export const chatsKey = ['/admin/chats'] as const;
const messagesOfPage = 50;
/** Begins at the newest message, and stays where it is when earlier ones are added above. */
const scrolledFromBelow = { display: 'flex', flexDirection: 'column-reverse', overflowY: 'auto' } as const;

/** The chat of a person: its messages, the newest below, and the answer. */
export function Dialog({ person }: { person: number }) {
  const { words, moment, texts } = useTexts(chatsTexts);
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery({
    queryKey: [...chatsKey, person],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { user_id: person }, query: { page: pageParam, limit: messagesOfPage } };
      return registry.GET('/admin/chats/{user_id}', { params, signal });
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page * meta.limit < meta.total ? meta.page + 1 : undefined),
  });
  const { name = '', unread = 0 } = data.pages[0]?.data ?? {};
  // A message moves to the next page when another one arrives between two reads.
  const byId = new Map(data.pages.flatMap((page) => page.data.messages).map((message) => [message.id, message]));
  const messages = [...byId.values()].sort((one, other) => one.id - other.id);
  const newest = messages.at(-1)?.id;
  useMarkRead(person, unread > 0 ? newest : undefined);
  return (
    <Section
      title={name}
      actions={
        <Group gap="sm">
          <TextLink hiddenFrom="sm" to="/chats" search={{}}>
            {texts.back}
          </TextLink>
          <RecordLink kind="user" id={person} name={words.kinds.user} />
        </Group>
      }
    >
      <Box role="log" aria-label={texts.messages} tabIndex={0} mah="55vh" style={scrolledFromBelow}>
        <Stack gap="xs" p={4}>
          {hasNextPage && (
            <Button variant="subtle" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {texts.earlier}
            </Button>
          )}
          {messages.length === 0 && <Empty>{texts.none}</Empty>}
          {messages.map(({ id, message, author, mine, created_at: at, read_at: readAt }) => (
            <Paper key={id} withBorder px="sm" py={4} maw="85%" ml={mine ? 'auto' : 0} mr={mine ? 0 : 'auto'}>
              <Text size="xs">
                {[author.name, moment(at), mine && readAt !== null ? texts.seen : ''].filter((part) => part !== '').join(' · ')}
              </Text>
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {message}
              </Text>
            </Paper>
          ))}
        </Stack>
      </Box>
      <Answer person={person} />
    </Section>
  );
}

/** Writes to the person; what is typed stays until it is sent. */
function Answer({ person }: { person: number }) {
  const { texts } = useTexts(chatsTexts);
  const client = useQueryClient();
  const [text, write] = useDraft(`chat:${person}`);
  const answer = useMutation({
    mutationFn: (message: string) =>
      registry.POST('/admin/chats/{user_id}/messages', { params: { path: { user_id: person } }, body: { message } }),
    onSuccess: () => {
      write('');
      return client.invalidateQueries({ queryKey: chatsKey });
    },
  });
  const send = () => {
    if (text.trim() !== '' && !answer.isPending) answer.mutate(text);
  };
  return (
    <Stack gap="xs" mt="sm">
      <Textarea
        label={texts.answer}
        description={texts.hint}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={3000}
        readOnly={answer.isPending}
        value={text}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        onKeyDown={(event) => {
          // An input method ends a word with Enter, too.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {answer.error !== null && <Problem error={answer.error} />}
      <Button ml="auto" loading={answer.isPending} disabled={text.trim() === ''} onClick={send}>
        {texts.send}
      </Button>
    </Stack>
  );
}

/** Marks what is on the screen as read, for all administrators. @param newest undefined when all is read */
function useMarkRead(person: number, newest: number | undefined): void {
  const client = useQueryClient();
  const isSeen = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (newest === undefined || !isSeen) return;
    const mark = registry.POST('/admin/chats/{user_id}/read', { params: { path: { user_id: person } }, body: { up_to_id: newest } });
    // Without success it stays unread, and the next message asks again.
    mark.then(() => client.invalidateQueries({ queryKey: chatsKey })).catch(() => undefined);
  }, [client, person, newest, isSeen]);
}
