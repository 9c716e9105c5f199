import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { access, type SignedIn } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { cappedPage, created, ok } from '../../http/response/reply.ts';
import { cappedListMeta, listMeta, pagingQuery } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Caller, CommandContext } from '../../platform/commands/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { auditRead, authorizeReading } from '../audit/index.ts';
import { answerChat } from './answer-chat.ts';
import { countConversations, findOwnChat, listChats, listConversations } from './listing-queries.ts';
import { markChatRead, markChatReadByFederation, markRead } from './mark-read.ts';
import * as queries from './queries.ts';
import { sendChatMessage } from './send-chat-message.ts';
import { sendMessage } from './send-message.ts';
import type { Side } from './sides.ts';
import * as wire from './wire.ts';
import type { WrittenMessage } from './write-message.ts';

const tag = 'Notifications, messenger, chat';
const sentMessage = {
  status: 201,
  data: wire.messageResponse,
  otherStatuses: [{ status: 200, description: 'The message that an earlier request with this key sent' }],
} as const;
const partialRead = 'Marks all messages, or those up to `up_to_id`. A message that was read before keeps its first `read_at`.';

/** The messenger: an account's registrations define its counterparts; there is no search for recipients (MSG-2). */
export const messengerRoutes: Route[] = [
  defineRoute({
    name: 'listDialogs',
    method: 'GET',
    path: '/messenger',
    access: access.scope('notifications:read'),
    tag,
    summary: 'List the dialogs of the account',
    description:
      'The dialog with the federation is first and counts in `meta.total`. A dialog of a registration exists from its first submission, also without a message. An account that is both athlete and organizer has two rows. Dialogs with unread messages come first, then those with the newest message. `meta.total` counts at most 10,000 registrations.',
    request: { query: pagingQuery },
    response: { data: z.array(wire.dialogResponse), meta: cappedListMeta },
    handler: ({ platform, principal: { user }, query: paging }) =>
      query(platform, async (db) => {
        const { page, limit } = paging;
        // The row of the federation comes first on page 1.
        const rest = page === 1 ? { offset: 0, limit: limit - 1 } : { offset: (page - 1) * limit - 1, limit };
        const [chat, conversations, { total, isTotalCapped }] = await Promise.all([
          findOwnChat(db, user.id),
          listConversations(db, user.id, rest),
          countConversations(db, user.id),
        ]);
        const rows = conversations.map((conversation) => wire.presentDialog(conversation, user.language));
        const shown = page === 1 ? [wire.presentAdministration(chat, user), ...rows] : rows;
        return cappedPage(shown, { total: total + 1, isTotalCapped }, paging);
      }),
  }),
  defineRoute({
    name: 'getConversation',
    method: 'GET',
    path: '/messenger/:perspective/registrations/:id',
    access: access.scope('notifications:read'),
    tag,
    summary: 'List the messages about a registration, newest first',
    description:
      'For its athlete (`athlete`) and the organizer of its event (`organizer`), from the first submission on, in every later status. All other accounts get 404, also administrators. The request does not mark messages as read.',
    request: { params: wire.dialogParams, query: pagingQuery },
    response: { data: wire.conversationResponse, meta: listMeta },
    handler: ({ platform, principal: { user }, params, query: paging }) =>
      query(platform, async (db) => {
        const perspective = queries.requirePerspective(params.perspective);
        const conversation = queries.requireParty(await queries.findConversation(db, params.id), perspective, user.id);
        const reader = { side: perspective, language: user.language };
        const found = await queries.readMessages(db, conversation, paging);
        const messages = found.map((message) => wire.presentMessage(message, conversation, reader));
        return ok({ registration_id: params.id, perspective, messages }, { total: conversation.messageCount, ...paging });
      }),
  }),
  defineRoute({
    name: 'sendMessage',
    method: 'POST',
    path: '/messenger/:perspective/registrations/:id/messages',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Send a message about a registration to its athlete or organizer',
    description:
      'In every status but `draft`. The message appears in the counters and the live stream of the other side, without a notification.',
    request: { params: wire.dialogParams, body: wire.messageBody, example: { message: 'Здравствуйте! Когда техническая инспекция?' } },
    response: { ...sentMessage, location: '/messenger/:perspective/registrations/:id' },
    links: { getConversation: { perspective: ':perspective', id: ':id' } },
    handler: async ({ params, body, idempotencyKey, ...input }) => {
      const perspective = queries.requirePerspective(params.perspective);
      const path = `/messenger/${perspective}/registrations/${params.id}`;
      return send(input, perspective, path, (ctx) => sendMessage(ctx, params.id, perspective, { text: body.message, idempotencyKey }));
    },
  }),
  defineRoute({
    name: 'markConversationRead',
    method: 'POST',
    path: '/messenger/:perspective/registrations/:id/read',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Mark messages of the other side as read',
    description: partialRead,
    request: { params: wire.dialogParams, body: wire.readBody, example: { up_to_id: 42 } },
    response: { data: wire.unreadResponse },
    handler: async ({ platform, caller, params, body }) => {
      const perspective = queries.requirePerspective(params.perspective);
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
    summary: 'List the messages of your chat with the federation, newest first',
    description: 'The chat belongs to the account and is never transferred. The request does not mark messages as read.',
    request: { query: pagingQuery },
    response: { data: wire.chatResponse, meta: listMeta },
    handler: ({ platform, principal: { user }, query: paging }) =>
      query(platform, async (db) => {
        const chat = await queries.findChat(db, user.id);
        const names = chat ?? { athleteName: user.name, organizerName: null };
        const reader = { side: 'athlete', language: user.language } as const;
        const messages = (await queries.readMessages(db, chat, paging)).map((message) => wire.presentMessage(message, names, reader));
        return ok({ unread: chat?.athleteUnread ?? 0, messages }, { total: chat?.messageCount ?? 0, ...paging });
      }),
  }),
  defineRoute({
    name: 'getUnreadChat',
    method: 'GET',
    path: '/chat/unread',
    access: access.scope('notifications:read'),
    tag,
    summary: 'Count the unread messages of the federation',
    response: { data: wire.unreadResponse },
    handler: ({ platform, principal }) => query(platform, async (db) => ok({ unread: await queries.countUnread(db, principal.user.id) })),
  }),
  defineRoute({
    name: 'sendChatMessage',
    method: 'POST',
    path: '/chat/messages',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Send a message to the federation',
    description: 'Every administrator can read and answer it.',
    request: { body: wire.messageBody, example: { message: 'Сәлеметсіз бе! Анықтамам қашан тексеріледі?' } },
    response: { ...sentMessage, location: '/chat' },
    links: { getChat: {} },
    handler: ({ body, idempotencyKey, ...input }) =>
      send(input, 'athlete', '/chat', (ctx) => sendChatMessage(ctx, { text: body.message, idempotencyKey })),
  }),
  defineRoute({
    name: 'markChatRead',
    method: 'POST',
    path: '/chat/read',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Mark messages of the federation as read',
    description: partialRead,
    request: { body: wire.readBody, example: { up_to_id: 42 } },
    response: { data: wire.unreadResponse },
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
    summary: 'List the chats with the federation',
    description:
      'Chats with at least one message; those with unread messages first, then those with the newest message. `meta.total` counts up to 10,000; `meta.total_is_capped` is true if there are more. The read is audited.',
    request: { query: pagingQuery },
    response: { data: z.array(wire.listedChatResponse), meta: cappedListMeta },
    handler: ({ platform, principal: { user }, caller, query: paging }) =>
      query(platform, async (db, now) => {
        const { page, limit } = paging;
        await auditRead({ ...caller, db, now }, 'chat.read', { kind: 'chat', id: 'list' }, { page });
        const { chats, ...counted } = await listChats(db, { limit, offset: (page - 1) * limit });
        const shown = chats.map((chat) => wire.presentListedChat(chat, user.language));
        return cappedPage(shown, counted, paging);
      }),
  }),
  defineRoute({
    name: 'getAccountChat',
    method: 'GET',
    path: '/admin/chats/:user_id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the messages of the chat of an account, newest first',
    description: 'Empty before the first message. The read is audited. It does not mark messages as read.',
    request: { params: wire.userParams, query: pagingQuery },
    response: { data: wire.accountChatResponse, meta: listMeta },
    handler: ({ platform, principal, caller, params: { user_id: userId }, query: paging }) =>
      query(platform, async (db, now) => {
        const chat = await queries.findChat(db, userId);
        const name = chat?.athleteName ?? (await queries.findUserName(db, userId));
        if (name === null) throw new DomainError('not_found');
        await authorizeReading({ principal, caller, db, now }, { kind: 'chat', id: userId }, userId);
        const names = { athleteName: name, organizerName: null };
        const reader = { side: 'federation', language: principal.user.language } as const;
        const messages = (await queries.readMessages(db, chat, paging)).map((message) => wire.presentMessage(message, names, reader));
        const meta = { total: chat?.messageCount ?? 0, ...paging };
        return ok({ user_id: userId, name, unread: chat?.counterpartUnread ?? 0, messages }, meta);
      }),
  }),
  defineRoute({
    name: 'answerChat',
    method: 'POST',
    path: '/admin/chats/:user_id/messages',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Send a message of the federation to an account',
    description:
      'Also as the first message of the chat. A blocked account answers 409 `invalid_state`. The account sees the federation as the author; administrators see the name of the author. The account gets one notification `chat.reply` without the text. Its own messages stay unread.',
    request: { params: wire.userParams, body: wire.messageBody, example: { message: 'Сәлеметсіз бе! Бүгін тексереміз.' } },
    response: { ...sentMessage, location: '/admin/chats/:user_id' },
    links: { getAccountChat: { user_id: ':user_id' } },
    errors: ['invalid_state'],
    handler: ({ params: { user_id: userId }, body, idempotencyKey, ...input }) =>
      send(input, 'federation', `/admin/chats/${userId}`, (ctx) => answerChat(ctx, userId, { text: body.message, idempotencyKey })),
  }),
  defineRoute({
    name: 'markAccountChatRead',
    method: 'POST',
    path: '/admin/chats/:user_id/read',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Mark messages of an account as read, for all administrators',
    description: partialRead,
    request: { params: wire.userParams, body: wire.readBody, example: { up_to_id: 42 } },
    response: { data: wire.unreadResponse },
    handler: async ({ platform, caller, params: { user_id: userId }, body }) =>
      ok({ unread: await commit(platform, caller, (ctx) => markChatReadByFederation(ctx, userId, body?.up_to_id ?? null)) }),
  }),
];

/**
 * Sends a message and answers it as its author sees it; marks a repeat with the same key as such.
 * @param path of the conversation
 */
async function send(
  { platform, principal, caller }: { platform: Platform; principal: SignedIn; caller: Caller },
  side: Side,
  path: string,
  command: (ctx: CommandContext) => Promise<WrittenMessage>,
) {
  const { id, conversationId, isNew } = await commit(platform, caller, async (ctx) => {
    const { message, isNew: isFirst } = await command(ctx);
    return { id: message.id, conversationId: message.conversationId, isNew: isFirst };
  });
  return query(platform, async (db) => {
    const conversation = await queries.findConversationById(db, conversationId);
    const message = await queries.findMessage(db, id);
    if (conversation === null || message === null) throw new Error(`message ${id} was not found after it was sent`);
    const shown = wire.presentMessage(message, conversation, { side, language: principal.user.language });
    return isNew ? created(shown, path) : ok(shown, {}, { 'Idempotent-Replayed': 'true' });
  });
}
