import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import type { DocumentType } from '../catalog/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { ProfileEntity } from '../profiles/index.ts';
import { type DocumentStatus, documentStatuses, livingStatuses } from './states.ts';

const living = `status in (${literalText(livingStatuses)})`;
/** The first instant after the last day in UTC+5, in SQL. */
const afterLastDay = "(expires_at + 1)::timestamp at time zone '05:00:00'::interval";

/** Documents that become `expired` after their last day, in SQL: `expiryInstant` (`states.ts`) is not null (DOC-1). */
export const expiresAutomatically = `(expires_at is not null and ${living} and (status <> 'changes' or decided_at is null or decided_at < ${afterLastDay}))`;

/** Documents that wait for a person or a date, in SQL: their process must be running. */
export const isLiving = `(${living} and (status <> 'approved' or expires_at is not null))`;

/** Documents with a reminder left, in SQL (DOC-5). */
export const isReminding = "(remind_at is not null and status = 'approved')";

/** A scan with its number and dates, reviewed by an administrator. */
export const DocumentEntity = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: p.integer().primary().autoincrement(),
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'documents_profile_fk'),
    type: p.string().length(40).$type<DocumentType>(),
    fileId: () => referenceTo(StoredFileEntity, 'file_id', 'documents_file_fk'),
    number: p.string().length(100).strictNullable(),
    country: p.string().length(2).strictNullable(),
    issuedAt: p.date().strictNullable(),
    expiresAt: p.date().strictNullable(),
    status: p.string().length(20).$type<DocumentStatus>().default('pending'),
    reviewNote: p.text().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    // Since when it has its status: a waiting document keeps its place in the queue, whatever else changes (REV-3).
    statusSince: p.datetime().defaultRaw('now()'),
    // The next reminder of the last day; null when none is left or the document is not approved.
    remindAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [
    { name: 'documents_profile_index', properties: ['profileId'] },
    { name: 'documents_file_index', properties: ['fileId'] },
    // For the queue of waiting and of returned documents.
    { name: 'documents_queue_index', properties: ['statusSince', 'id'], where: "status = 'pending'" },
    { name: 'documents_returned_index', properties: ['statusSince', 'id'], where: "status = 'changes'" },
    // For the sweeper: expiring documents only, the earliest first.
    { name: 'documents_expiry_index', properties: ['expiresAt', 'id'], where: expiresAutomatically },
    // For the sweeper: reminders, the earliest first.
    { name: 'documents_reminder_index', properties: ['remindAt', 'id'], where: isReminding },
    // For the rebuild of processes: documents that must have one, by id.
    { name: 'documents_living_index', properties: ['id'], where: isLiving },
  ],
  checks: [
    { name: 'documents_status_known', expression: `status in (${literalText(documentStatuses)})` },
    { name: 'documents_dates_ordered', expression: 'issued_at is null or expires_at is null or issued_at <= expires_at' },
  ],
});
export type Document = InferEntity<typeof DocumentEntity>;
