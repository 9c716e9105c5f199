// Baseline of 2026-11-21, frozen: see index.ts.
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ProcessCommand } from './process.contract.ts';

/** An invoice from its creation until the bank has had its last word; workflow id `invoice/{id}`. */
export interface InvoiceReconciliationInput {
  invoiceId: number;
}

export const checkoutInvoiceUpdate = defineUpdate<void, [ProcessCommand<Record<string, never>>]>('checkout');
/** Asks the bank now and answers when its word is recorded. */
export const verifyInvoiceUpdate = defineUpdate<void, [ProcessCommand<Record<string, never>>]>('verify');
/** Somebody who says to be the bank says that something happened: ask the bank. */
export const bankHintSignal = defineSignal('bank-hint');
