import { defineUpdate } from '@temporalio/workflow';

/** The file of a national list, from the request to its expiry; workflow id `national-export/{id}`. */

/** Waits until the export has ended, or for some seconds; the client polls again then. */
export const nationalExportUpdate = defineUpdate<void, [{ requestId: string }]>('made');
