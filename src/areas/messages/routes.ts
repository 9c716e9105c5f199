import { z } from 'zod';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { cappedPage, created, ok, type Reply } from '../../http/response/reply.ts';
import { cappedListMeta, listMeta, pagingQuery } from '../../http/schemas.ts';
import { commit, query, query as runQuery } from '../../platform/command.ts';
import { countConversations, findOwnChat, listChats, listConversations } from './listing-queries.ts';
import { markChatRead, markChatReadByFederation, markRead } from './mark-read.ts';
import {
  countUnread,
  findChat,
  findConversation,
  findConversationById,
  findMessages,
  findUserName,
  readMessages,
  requireParty,
  requirePerspective,
} from './queries.ts';
import { sendMessage } from './send-message.ts';
import {
  accountChatResponse,
  chatResponse,
  conversationResponse,
  dialogParams,
  dialogResponse,
  listedChatResponse,
  messageBody,
  messageResponse,
  presentAdministration,
  presentDialog,
  presentListedChat,
  presentMessage,
  readBody,
  unreadResponse,
  userParams,
} from './wire.ts';
import { type MessageReference, referTo } from './write-message.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Reader } from './sides.ts';
import { sendChatMessage } from './send-chat-message.ts';
import { DomainError } from '../../errors.ts';
import { authorizeReading } from '../audit/index.ts';
import { answerChat } from './answer-chat.ts';

/**
 * Answers a sent message as its author sees it; marks a repeat with the same key as such.
 * @param path of the conversation
 */
export function showWritten(
  platform: Platform,
  { id, conversationId, isNew }: MessageReference,
  reader: Reader,
  path: string,
): Promise<Reply<z.input<typeof messageResponse>>> {
  return query(platform, async (db) => {
    const [conversation, found] = [await findConversationById(db, conversationId), await findMessages(db, [id])];
    const view = found.get(id);
    if (conversation === null || view === undefined) throw new Error(`message ${id} is not there`);
    const shown = presentMessage(view, conversation, reader);
    return isNew ? created(shown, path) : ok(shown, {}, { 'Idempotent-Replayed': 'true' });
  });
}

const tag = 'Notifications, messenger, chat';

