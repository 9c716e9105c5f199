import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';

export const exportStatuses = ['preparing', 'ready', 'expired'] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** An export of an account's data, from the request until its archive is deleted (PRV-2). */
export const AccountExportEntity = defineEntity({
  name: 'AccountExport',
  tableName: 'account_exports',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'account_exports_user_fk'),
    status: p.string().length(20).$type<ExportStatus>().default('preparing'),
    // Assigned with the request: an archive that is made twice appears once.
    fileId: p.uuid(),
    // The request, for the audit of its outcome.
    requestId: p.string().length(64),
    requestIp: p.string().length(64).strictNullable(),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
    // When the sweeper must wake the process. Null when it is over.
    dueAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'account_exports_file_unique', properties: ['fileId'] }],
  checks: [{ name: 'account_exports_status_known', expression: `status in (${literalText(exportStatuses)})` }],
  indexes: [
    { name: 'account_exports_user_index', properties: ['userId', 'id'] },
    { name: 'account_exports_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'account_exports_live_index', properties: ['id'], where: 'due_at is not null' },
  ],
});
export type AccountExport = InferEntity<typeof AccountExportEntity>;

export const erasureStatuses = ['waiting', 'withdrawn', 'erased', 'done'] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];

/** The erasure of an account (PRV-4, PRV-5); a later request after a withdrawal takes the place of the earlier one. */
export const AccountErasureEntity = defineEntity({
  name: 'AccountErasure',
  tableName: 'account_erasures',
  properties: {
    // The account's.
    id: () => referenceTo(UserEntity, 'id', 'account_erasures_user_fk').primary().updateRule('no action').deleteRule('no action'),
    status: p.string().length(20).$type<ErasureStatus>(),
    // Of an administrator, for a request on paper.
    reason: p.text().strictNullable(),
    requestId: p.string().length(64),
    requestIp: p.string().length(64).strictNullable(),
    requestedAt: p.datetime(),
    // When the wait ends; a day later each time that something prevents the erasure.
    endsAt: p.datetime(),
    remindedAt: p.datetime().strictNullable(),
    // When something prevented it first.
    blockedAt: p.datetime().strictNullable(),
    erasedAt: p.datetime().strictNullable(),
    // When the bytes of its files were removed.
    purgedAt: p.datetime().strictNullable(),
    // When the sweeper must wake the process. Null when it is over.
    dueAt: p.datetime().strictNullable(),
  },
  checks: [{ name: 'account_erasures_status_known', expression: `status in (${literalText(erasureStatuses)})` }],
  indexes: [
    { name: 'account_erasures_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'account_erasures_live_index', properties: ['id'], where: 'due_at is not null' },
  ],
});
export type AccountErasure = InferEntity<typeof AccountErasureEntity>;
