import { defineUpdate } from '@temporalio/workflow';

/** The file of a national list, from the request until its time is over; workflow id `national-export/{id}` (design.md "Processes"). */

/** Waits until the export has ended, one way or the other, or for some seconds; ask again then. */
export const nationalExportUpdate = defineUpdate<void, [{ requestId: string }]>('made');
