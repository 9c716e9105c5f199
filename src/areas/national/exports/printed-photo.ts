import { sql } from 'kysely';

/** The file of the photo that a certificate `c` was issued with, in SQL. */
export const photoOf = sql<string>`(c.snapshot->>'photoFileId')::uuid`;

/**
 * Whether the bytes of a file `f` are kept, in SQL: a certificate names one file for good, and where it went to another account with a copy
 * of it, the copy keeps them when the first is deleted. By files_storage_key_index.
 */
export const isKept = sql<boolean>`exists (select from files kept where kept.storage_key = f.storage_key
  and kept.deleted_at is null and kept.purged_at is null)`;
