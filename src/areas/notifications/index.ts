import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { stateGauges } from '../../platform/metrics/state-gauges.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { queuedWork } from '../../platform/workflows/define-process.ts';
import { changedRecords } from '../changes/index.ts';
import { deliveryGauges, preferenceChanges } from './extensions.ts';
import { deliveryWork } from './delivery/delivery-work.ts';
import { notificationRoutes } from './inbox/routes.ts';
import { notificationsRecords } from './personal-data.ts';
import { mailPreferencesRoutes } from './preferences/mail-page.ts';
import { preferenceRoutes } from './preferences/routes.ts';
import { streamRoute } from './stream/route.ts';

/** Notifications: inbox, preferences, live stream, and delivery by mail and bot. */
export const notificationsArea: Area = {
  processes: [],
  extensions: [
    extend(changedRecords, preferenceChanges),
    extend(queuedWork, deliveryWork),
    extend(stateGauges, deliveryGauges),
    extend(personalRecords, notificationsRecords),
  ],
  routes: (entered) => [streamRoute(entered), ...notificationRoutes, ...preferenceRoutes(entered), ...mailPreferencesRoutes(entered)],
};

export {
  after,
  defineNotifications,
  noteOf,
  type NotificationKind,
  notificationKinds,
  type NotificationWords,
  reasonOf,
  words,
  wordsOf,
} from './define-notifications.ts';
export { startDeliveries } from './delivery/deliver.ts';
export { type BotChannel, botChannel } from './delivery/hand-over.ts';
export { mailSetAside } from './delivery/settle.ts';
export { NotificationEntity } from './entities.ts';
export type { CodeTitles, Facts, NotificationFact, NotificationFacts } from './facts.ts';
export { notify, notifyAdministrators, selectAdministrators } from './notify.ts';
export { DatabaseStreams } from './stream/live-streams.ts';
export { announceMessage, clearStreamEvents, type StreamSubject, streamSubjects } from './stream/read-stream-events.ts';
