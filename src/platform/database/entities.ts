import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ProcessRef } from '../process-ref.ts';
import type { ProcessStart } from '../process-start.ts';

/**
 * A command without an `Idempotency-Key` that a process has processed: written in the command's own transaction, so that a retried step
 * changes nothing. The sweeper deletes it after `processedCommandLifetimeDays`.
 */
export const ProcessedCommandEntity = defineEntity({
  name: 'ProcessedCommand',
  tableName: 'receipts',
  primaryKeys: ['workflowId', 'commandId'],
  properties: {
    workflowId: p.string().length(100).primary(),
    commandId: p.string().length(100).primary(),
    at: p.datetime(),
  },
  // For the sweeper, which clears the oldest.
  indexes: [{ name: 'receipts_at_index', properties: ['at'] }],
});
export type ProcessedCommand = InferEntity<typeof ProcessedCommandEntity>;

/**
 * A request with an `Idempotency-Key` that took effect, with the data for a repeat (`idempotent-request.ts`, API-6). In real time. The
 * sweeper deletes it after `processedCommandLifetimeDays`.
 */
export const IdempotentRequestEntity = defineEntity({
  name: 'IdempotentRequest',
  tableName: 'idempotent_requests',
  properties: {
    // SHA-256 of the principal and the client's key.
    id: p.string().length(64).primary(),
    // The name of the secret under which it was written, and a keyed hash of method, address and body.
    fingerprint: p.string().length(100),
    commits: p.smallint(),
    isAnswered: p.boolean(),
    // Results and answer, encrypted.
    sealed: p.text().strictNullable(),
    createdAt: p.datetime(),
  },
  // For the sweeper, which clears the oldest.
  indexes: [{ name: 'idempotent_requests_created_index', properties: ['createdAt'] }],
});

/** One row: how far the sandbox's time is ahead of the system's. */
export const SandboxClockEntity = defineEntity({
  name: 'SandboxClock',
  tableName: 'sandbox_clock',
  properties: { id: p.integer().primary().autoincrement(false), offsetSeconds: p.bigint('number').default(0) },
  checks: [
    { name: 'sandbox_clock_single_row', expression: 'id = 1' },
    { name: 'sandbox_clock_forwards', expression: 'offset_seconds >= 0' },
  ],
});

/** Moves of the sandbox clock, by real time: they give domain time at a past instant. */
export const SandboxClockMoveEntity = defineEntity({
  name: 'SandboxClockMove',
  tableName: 'sandbox_clock_moves',
  properties: { id: p.integer().primary().autoincrement(), at: p.datetime(), offsetSeconds: p.bigint('number') },
  indexes: [{ name: 'sandbox_clock_moves_at_index', properties: ['at', 'offsetSeconds'] }],
});

/**
 * The private part of a command (a reviewer's note, a reason), which must not lie in a workflow's history: the route puts it here and sends
 * only the id through Temporal; the command's transaction reads it.
 */
export const PrivateInputEntity = defineEntity({
  name: 'PrivateInput',
  tableName: 'private_inputs',
  properties: { id: p.uuid().primary(), body: p.json<Record<string, unknown>>(), createdAt: p.datetime() },
  indexes: [{ name: 'private_inputs_created_index', properties: ['createdAt'] }],
});
export type PrivateInput = InferEntity<typeof PrivateInputEntity>;

/**
 * A process to start or wake: written in the command's transaction, delivered after the commit by the committing process or, from
 * `availableAt` on, by a relay; then deleted. In real time.
 */
export const OutboxEntity = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    process: p.string().length(100).$type<ProcessRef>(),
    requestId: p.string().length(64),
    /** How the process of a new record begins; null for one that must look at its record now. */
    start: p.json<ProcessStart>().strictNullable(),
    attempts: p.integer().default(0),
    availableAt: p.datetime(),
  },
  // For the relay: rows not delivered in time.
  indexes: [{ name: 'outbox_available_index', properties: ['availableAt'] }],
});

/** Where work that goes through all records in slices has come to: the sweeper, the rolling audit, a rebuild. */
export const CursorEntity = defineEntity({
  name: 'Cursor',
  tableName: 'cursors',
  properties: {
    name: p.string().length(100).primary(),
    afterId: p.integer(),
    /** Where the records come in the order of an instant and then of their ids; otherwise null. */
    afterAt: p.datetime().strictNullable(),
    /** Where the order is that of a text; otherwise null. */
    afterKey: p.string().length(200).strictNullable(),
    updatedAt: p.datetime(),
  },
});

/**
 * A step of a record's process that fails: written where it fails, removed when it succeeds, and by the sweeper once its record needs it no
 * more (`src/platform/workflows/process-troubles.ts`). Codes and numbers only.
 */
export const ProcessTroubleEntity = defineEntity({
  name: 'ProcessTrouble',
  tableName: 'process_troubles',
  primaryKeys: ['process', 'step'],
  properties: {
    process: p.string().length(100).$type<ProcessRef>().primary(),
    step: p.string().length(60).primary(),
    kind: p.string().length(40),
    recordId: p.integer(),
    /** Of the first failure in a row, and of the last. */
    since: p.datetime(),
    at: p.datetime(),
    tries: p.integer(),
    /** Of the catalogue of refusals. */
    code: p.string().length(60),
    /** Support must look: the record is the cause, or it has failed often. */
    isStuck: p.boolean(),
  },
  // For the administrators' list, the oldest first.
  indexes: [{ name: 'process_troubles_stuck_index', properties: ['since', 'process'], where: 'is_stuck' }],
});
export type ProcessTrouble = InferEntity<typeof ProcessTroubleEntity>;
