import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { outgoingTimeoutMs } from '../../platform/outgoing/outgoing.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { accessEnded } from '../accounts/index.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { webhookLimit } from './create-webhook.ts';
import { interventionLimit } from './count-intervention.ts';
import { keptDays } from './delete-webhook.ts';
import { disableWebhooksOf } from './disable-webhooks.ts';
import { failingDays, pauses } from './next-try.ts';
import { webhookNotifications } from './notifications.ts';
import { webhooksRecords } from './personal-data.ts';
import { webhookProcess } from './process.ts';
import { secretOverlapMs } from './replace-secret.ts';
import { webhookRoutes } from './routes.ts';

/** Webhooks in the log of changes. */
const webhookChanges: readonly ChangedRecord[] = [
  {
    record: 'webhook',
    select: (db) =>
      db.selectFrom('webhooks as w').select(['w.id', 'w.status', 'w.userId as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/webhooks/${id}`,
  },
];

/** Webhooks: changes of records, sent to the programs of accounts. */
export const webhooksArea: Area = {
  processes: [webhookProcess],
  extensions: [
    extend(accessEnded, disableWebhooksOf),
    extend(changedRecords, webhookChanges),
    extend(notificationKinds, webhookNotifications),
    extend(personalRecords, webhooksRecords),
  ],
  routes: () => webhookRoutes,
};

/** Numbers of the documentation for programmers. */
export const webhookFacts = {
  limit: webhookLimit,
  timeoutMs: outgoingTimeoutMs,
  pausesMs: pauses,
  overlapMs: secretOverlapMs,
  deliveryDays: keptDays,
  failingDays,
  interventionsPerHour: interventionLimit,
} as const;

export { clearWebhooks } from './delete-webhook.ts';
export { webhookProcess } from './process.ts';
export { encryptWebhookSecretsAnew } from './replace-secret.ts';
export { sendChanges } from './send-changes.ts';
