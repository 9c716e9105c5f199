import { defineContract } from './process.contract.ts';

/**
 * The file of a national list, from the request to its expiry; workflow id `national-export/{id}`. The question waits until the export has
 * ended, or for some seconds; the client polls again then.
 */
export const nationalExportContract = defineContract({
  kind: 'national-export',
  workflow: 'nationalExport',
  queue: 'documents',
  commands: {},
  longWork: { activity: 'buildNationalExport', question: 'made' },
});
