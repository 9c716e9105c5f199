import type { ChangedRecord } from '../changes/index.ts';

/** The catalog in the log of changes, which only administrators read in full; `GET /catalog` shows it to all. */
export const catalogChanges: readonly ChangedRecord[] = [
  { record: 'service', path: () => '/admin/catalog' },
  { record: 'base_index', path: () => '/admin/catalog' },
];
