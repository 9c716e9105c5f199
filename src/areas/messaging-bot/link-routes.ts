import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { deleted } from '../../http/schemas.ts';
import { commit, query } from '../../platform/command.ts';
import { afterAnswer } from '../accounts/index.ts';
import { endLinks } from './end-link.ts';
import { issueLink, requireBot } from './issue-link.ts';
import { botTexts } from './texts.ts';
import { botLinkResponse, issuedBotLinkResponse, presentIssuedLink, presentLink } from './wire.ts';
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
    summary: 'How the account is linked with the messaging bot',
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
    summary: 'Make a link with the messaging bot',
    description:
      'Open the link on the telephone within 10 minutes; it works once and connects the chat that opens it with the account. A newer link ends the older one. A chat belongs to one account: the one linked last. A connected account receives 409 `messaging_bot_connected`: disconnect it first.',
    response: { status: 201, location: '/messaging-bot', data: issuedBotLinkResponse },
    links: { getMessagingBot: {}, deleteMessagingBotLink: {} },
    errors: ['messaging_bot_disabled', 'messaging_bot_connected'],
    handler: async ({ platform, principal, caller }) => {
      const { username } = requireBot(platform);
      const shown = await commit(platform, caller, async (ctx) => presentIssuedLink(username, await issueLink(ctx, principal.user.id)));
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
    description: 'Ends a link that waits as well. The chat is told. While nothing is linked it changes nothing.',
    response: { data: deleted },
    errors: ['messaging_bot_disabled'],
    handler: async ({ platform, principal, caller }) => {
      const bot = requireBot(platform);
      const { id: userId, language } = principal.user;
      const [ended] = await commit(platform, caller, (ctx) => endLinks(ctx, { userId }, 'site'));
      const chatId = ended?.chatId ?? null;
      if (chatId !== null)
        afterAnswer(platform, caller.requestId, 'telling a chat that it was disconnected', async () => {
          await writeToChat(platform, bot, { chatId, text: botTexts[language].disconnected, requestId: caller.requestId });
        });
      return ok({ deleted: true as const });
    },
  }),
];
