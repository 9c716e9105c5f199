import { timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import { required } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { apiPrefix } from '../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { deleted } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import { afterAnswer, bindToSession } from '../accounts/index.ts';
import { endLinks } from './end-link.ts';
import { issueLink, requireBot } from './issue-link.ts';
import { type ChatUpdate, receiveUpdate } from './receive-update.ts';
import { botTexts } from './texts.ts';
import {
  botLinkResponse,
  issuedBotLinkResponse,
  presentIssuedLink,
  presentLink,
  receivedUpdateResponse,
  secretHeaders,
  updateBody,
} from './wire.ts';
import { writeAnswer } from './write-answer.ts';
import { writeToChat } from './write-to-chat.ts';

const tag = 'Messaging bot';

/** Routes of an account's bot link (BOT-1). */
export const botLinkRoutes: Route[] = [
  defineRoute({
    name: 'getMessagingBot',
    method: 'GET',
    path: '/messaging-bot',
    access: access.account,
    tag,
    summary: 'Get the link of the account with the messaging bot',
    response: { data: botLinkResponse },
    errors: ['messaging_bot_disabled'],
    handler: async ({ platform, principal }) => {
      requireBot(platform);
      return ok(
        await query(platform, async (db, now) => {
          const link = await db
            .selectFrom('bot_links')
            .where('userId', '=', principal.user.id)
            .select(['connectedAt', 'expiresAt'])
            .executeTakeFirst();
          return presentLink(link ?? null, now);
        }),
      );
    },
  }),
  defineRoute({
    name: 'createMessagingBotLink',
    method: 'POST',
    path: '/messaging-bot',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Create a link for the messaging bot',
    description:
      'The link works once within 10 minutes and connects the chat that opens it with the account. A new link replaces an older one. A chat belongs to the account that was linked last. A connected account answers 409 `messaging_bot_connected`; disconnect it first.',
    response: { status: 201, location: '/messaging-bot', data: issuedBotLinkResponse },
    links: { getMessagingBot: {}, deleteMessagingBotLink: {} },
    errors: ['messaging_bot_disabled', 'messaging_bot_connected'],
    handler: async ({ platform, principal, caller }) => {
      const { username } = requireBot(platform);
      const { id: userId } = principal.user;
      const bound = bindToSession(caller, principal);
      const shown = await commit(platform, bound, async (ctx) => presentIssuedLink(username, await issueLink(ctx, userId)));
      return created(shown, '/messaging-bot');
    },
  }),
  defineRoute({
    name: 'deleteMessagingBotLink',
    method: 'DELETE',
    path: '/messaging-bot',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Disconnect the messaging bot',
    description: 'Also ends a pending link. The chat receives a message. Without a link it changes nothing.',
    response: { data: deleted },
    errors: ['messaging_bot_disabled'],
    handler: async ({ platform, principal, caller }) => {
      const bot = requireBot(platform);
      const { id: userId, language } = principal.user;
      const [ended] = await commit(platform, caller, (ctx) => endLinks(ctx, { userId }, 'site'));
      const chatId = ended?.chatId ?? null;
      if (chatId !== null)
        afterAnswer(platform, caller.requestId, 'messaging a disconnected chat', async () => {
          await writeToChat(platform, bot, { chatId, text: botTexts[language].disconnected, requestId: caller.requestId });
        });
      return ok({ deleted: true as const });
    },
  }),
];

const webhookPath = '/messaging-bot/webhook';
/** Full path in the service. */
export const webhookAddress = apiPrefix + webhookPath;

/** Receives updates of the bot platform (BOT-3). */
export const webhookRoute = defineRoute({
  name: 'receiveBotUpdate',
  method: 'POST',
  path: webhookPath,
  access: access.public,
  tag,
  summary: 'Receive an update of the bot platform',
  description:
    'Only for the bot platform. It sends the secret in `X-Messaging-Bot-Api-Secret-Token` or `X-Telegram-Bot-Api-Secret-Token`; without it the answer is 401 before the body is read. An update is processed once by its `update_id`; a repeat within 48 hours answers 200 and does nothing. The bot answers a person after this response, by a call to the platform. Group chats and unknown kinds of updates are ignored. Requests are limited by address; the platform repeats refused updates.',
  request: {
    headers: secretHeaders,
    body: updateBody,
    example: {
      update_id: 1001,
      message: { chat: { id: 7, type: 'private' }, from: { language_code: 'kk' }, text: '/start' },
    },
  },
  countedAs: 'webhook',
  response: { data: receivedUpdateResponse },
  errors: ['messaging_bot_disabled', 'unauthenticated'],
  admit: async ({ platform, header }) => {
    requireBot(platform);
    const secret = required(platform.config, 'BOT_WEBHOOK_SECRET');
    // Compares both headers in any case, so that the time reveals nothing (BOT-3).
    const isShown = Object.keys(secretHeaders.shape)
      .map((name) => isSame(header(name) ?? '', secret))
      .includes(true);
    if (!isShown) throw new DomainError('unauthenticated', undefined, 'The secret of the webhook is missing or wrong.');
  },
  handler: async ({ platform, caller, body }) => {
    const bot = requireBot(platform);
    const update = readUpdate(body);
    if (update === null) return ok({ received: true as const });
    const answer = await commit(platform, caller, (ctx) => receiveUpdate(ctx, update));
    // The effect is committed. The webhook does not wait for the platform: a person can repeat a command whose answer is lost.
    if (answer !== null)
      afterAnswer(platform, caller.requestId, 'answering in a bot chat', async () => {
        const text = await writeAnswer(platform, answer);
        await writeToChat(platform, bot, { chatId: answer.chatId, text, requestId: caller.requestId });
      });
    return ok({ received: true as const });
  },
});

/** @returns null for updates that the bot ignores: groups (BOT-2), pictures, unknown kinds */
function readUpdate({ update_id: id, message, my_chat_member: member }: z.output<typeof updateBody>): ChatUpdate | null {
  const from = message ?? member;
  if (from === undefined || from.chat.type !== 'private') return null;
  const chat = { id, chatId: from.chat.id, languageCode: from.from?.language_code ?? null };
  if (message !== undefined) return message.text === undefined ? null : { ...chat, what: { kind: 'message', text: message.text } };
  return member?.new_chat_member.status === 'kicked' ? { ...chat, what: { kind: 'blocked' } } : null;
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