/** The messenger: an account's registrations define its counterparts; there is no search for recipients (MSG-2). */
export const messengerRoutes: Route[] = [
  defineRoute({
    name: 'listDialogs',
    method: 'GET',
    path: '/messenger',
    access: access.scope('notifications:read'),
    tag,
    summary: 'Whom you may write to: the federation first, then registrations',
    description:
      "Your registrations and those for your events, from their first submission on, also without a message. An account on both sides has a row for each. Unread conversations come first, then the newest message; conversations without a message come last. The federation's row is the first of the first page and counts in `meta.total`. The total stops at 10,000 conversations.",
    request: { query: pagingQuery },
    response: { data: z.array(dialogResponse), meta: cappedListMeta },
    handler: ({ platform, principal: { user }, query }) =>
      runQuery(platform, async (db) => {
        const { page, limit } = query;
        // The row of the administration comes first on page 1.
        const paging = page === 1 ? { offset: 0, limit: limit - 1 } : { offset: (page - 1) * limit - 1, limit };
        const [chat, conversations, { total, isTotalCapped }] = await Promise.all([
          findOwnChat(db, user.id),
          listConversations(db, user.id, paging),
          countConversations(db, user.id),
        ]);
        const rows = conversations.map((conversation) => presentDialog(conversation, user.language));
        const shown = page === 1 ? [presentAdministration(chat, user), ...rows] : rows;
        return cappedPage(shown, { total: total + 1, isTotalCapped }, query);
      }),
  }),
  defineRoute({
    name: 'getConversation',
    method: 'GET',
    path: '/messenger/:perspective/registrations/:id',
    access: access.scope('notifications:read'),
    tag,
    summary: 'The conversation about a registration, newest message first',
    description:
      'For its athlete (`athlete`) and the organizer of its event (`organizer`), from the first submission on, whatever became of the registration. 404 for anybody else, administrators too. Reading marks nothing as read.',
    request: { params: dialogParams, query: pagingQuery },
    response: { data: conversationResponse, meta: listMeta },
    handler: ({ platform, principal: { user }, params, query }) =>
      runQuery(platform, async (db) => {
        const perspective = requirePerspective(params.perspective);
        const conversation = requireParty(await findConversation(db, params.id), perspective, user.id);
        const reader = { side: perspective, language: user.language };
        const messages = (await readMessages(db, conversation, query)).map((message) => presentMessage(message, conversation, reader));
        return ok({ registration_id: params.id, perspective, messages }, { total: conversation.messageCount, ...query });
      }),
  }),
  defineRoute({
    name: 'sendMessage',
    method: 'POST',
    path: '/messenger/:perspective/registrations/:id/messages',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Write to the organizer, or to the athlete, about a registration',
    description: 'In every status but `draft`. The other side sees it in its counters and its live stream; no notification is made.',
    request: { params: dialogParams, body: messageBody },
    response: {
      status: 201,
      location: '/messenger/:perspective/registrations/:id',
      data: messageResponse,
      otherStatuses: [{ status: 200, description: 'The message that this key has sent before' }],
    },
    links: { getConversation: { perspective: ':perspective', id: ':id' } },
    handler: async ({ platform, principal: { user }, caller, idempotencyKey, params, body }) => {
      const perspective = requirePerspective(params.perspective);
      const written = await commit(platform, caller, async (ctx) =>
        referTo(await sendMessage(ctx, params.id, perspective, { text: body.message, idempotencyKey })),
      );
      const path = `/messenger/${perspective}/registrations/${params.id}`;
      return showWritten(platform, written, { side: perspective, language: user.language }, path);
    },
  }),
  defineRoute({
    name: 'markConversationRead',
    method: 'POST',
    path: '/messenger/:perspective/registrations/:id/read',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Mark what the other side wrote as read',
    description: 'All of it, or up to the newest message that was seen. What is read stays read, with the time of the first mark.',
    request: { params: dialogParams, body: readBody },
    response: { data: unreadResponse },
    handler: async ({ platform, caller, params, body }) => {
      const perspective = requirePerspective(params.perspective);
      return ok({ unread: await commit(platform, caller, (ctx) => markRead(ctx, params.id, perspective, body?.up_to_id ?? null)) });
    },
  }),
];

/** An account's chat with the federation (MSG-2). */
export const chatRoutes: Route[] = [
  defineRoute({
    name: 'getChat',
    method: 'GET',
    path: '/chat',
    access: access.scope('notifications:read'),
    tag,
    summary: 'Your chat with the federation, newest message first',
    description: 'It belongs to the account and never goes to another one. Reading marks nothing as read.',
    request: { query: pagingQuery },
    response: { data: chatResponse, meta: listMeta },
    handler: ({ platform, principal: { user }, query }) =>
      runQuery(platform, async (db) => {
        const chat = await findChat(db, user.id);
        const names = chat ?? { athleteName: user.name, organizerName: null };
        const reader = { side: 'athlete', language: user.language } as const;
        const messages = (await readMessages(db, chat, query)).map((message) => presentMessage(message, names, reader));
        return ok({ unread: chat?.athleteUnread ?? 0, messages }, { total: chat?.messageCount ?? 0, ...query });
      }),
  }),
  defineRoute({
    name: 'getUnreadChat',
    method: 'GET',
    path: '/chat/unread',
    access: access.scope('notifications:read'),
    tag,
    summary: 'How many messages of the federation you have not marked read',
    response: { data: unreadResponse },
    handler: ({ platform, principal }) => runQuery(platform, async (db) => ok({ unread: await countUnread(db, principal.user.id) })),
  }),
  defineRoute({
    name: 'sendChatMessage',
    method: 'POST',
    path: '/chat/messages',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Write to the federation',
    description: 'Every administrator may read and answer it.',
    request: { body: messageBody },
    response: {
      status: 201,
      location: '/chat',
      data: messageResponse,
      otherStatuses: [{ status: 200, description: 'The message that this key has sent before' }],
    },
    links: { getChat: {} },
    handler: async ({ platform, principal: { user }, caller, idempotencyKey, body }) => {
      const written = await commit(platform, caller, async (ctx) =>
        referTo(await sendChatMessage(ctx, { text: body.message, idempotencyKey })),
      );
      return showWritten(platform, written, { side: 'athlete', language: user.language }, '/chat');
    },
  }),
  defineRoute({
    name: 'markChatRead',
    method: 'POST',
    path: '/chat/read',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Mark the answers of the federation as read',
    description: 'All of them, or up to the newest message that was seen. What is read stays read, with the time of the first mark.',
    request: { body: readBody },
    response: { data: unreadResponse },
    handler: async ({ platform, caller, body }) =>
      ok({ unread: await commit(platform, caller, (ctx) => markChatRead(ctx, body?.up_to_id ?? null)) }),
  }),
];

