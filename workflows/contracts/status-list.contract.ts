import { defineContract } from './process.contract.ts';

/** A status list of certificates; workflow id `status-list/{id}`. Its long work makes each edition. */
export const statusListContract = defineContract({
  kind: 'status-list',
  workflow: 'statusList',
  queue: 'documents',
  commands: {},
  longWork: { activity: 'makeStatusList', question: 'made' },
});
