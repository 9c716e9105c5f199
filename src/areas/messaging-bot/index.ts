import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { passwordChanged } from '../accounts/index.ts';
import { changedRecords } from '../changes/index.ts';
import { botChannel, notificationKinds } from '../notifications/index.ts';
import { botLinkChanges } from './changes.ts';
import { endLinkOfPassword } from './end-link.ts';
import { botNotifications } from './notifications.ts';
import { botLinkTimer } from './process.ts';
import { botLinkRoutes, webhookRoute } from './routes.ts';
import { chatsOfAccounts } from './write-to-chat.ts';

/** The messaging bot: links with accounts, webhook, commands. */
export const messagingBotArea: Area = {
  processes: [botLinkTimer],
  extensions: [
    extend(changedRecords, botLinkChanges),
    extend(notificationKinds, botNotifications),
    extend(botChannel, chatsOfAccounts),
    extend(passwordChanged, endLinkOfPassword),
  ],
  routes: () => [...botLinkRoutes, webhookRoute],
};

export { clearBotData } from './expire-links.ts';
export { introduceBot } from './introduce-bot.ts';
