import { defineContract } from './process.contract.ts';

/** An archive of an account's data, from the request to its expiry; workflow id `account-export/{id}`. */
export const accountExportContract = defineContract({
  kind: 'account-export',
  workflow: 'accountExport',
  queue: 'documents',
  commands: {},
  longWork: { activity: 'buildAccountExport', question: 'made' },
});
