import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An invoice from its creation to the bank's final response; workflow id `invoice/{id}`. */

export const checkoutInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('checkout');
/** Asks the bank now and answers when its response is recorded. */
export const verifyInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('verify');
/**
 * A callback in the bank's name, not yet verified: ask the bank. Sent by earlier releases; now a callback is recorded in the invoice and
 * wakes
 * its process.
 */
export const bankHintSignal = defineSignal<[{ requestId: string }]>('bank-hint');
