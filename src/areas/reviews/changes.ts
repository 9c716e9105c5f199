import type { ChangedRecord } from '../changes/index.ts';

/** Incidents in the log of changes. */
export const incidentChanges: readonly ChangedRecord[] = [{ record: 'incident', path: ({ id }) => `/admin/audit?subject=incident/${id}` }];
