import { defineUpdate } from '@temporalio/workflow';

/** Notifications of an account that wait for mail or bot; workflow id `delivery/{user id}`. */

/** Sends now, whatever the planned retry, and waits some seconds; fails with the attempt's error. */
export const deliveryUpdate = defineUpdate<void, [{ requestId: string }]>('send');
