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
