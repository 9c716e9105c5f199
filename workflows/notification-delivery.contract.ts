import { defineContract } from './process.contract.ts';

/**
 * Notifications of an account that wait for mail or bot; workflow id `delivery/{user id}`. The question sends now, whatever the planned
 * retry, and waits some seconds; it fails with the attempt's error.
 */
export const deliveryContract = defineContract({
  kind: 'delivery',
  workflow: 'notificationDelivery',
  queue: 'registry',
  commands: {},
  longWork: { activity: 'sendNotifications', question: 'send' },
});
