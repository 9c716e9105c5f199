import { deliveryUpdate } from '../../../../workflows/notification-delivery.contract.ts';
import { searchAttributes } from '../../../../workflows/process.contract.ts';
import { defineProcess } from '../../../platform/workflows/define-process.ts';
import { describeDelivery } from './describe-delivery.ts';
import { type DeliveryRecord, findDeliveries, listDueDeliveries, listLivingDeliveries } from './queries.ts';

/** What sends, as its troubles name it (`activities/notifications.ts`). */
export const sendStep = 'sendNotifications';

/**
 * What is to go out to an account by mail and by the bot, as long as anything waits; its id is the account's. The database itself writes the
 * message with the first notification that waits (`DeliveryEntity`). A round sends what can go out at once (`send-round.ts`), and only what is left
 * has a process.
 */
export const deliveryProcess = defineProcess<DeliveryRecord>({
  kind: 'delivery',
  subject: 'user',
  workflow: 'notificationDelivery',
  queue: 'registry',
  summary: (id) => `Notifications of account ${id}: by mail and by the bot`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  read: findDeliveries,
  describe: describeDelivery,
  since: ({ delivery }) => delivery?.createdAt ?? new Date(0),
  due: listDueDeliveries,
  living: listLivingDeliveries,
  commands: [],
  longWork: { step: sendStep, update: deliveryUpdate },
  round: { workflow: 'deliveryRound', summary: (count) => `Notifications of ${count} accounts: by mail and by the bot` },
});
