import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { UserEntity } from '../accounts/index.ts';
import { type FileMime, madeMimes } from './mimes.ts';

/**
 * An uploaded file: the row here, the bytes in storage under `storageKey`, which a copy in another account has too (`copyFiles`). Rows are
 * immutable but for their owner and for deletion: `deletedAt` hides it at once, `purgedAt` says that the file takes no place any more: its
 * bytes are gone too, where no copy has them.
 */
export const StoredFileEntity = defineEntity({
  name: 'StoredFile',
  tableName: 'files',
  properties: {
    id: p.uuid().primary(),
    ownerId: () => p.manyToOne(UserEntity).mapToPk().fieldName('owner_id').foreignKeyName('files_owner_fk'),
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
    // Who else has the bytes of a file.
    { name: 'files_storage_key_index', properties: ['storageKey'] },
    // For GET /files: the owner's files, newest first.
    { name: 'files_owner_index', properties: ['ownerId', 'createdAt'] },
    // For what an account keeps: its files whose bytes are not gone, and their sizes.
    { name: 'files_kept_index', properties: ['ownerId', 'size'], where: 'purged_at is null' },
    { name: 'files_purge_index', properties: ['deletedAt'], where: 'deleted_at is not null and purged_at is null' },
  ],
  // What is uploaded has 20 MB at the most, what the registry makes 500.
  checks: [
    {
      name: 'files_size_range',
      expression: `size between 1 and case when mime in (${literalText(madeMimes)}) then 524288000 else 20971520 end`,
    },
  ],
});
export type StoredFile = InferEntity<typeof StoredFileEntity>;

/** Usual words for what a file is for (service.md "File"); others are taken too, since the specification leaves the list open. */
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
