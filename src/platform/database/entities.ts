import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ProcessRef } from '../workflows/process-ref.ts';
import type { ProcessStart } from '../workflows/process-start.ts';

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
  // For the sweeper, which deletes the oldest.
  indexes: [{ name: 'receipts_at_index', properties: ['at'] }],
});
export type ProcessedCommand = InferEntity<typeof ProcessedCommandEntity>;

/**
 * A completed request with an `Idempotency-Key`, and the data for a repeat (`idempotent-request.ts`, API-6). In real time. The sweeper
 * deletes it after `processedCommandLifetimeDays`.
 */
export const IdempotentRequestEntity = defineEntity({
  name: 'IdempotentRequest',
  tableName: 'idempotent_requests',
  properties: {
    // SHA-256 of the credential and the client's key.
    id: p.string().length(64).primary(),
    // Name of the secret, and a keyed hash of method, address and body.
    fingerprint: p.string().length(100),
    isCommitted: p.boolean(),
    isAnswered: p.boolean(),
    // Encrypted results and answer.
    sealed: p.text().strictNullable(),
    createdAt: p.datetime(),
  },
  // For the sweeper, which deletes the oldest.
  indexes: [{ name: 'idempotent_requests_created_index', properties: ['createdAt'] }],
});

/** One row: how far the sandbox clock is ahead of the system clock. */
export const SandboxClockEntity = defineEntity({
  name: 'SandboxClock',
  tableName: 'sandbox_clock',
  properties: { id: p.integer().primary().autoincrement(false), offsetSeconds: p.bigint('number').default(0) },
  checks: [
    { name: 'sandbox_clock_single_row', expression: 'id = 1' },
    { name: 'sandbox_clock_forwards', expression: 'offset_seconds >= 0' },
  ],
});

/** Moves of the sandbox clock, by real time, to compute the domain time of a past instant. */
export const SandboxClockMoveEntity = defineEntity({
  name: 'SandboxClockMove',
  tableName: 'sandbox_clock_moves',
  properties: { id: p.integer().primary().autoincrement(), at: p.datetime(), offsetSeconds: p.bigint('number') },
  indexes: [{ name: 'sandbox_clock_moves_at_index', properties: ['at', 'offsetSeconds'] }],
});

/**
 * The private part of a command (a note, a reason). It must not be in a workflow's history: the route stores it here and sends only the id
 * to Temporal.
 */
export const PrivateInputEntity = defineEntity({
  name: 'PrivateInput',
  tableName: 'private_inputs',
  properties: { id: p.uuid().primary(), body: p.json<Record<string, unknown>>(), createdAt: p.datetime() },
  indexes: [{ name: 'private_inputs_created_index', properties: ['createdAt'] }],
});
export type PrivateInput = InferEntity<typeof PrivateInputEntity>;

/**
 * A process to start or wake. The command's transaction writes it. The committing process delivers it after the commit, or a relay from
 * `availableAt` on; then it is deleted. In real time.
 */
export const OutboxEntity = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    process: p.string().length(100).$type<ProcessRef>(),
    requestId: p.string().length(64),
    /** Start state of a new record's process; null for a process that must read its record now. */
    start: p.json<ProcessStart>().strictNullable(),
    attempts: p.integer().default(0),
    availableAt: p.datetime(),
    /** The first `availableAt`: the age of a wake-up counts from here. */
    dueAt: p.datetime().defaultRaw('now()'),
  },
  // For the relay: overdue rows.
  indexes: [{ name: 'outbox_available_index', properties: ['availableAt'] }],
});

/** Positions of work that pages through all records: sweeper, rebuild. */
export const CursorEntity = defineEntity({
  name: 'Cursor',
  tableName: 'cursors',
  properties: {
    name: p.string().length(100).primary(),
    afterId: p.integer(),
    /** With the order by instant and id; otherwise null. */
    afterAt: p.datetime().strictNullable(),
    /** With a text order; otherwise null. */
    afterKey: p.string().length(200).strictNullable(),
    updatedAt: p.datetime(),
  },
});

/**
 * A failing step of a record's process. Deleted when the step succeeds, or by the sweeper when the record no longer needs it
 * (`src/platform/workflows/process-troubles.ts`). Codes and numbers only.
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
    /** Instants of the first and the last failure in a row. */
    since: p.datetime(),
    at: p.datetime(),
    tries: p.integer(),
    /** A code of `src/errors.ts`. */
    code: p.string().length(60),
    /** Support must act: the record is the cause, or the step failed often. */
    isStuck: p.boolean(),
  },
  // For the administrators' list, the oldest first.
  indexes: [{ name: 'process_troubles_stuck_index', properties: ['since', 'process'], where: 'is_stuck' }],
});
export type ProcessTrouble = InferEntity<typeof ProcessTroubleEntity>;

/**
 * Totals of the overview (records by state, processes, ledger balances) and of administrators' lists (`list:…`). Later changes are in
 * `tally_changes`; only both together are exact (`tallies.ts`).
 */
export const TallyEntity = defineEntity({
  name: 'Tally',
  tableName: 'tallies',
  primaryKeys: ['name', 'key'],
  properties: {
    name: p.string().length(40).primary(),
    key: p.string().length(60).primary(),
    n: p.bigint('number'),
  },
});

/**
 * A change of a total, written by triggers with the counted rows, so that no command can omit it. Commands only insert and never wait for
 * each other; the sweeper merges the changes into the totals.
 */
export const TallyChangeEntity = defineEntity({
  name: 'TallyChange',
  tableName: 'tally_changes',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    name: p.string().length(40),
    key: p.string().length(60),
    n: p.bigint('number'),
  },
});