/** Chats of accounts with the federation, shared by all administrators (MSG-4). */
export const chatAdministrationRoutes: Route[] = [
  defineRoute({
    name: 'listChats',
    method: 'GET',
    path: '/admin/chats',
    access: access.administrator('admin:read'),
    tag,
    summary: 'The chats with the federation, unread ones first, then the newest',
    description:
      'Those in which something was written. Up to 10,000 are counted; of more, `meta.total` is 10,000 and `meta.total_is_capped` is true.',
    request: { query: pagingQuery },
    response: { data: z.array(listedChatResponse), meta: cappedListMeta },
    handler: ({ platform, principal: { user }, query }) =>
      runQuery(platform, async (db) => {
        const { page, limit } = query;
        const { chats, ...counted } = await listChats(db, { limit, offset: (page - 1) * limit });
        const shown = chats.map((chat) => presentListedChat(chat, user.language));
        return cappedPage(shown, counted, query);
      }),
  }),
  defineRoute({
    name: 'getAccountChat',
    method: 'GET',
    path: '/admin/chats/:user_id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'The chat of an account with the federation, newest message first',
    description: 'Empty before the first message; an unknown account is 404. The read is audited and marks nothing as read.',
    request: { params: userParams, query: pagingQuery },
    response: { data: accountChatResponse, meta: listMeta },
    handler: ({ platform, principal, caller, params: { user_id: userId }, query }) =>
      runQuery(platform, async (db, now) => {
        const chat = await findChat(db, userId);
        const name = chat?.athleteName ?? (await findUserName(db, userId));
        if (name === null) throw new DomainError('not_found');
        await authorizeReading({ principal, caller, db, now }, { kind: 'chat', id: userId }, userId);
        const names = { athleteName: name, organizerName: null };
        const reader = { side: 'federation', language: principal.user.language } as const;
        const messages = (await readMessages(db, chat, query)).map((message) => presentMessage(message, names, reader));
        const meta = { total: chat?.messageCount ?? 0, ...query };
        return ok({ user_id: userId, name, unread: chat?.counterpartUnread ?? 0, messages }, meta);
      }),
  }),
  defineRoute({
    name: 'answerChat',
    method: 'POST',
    path: '/admin/chats/:user_id/messages',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Write to an account for the federation',
    description:
      'Also first, to any account that is not blocked: 409 `invalid_state` for one that is. The person sees the federation as the author, other administrators see who wrote; one notification `chat.reply` without the text is made. What the person wrote stays unread.',
    request: { params: userParams, body: messageBody },
    response: {
      status: 201,
      location: '/admin/chats/:user_id',
      data: messageResponse,
      otherStatuses: [{ status: 200, description: 'The message that this key has sent before' }],
    },
    links: { getAccountChat: { user_id: ':user_id' } },
    errors: ['invalid_state'],
    handler: async ({ platform, principal: { user }, caller, idempotencyKey, params: { user_id: userId }, body }) => {
      const written = await commit(platform, caller, async (ctx) =>
        referTo(await answerChat(ctx, userId, { text: body.message, idempotencyKey })),
      );
      return showWritten(platform, written, { side: 'federation', language: user.language }, `/admin/chats/${userId}`);
    },
  }),
  defineRoute({
    name: 'markAccountChatRead',
    method: 'POST',
    path: '/admin/chats/:user_id/read',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Mark messages of an account to the federation as read, for all administrators',
    description: 'All of it, or up to the newest message that was seen. What is read stays read, with the time of the first mark.',
    request: { params: userParams, body: readBody },
    response: { data: unreadResponse },
    handler: async ({ platform, caller, params: { user_id: userId }, body }) =>
      ok({ unread: await commit(platform, caller, (ctx) => markChatReadByFederation(ctx, userId, body?.up_to_id ?? null)) }),
  }),
];
