import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { changedRecords } from '../changes/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { webhookChanges } from './changes.ts';
import { webhookNotifications } from './notifications.ts';
import { webhookProcess } from './process.ts';
import { webhookRoutes } from './routes.ts';

/** Webhooks: changes of records, sent to the programs of accounts. */
export const webhooksArea: Area = {
  processes: [webhookProcess],
  extensions: [extend(changedRecords, webhookChanges), extend(notificationKinds, webhookNotifications)],
  routes: () => webhookRoutes,
};

export { clearWebhooks } from './delete-webhook.ts';
export { webhookProcess } from './process.ts';
export { encryptWebhookSecretsAnew } from './replace-secret.ts';
export { sendChanges } from './send-changes.ts';
