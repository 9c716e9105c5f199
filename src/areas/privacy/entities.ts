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
