import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { StoredFileEntity } from '../files/entities.ts';
import { ProfileEntity } from '../profiles/entities.ts';
import type { DocumentStatus, DocumentType } from './states.ts';

/** A scan with what it says of itself, reviewed by an administrator (service.md "Document"). */
export const DocumentEntity = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: p.integer().primary().autoincrement(),
    profileId: () => p.manyToOne(ProfileEntity).mapToPk().fieldName('profile_id').foreignKeyName('documents_profile_fk'),
    type: p.string().length(40).$type<DocumentType>(),
    fileId: () => p.manyToOne(StoredFileEntity).mapToPk().fieldName('file_id').foreignKeyName('documents_file_fk'),
    number: p.string().length(100).strictNullable(),
    country: p.string().length(2).strictNullable(),
    issuedAt: p.date().strictNullable(),
    expiresAt: p.date().strictNullable(),
    status: p.string().length(20).$type<DocumentStatus>().default('pending'),
    reviewNote: p.text().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [
    { name: 'documents_profile_index', properties: ['profileId'] },
    { name: 'documents_file_index', properties: ['fileId'] },
    { name: 'documents_queue_index', properties: ['createdAt'], where: "status = 'pending'" },
    // For the sweeper: what has lapsed but is not marked so yet.
    {
      name: 'documents_expiry_index',
      properties: ['expiresAt'],
      where: "expires_at is not null and status in ('pending', 'approved', 'changes')",
    },
  ],
  checks: [
    { name: 'documents_status_known', expression: "status in ('pending', 'approved', 'changes', 'cancelled', 'expired')" },
    { name: 'documents_dates_ordered', expression: 'issued_at is null or expires_at is null or issued_at <= expires_at' },
  ],
});
export type Document = InferEntity<typeof DocumentEntity>;
