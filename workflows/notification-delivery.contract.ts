import { defineUpdate } from '@temporalio/workflow';

/** What waits to go out to an account by mail and by the bot; workflow id `delivery/{user id}`. */

/** Tries to send now, whatever the next try was planned for, and waits for it some seconds; fails with what the try failed with. */
export const deliveryUpdate = defineUpdate<void, [{ requestId: string }]>('send');
