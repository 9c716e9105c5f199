import { defineSignal } from '@temporalio/workflow';
import { activityCommand, command, defineContract } from './process.contract.ts';

/** An invoice from its creation to the bank's final response; workflow id `invoice/{id}`. */
export const invoiceContract = defineContract({
  kind: 'invoice',
  workflow: 'invoiceReconciliation',
  queue: 'registry',
  commands: {
    checkout: command(),
    /** Queries the bank now and returns when its response is recorded. */
    verify: activityCommand(),
  },
});

/** An unverified callback of the bank, from earlier releases. This release records a callback in the invoice and wakes its process. */
export const bankHintSignal = defineSignal<[{ requestId: string }]>('bank-hint');
