import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { accessEnded } from '../accounts/index.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { botChannel, notificationKinds } from '../notifications/index.ts';
import { endLinkOfAccess } from './end-link.ts';
import { botNotifications } from './notifications.ts';
import { messagingBotImpersonalRecords, messagingBotRecords } from './personal-data.ts';
import { botLinkTimer } from './process.ts';
import { botLinkRoutes, webhookRoute } from './routes.ts';
import { chatsOfAccounts } from './write-to-chat.ts';

/** The link of an account with its chat, in the log of changes. */
const botLinkChanges: readonly ChangedRecord[] = [
  {
    record: 'messaging_bot',
    select: (db) =>
      db.selectFrom('users as u').select(['u.id', nullColumn.status, 'u.id as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: (_change, reader) => (reader === 'owner' ? '/messaging-bot' : '/admin/users'),
  },
];

/** The messaging bot: links with accounts, webhook, commands. */
export const messagingBotArea: Area = {
  processes: [botLinkTimer],
  extensions: [
    extend(changedRecords, botLinkChanges),
    extend(notificationKinds, botNotifications),
    extend(botChannel, chatsOfAccounts),
    extend(accessEnded, endLinkOfAccess),
    extend(personalRecords, messagingBotRecords),
    extend(impersonalRecords, messagingBotImpersonalRecords),
  ],
  routes: () => [...botLinkRoutes, webhookRoute],
};

export { clearBotData } from './expire-links.ts';
export { introduceBot } from './introduce-bot.ts';
