import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { xlsxMime } from '../../platform/spreadsheet/stream-spreadsheet.ts';
import { UserEntity } from '../accounts/index.ts';

/** Types that an account may upload (FIL-1). */
export const uploadMimes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
/** Types that the registry makes (FIL-6). */
const madeMimes = [xlsxMime, 'application/zip'] as const;
export const fileMimes = [...uploadMimes, ...madeMimes] as const;

export type MadeMime = (typeof madeMimes)[number];
export type FileMime = (typeof fileMimes)[number];

/** Whether the registry made a file: it counts in no quota and cannot be attached to a record. */
export function isMade(mime: FileMime): mime is MadeMime {
  return madeMimes.some((made) => made === mime);
}

/**
 * A file: the row here, the bytes in storage under `storageKey`, which a copy in another account shares (`copyFiles`).
 *
 * Rows are immutable except for owner and deletion. `deletedAt` hides the file at once. `purgedAt` ends its use of the quota;
 * its bytes are then removed too, unless a copy shares them.
 */
export const StoredFileEntity = defineEntity({
  name: 'StoredFile',
  tableName: 'files',
  properties: {
    id: p.uuid().primary(),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'files_owner_fk'),
    purpose: p.string().length(40),
    name: p.string().length(255),
    mime: p.string().length(100).$type<FileMime>(),
    size: p.integer(),
    sha256: p.string().length(64),
    width: p.integer().strictNullable(),
    height: p.integer().strictNullable(),
    pages: p.integer().strictNullable(),
    storageKey: p.string().length(200).hidden(),
    createdAt: p.datetime(),
    deletedAt: p.datetime().strictNullable(),
    purgedAt: p.datetime().strictNullable(),
  },
  indexes: [
    // For the copies that share the bytes of a file.
    { name: 'files_storage_key_index', properties: ['storageKey'] },
    // For GET /files: the owner's files, newest first.
    { name: 'files_owner_index', properties: ['ownerId', 'createdAt'] },
    // For the quota: an account's files whose bytes are not removed, and their sizes.
    { name: 'files_kept_index', properties: ['ownerId', 'size'], where: 'purged_at is null' },
    { name: 'files_purge_index', properties: ['deletedAt'], where: 'deleted_at is not null and purged_at is null' },
  ],
  // Uploads: at most 20 MB. Made files: at most 2 GB.
  checks: [
    {
      name: 'files_size_range',
      expression: `size >= 1 and size <= case when mime in (${literalText(madeMimes)}) then 2000000000 else 20971520 end`,
    },
  ],
});
export type StoredFile = InferEntity<typeof StoredFileEntity>;

/** Purpose of the archive of an account's data, which only the account itself reads (PRV-2). */
export const accountExportPurpose = 'account_export';

/** Usual purposes of a file. Clients may send others: the specification leaves the list open. */
export const filePurposes = [
  'photo',
  'identity',
  'document',
  'medical',
  'consent',
  'insurance',
  'organization',
  'agreement',
  'regulations',
  'results',
  'signature',
  'stamp',
  'other',
] as const;
