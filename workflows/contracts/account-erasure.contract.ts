import { defineContract } from './process.contract.ts';

/** The erasure of an account, from the request until nothing is left; workflow id `account-erasure/{user}`. */
export const accountErasureContract = defineContract({
  kind: 'account-erasure',
  workflow: 'accountErasure',
  queue: 'documents',
  commands: {},
  longWork: { activity: 'eraseAccount', question: 'erased' },
});
