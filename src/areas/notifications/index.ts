import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { queuedWork } from '../../platform/workflows/define-process.ts';
import { deliveryWork } from './delivery/delivery-work.ts';
import { notificationRoutes } from './inbox/routes.ts';
import { preferenceRoutes } from './preferences/routes.ts';
import { streamRoute } from './stream/route.ts';

/** Notifications: inbox, preferences, live stream, and delivery by mail and bot. */
export const notificationsArea: Area = {
  processes: [],
  extensions: [extend(queuedWork, deliveryWork)],
  routes: (entered) => [streamRoute(entered), ...notificationRoutes, ...preferenceRoutes(entered)],
};

export { botChannel } from './delivery/bot-channel.ts';
export type { BotChannel } from './delivery/bot-channel.ts';
export { clearStreamEvents } from './stream/read-stream-events.ts';
export { after, defineNotifications, noteOf, notificationKinds, reasonOf, words } from './define-notifications.ts';
export type { NotificationKind, NotificationWords } from './define-notifications.ts';
export { NotificationEntity } from './entities.ts';
export type { CodeTitles, Facts, NotificationFact, NotificationFacts } from './facts.ts';
export { DatabaseStreams } from './stream/live-streams.ts';
export { notify } from './notify.ts';
export { notifyAdministrators } from './notify.ts';
export { startDeliveries } from './delivery/deliver.ts';
export { mailSetAside } from './delivery/settle.ts';
export { announceMessage, streamSubjects } from './stream/subjects.ts';
export type { StreamSubject } from './stream/subjects.ts';
export { selectAdministrators } from './notify.ts';
export { wordsOf } from './words-of.ts';
