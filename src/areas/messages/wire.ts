import { z } from 'zod';
import { dateTimeResponse, id, idParam } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { ListedChat, ListedConversation, OwnChat } from './listing-queries.ts';
import type { MessageView } from './queries.ts';
import { federationName, nameOf, perspectives, type Reader, type SideNames, sides } from './sides.ts';

/** Code points (MSG-1): an emoji is one or more of these, never half of one. */
const longestMessage = 3000;

/** Kept as sent, also its blanks (MSG-1). */
const messageText = z
  .string()
  .check(({ value, issues }) => {
    const problem = (code: 'too_small' | 'too_big', message: string) =>
      issues.push({ code, origin: 'string', minimum: 1, maximum: longestMessage, input: value, message });
    if (value.trim() === '') problem('too_small', 'must not be blank');
    // A text has at most as many code points as UTF-16 units.
    else if (value.length > longestMessage && [...value].length > longestMessage)
      problem('too_big', `must have at most ${longestMessage} characters`);
  })
  .meta({
    wire: {
      type: 'string',
      minLength: 1,
      maxLength: longestMessage,
      pattern: '\\S',
      description: 'Plain text, not markup; stored exactly as sent; not blank',
      examples: ['When will the start list be published?'],
    },
  });

export const messageBody = z.strictObject({ message: messageText }).meta({ id: 'NewMessage' });

const messageId = z.int().min(1);

export const readBody = z
  .strictObject({
    up_to_id: messageId
      .optional()
      .describe('Id of the newest message that the user has seen; later messages stay unread. Default: all messages'),
  })
  .optional();

export const userParams = z.strictObject({ user_id: idParam });

/** An unknown perspective answers 404, as an unknown path does, not 422. */
const perspective = z.string().meta({ wire: { type: 'string', enum: [...perspectives] } });
export const dialogParams = z.strictObject({ perspective, id: idParam });

export const messageResponse = z
  .object({
    id: messageId,
    message: z.string().describe('Plain text, not markup: escape it before display'),
    author: z.object({
      side: z.enum(sides).describe('The party that wrote'),
      name: z
        .string()
        .describe(
          'Name of the athlete, the organization, the federation, or of the account in a chat. Administrators see the name of the administrator who wrote',
        ),
    }),
    mine: z.boolean().describe('Whether your side wrote it'),
    created_at: dateTimeResponse,
    read_at: dateTimeResponse.nullable().describe('When the other side marked it as read'),
  })
  .meta({ id: 'Message' });

const dialogKind = z
  .enum(['administration', 'registration'])
  .describe('`administration`: with the federation; `registration`: between athlete and organizer');
const ownSide = z.enum(perspectives).describe('Your side; null for the chat with the federation');
const messages = z.array(messageResponse).describe('Newest first; `page`, `limit` and `meta.total` refer to them');
const unread = z.int().min(0).describe('Number of messages of the other side that your side has not read');
const lastMessage = messageResponse.nullable().describe('The newest message; null without one');

export const dialogResponse = z
  .object({
    kind: dialogKind,
    perspective: ownSide.nullable(),
    registration_id: id.nullable(),
    title: z.string().describe('Event and class, preceded by the athlete for an organizer; the federation in your language'),
    href: z
      .string()
      .optional()
      .meta({ description: 'Path of the chat; only for the federation', examples: ['/chat'] }),
    unread,
    last_message: lastMessage,
  })
  .meta({ id: 'Dialog' });

export const conversationResponse = z.object({ registration_id: id, perspective: ownSide, messages }).meta({ id: 'Conversation' });

export const chatResponse = z.object({ unread, messages }).meta({ id: 'Chat' });
export const unreadResponse = z.object({ unread }).meta({ id: 'UnreadMessages' });

const account = { user_id: id, name: z.string().describe('Name of the account') };
export const listedChatResponse = z
  .object({ ...account, unread, last_message: messageResponse.describe('The newest message') })
  .meta({ id: 'ListedChat' });
export const accountChatResponse = z.object({ ...account, unread, messages }).meta({ id: 'AccountChat' });

/** `data` of `event: message` in the live stream. */
export const streamedMessage = z
  .object({
    dialog: z.object({
      kind: dialogKind,
      perspective: ownSide.nullable(),
      registration_id: id.nullable(),
      user_id: id.nullable().describe('Account of the chat, for administrators; otherwise null'),
    }),
    message: messageResponse,
  })
  .meta({ id: 'StreamedMessage' });

export function presentMessage(message: MessageView, names: SideNames, reader: Reader): z.input<typeof messageResponse> {
  const { id, side, text, createdAt, readAt } = message;
  return {
    id,
    message: text,
    author: { side, name: nameOf(message, names, reader) },
    mine: side === reader.side,
    created_at: formatDateTime(createdAt),
    read_at: formatDateTime(readAt),
  };
}

export function presentDialog(dialog: ListedConversation, language: Reader['language']): z.input<typeof dialogResponse> {
  const { perspective, registrationId, eventTitle, athleteName, unread, lastMessage } = dialog;
  const title = `${eventTitle}, ${dialog.class}`;
  return {
    kind: 'registration',
    perspective,
    registration_id: registrationId,
    title: perspective === 'organizer' ? `${athleteName}: ${title}` : title,
    unread,
    last_message: lastMessage === null ? null : presentMessage(lastMessage, dialog, { side: perspective, language }),
  };
}

/** Presents the row of the federation, which exists before any message. */
export function presentAdministration(
  chat: OwnChat | null,
  { name, language }: { name: string; language: Reader['language'] },
): z.input<typeof dialogResponse> {
  const last = chat?.lastMessage ?? null;
  return {
    kind: 'administration',
    perspective: null,
    registration_id: null,
    title: federationName[language],
    href: '/chat',
    unread: chat?.unread ?? 0,
    last_message: last === null ? null : presentMessage(last, { athleteName: name, organizerName: null }, { side: 'athlete', language }),
  };
}

export function presentListedChat(chat: ListedChat, language: Reader['language']): z.input<typeof listedChatResponse> {
  const { userId, userName, unread, lastMessage } = chat;
  const names = { athleteName: userName, organizerName: null };
  return { user_id: userId, name: userName, unread, last_message: presentMessage(lastMessage, names, { side: 'federation', language }) };
}
