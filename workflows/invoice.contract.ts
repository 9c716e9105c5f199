import { defineSignal } from '@temporalio/workflow';
import { activityCommand, command, defineContract } from './process.contract.ts';

/** An invoice from its creation to the bank's final response; workflow id `invoice/{id}`. */
export const invoiceContract = defineContract({
  kind: 'invoice',
  workflow: 'invoiceReconciliation',
  queue: 'registry',
  commands: {
    checkout: command(),
    /** Asks the bank now and answers when its response is recorded. */
    verify: activityCommand(),
  },
});

/**
 * A callback in the bank's name, not yet verified: ask the bank. Sent by earlier releases; now a callback is recorded in the invoice and
 * wakes its process.
 */
export const bankHintSignal = defineSignal<[{ requestId: string }]>('bank-hint');
