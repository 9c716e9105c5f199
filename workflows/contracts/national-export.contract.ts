import { defineContract } from './process.contract.ts';

/**
 * The file of a national list, from the request to its expiry; workflow id `national-export/{id}`. The update waits until the export has
 * ended, at most some seconds; then the client polls again.
 */
export const nationalExportContract = defineContract({
  kind: 'national-export',
  workflow: 'nationalExport',
  queue: 'documents',
  commands: {},
  longWork: { activity: 'buildNationalExport', question: 'made' },
});
