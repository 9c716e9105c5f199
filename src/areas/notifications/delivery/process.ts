import { deliveryContract } from '../../../../workflows/notification-delivery.contract.ts';
import { searchAttributes } from '../../../../workflows/process.contract.ts';
import { defineProcess } from '../../../platform/workflows/define-process.ts';
import { describeDelivery } from './describe-delivery.ts';
import { type DeliveryRecord, findDeliveries, listDueDeliveries, listLivingDeliveries } from './queries.ts';

/** Step name of the sending activity in its troubles (`activities/notifications.ts`). */
export const sendStep = 'sendNotifications';

/**
 * Delivery of an account's notifications by mail and bot, while any waits; its id is the account's.
 * A database trigger writes the outbox message with the first waiting notification (`DeliveryEntity`). A round sends what it can at once
 * (`send-round.ts`); only the rest gets a process.
 */
export const deliveryProcess = defineProcess(deliveryContract, {
  subject: 'user',
  summary: (id) => `Notifications of account ${id}: by mail and by the bot`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  read: findDeliveries,
  describe: (record: DeliveryRecord, now) => describeDelivery(record, now),
  since: ({ delivery }) => delivery?.createdAt ?? new Date(0),
  due: listDueDeliveries,
  living: listLivingDeliveries,
  commands: {},
  round: { workflow: 'deliveryRound', summary: (count) => `Notifications of ${count} accounts: by mail and by the bot` },
});
