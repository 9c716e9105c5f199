import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { listMeta, pagingQuery } from '../../http/schemas.ts';
import { commit, query as runQuery } from '../../platform/command.ts';
import { markChatRead } from './mark-read.ts';
import { countUnread, findChat, readMessages } from './queries.ts';
import { sendChatMessage } from './send-chat-message.ts';
import { showWritten } from './show-written.ts';
import { chatResponse, messageBody, messageResponse, presentMessage, readBody, unreadResponse } from './wire.ts';
import { referTo } from './write-message.ts';

const tag = 'Notifications, messenger, chat';

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
