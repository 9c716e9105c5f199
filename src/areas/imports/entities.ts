import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { EventEntity } from '../competitions/index.ts';
import type { Entry } from './sheet/entries.ts';
import type { ImportedRow } from './sheet/problems.ts';

/** The lists that are read from files. */
export const importKinds = ['registrations', 'participants'] as const;
export type ImportKind = (typeof importKinds)[number];

/** `check` writes nothing; the others save good rows, `submit` also submits them. */
export const importModes = ['check', 'draft', 'submit'] as const;
export type ImportMode = (typeof importModes)[number];

/** `stopped`: the account lost the right to it meanwhile; `expired`: its rows were deleted. */
export const importStatuses = ['running', 'done', 'stopped', 'expired'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** An import of more rows than one request takes, from the request until its outcome is deleted (IMP-5). */
export const ImportEntity = defineEntity({
  name: 'Import',
  tableName: 'imports',
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.string().length(20).$type<ImportKind>(),
    mode: p.string().length(20).$type<ImportMode>(),
    status: p.string().length(20).$type<ImportStatus>().default('running'),
    eventId: () => referenceTo(EventEntity, 'event_id', 'imports_event_fk'),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'imports_owner_fk'),
    // Who sent the file: under impersonation an administrator.
    actorId: () => referenceTo(UserEntity, 'actor_id', 'imports_actor_fk'),
    apiKeyId: p.integer().strictNullable(),
    requestId: p.string().length(64),
    requestIp: p.string().length(64).strictNullable(),
    rowCount: p.integer(),
    doneCount: p.integer().default(0),
    ignoredColumns: p.json<string[]>(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
    // When the sweeper must wake the process. Null when it is over.
    dueAt: p.datetime().strictNullable(),
  },
  checks: [
    { name: 'imports_kind_known', expression: `kind in (${literalText(importKinds)})` },
    { name: 'imports_mode_known', expression: `mode in (${literalText(importModes)})` },
    { name: 'imports_status_known', expression: `status in (${literalText(importStatuses)})` },
    { name: 'imports_count_in_range', expression: 'done_count >= 0 and done_count <= row_count' },
  ],
  indexes: [
    { name: 'imports_event_index', properties: ['eventId', 'id'] },
    { name: 'imports_actor_index', properties: ['actorId', 'id'] },
    { name: 'imports_owner_index', properties: ['ownerId', 'id'] },
    { name: 'imports_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'imports_live_index', properties: ['id'], where: 'due_at is not null' },
    // One at a time, so that an account does not take the turns of others (IMP-5).
    {
      name: 'imports_running_unique',
      expression: `create unique index "imports_running_unique" on "imports" ("owner_id") where status = 'running'`,
    },
  ],
});
export type Import = InferEntity<typeof ImportEntity>;

/** Rows of an import that are saved in one transaction, then what became of them. */
export const ImportBatchEntity = defineEntity({
  name: 'ImportBatch',
  tableName: 'import_batches',
  primaryKeys: ['importId', 'position'],
  properties: {
    importId: () => referenceTo(ImportEntity, 'import_id', 'import_batches_import_fk').primary(),
    position: p.integer().primary(),
    // Null once they are saved.
    rows: p.json<Entry[]>().strictNullable(),
    outcome: p.json<ImportedRow[]>().strictNullable(),
  },
});
export type ImportBatch = InferEntity<typeof ImportBatchEntity>;
