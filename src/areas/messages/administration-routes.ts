import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { cappedPage, ok } from '../../http/response/reply.ts';
import { cappedListMeta, listMeta, pagingQuery } from '../../http/schemas.ts';
import { commit, query as runQuery } from '../../platform/command.ts';
import { authorizeReading } from '../audit/index.ts';
import { answerChat } from './answer-chat.ts';
import { listChats } from './listing-queries.ts';
import { markChatReadByFederation } from './mark-read.ts';
import { findChat, findUserName, readMessages } from './queries.ts';
import { showWritten } from './show-written.ts';
import {
  accountChatResponse,
  listedChatResponse,
  messageBody,
  messageResponse,
  presentListedChat,
  presentMessage,
  readBody,
  unreadResponse,
  userParams,
} from './wire.ts';
import { referTo } from './write-message.ts';

const tag = 'Notifications, messenger, chat';

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
