import { sql } from 'kysely';

/** SQL: the file id of the photo that certificate `c` was issued with (NAT-9). */
export const photoOf = sql<string>`(c.snapshot->>'photoFileId')::uuid`;

/**
 * SQL: whether the bytes of file `f` still exist. A certificate names one file forever; after a transfer, a copy of it can outlive the
 * original file. Uses files_storage_key_index.
 */
export const isKept = sql<boolean>`exists (select from files kept where kept.storage_key = f.storage_key
  and kept.deleted_at is null and kept.purged_at is null)`;
