import { z } from 'zod';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { cappedPage, ok } from '../../http/response/reply.ts';
import { cappedListMeta, listMeta, pagingQuery } from '../../http/schemas.ts';
import { commit, query as runQuery } from '../../platform/command.ts';
import { countConversations, findOwnChat, listConversations } from './listing-queries.ts';
import { markRead } from './mark-read.ts';
import { requireParty, requirePerspective } from './policy.ts';
import { findConversation, readMessages } from './queries.ts';
import { sendMessage } from './send-message.ts';
import { showWritten } from './show-written.ts';
import {
  conversationResponse,
  dialogParams,
  dialogResponse,
  messageBody,
  messageResponse,
  presentAdministration,
  presentDialog,
  presentMessage,
  readBody,
  unreadResponse,
} from './wire.ts';
import { referTo } from './write-message.ts';

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
