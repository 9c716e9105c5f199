import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An invoice from its creation until the bank has had its last word; workflow id `invoice/{id}`. */

export const checkoutInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('checkout');
/** Asks the bank now and answers when its response is recorded. */
export const verifyInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('verify');
/**
 * Somebody who says to be the bank says that something happened: ask the bank. Releases before sent it; by now a callback is noted in the
 * invoice, and wakes its process as everything does.
 */
export const bankHintSignal = defineSignal<[{ requestId: string }]>('bank-hint');
