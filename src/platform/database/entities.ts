import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';

/** Proof that a command of a process took effect: written in the command's own transaction, so that a repeat changes nothing (design.md "Processes"). Cleared by the sweeper after `receiptLifetimeDays`. */
export const ReceiptEntity = defineEntity({
  name: 'Receipt',
  tableName: 'receipts',
  primaryKeys: ['workflowId', 'commandId'],
  properties: {
    workflowId: p.string().length(100).primary(),
    commandId: p.string().length(100).primary(),
    fingerprint: p.string().length(64),
    result: p.json<unknown>(),
    touched: p.json<string[]>(),
    at: p.datetime(),
  },
  // For the sweeper, which clears the oldest.
  indexes: [{ name: 'receipts_at_index', properties: ['at'] }],
});
export type Receipt = InferEntity<typeof ReceiptEntity>;

/** One row: how far the sandbox's time is ahead of the system's (decisions.md §11). */
export const SandboxClockEntity = defineEntity({
  name: 'SandboxClock',
  tableName: 'sandbox_clock',
  properties: { id: p.integer().primary().autoincrement(false), offsetSeconds: p.bigint('number').default(0) },
  checks: [
    { name: 'sandbox_clock_single_row', expression: 'id = 1' },
    { name: 'sandbox_clock_forwards', expression: 'offset_seconds >= 0' },
  ],
});

/**
 * The private part of a command (a reviewer's note, a reason), which must not lie in a workflow's history: the route puts
 * it here and sends only the id through the engine; the command's transaction reads it.
 */
export const PrivateInputEntity = defineEntity({
  name: 'PrivateInput',
  tableName: 'private_inputs',
  properties: { id: p.uuid().primary(), body: p.json<Record<string, unknown>>(), createdAt: p.datetime() },
  indexes: [{ name: 'private_inputs_created_index', properties: ['createdAt'] }],
});
export type PrivateInput = InferEntity<typeof PrivateInputEntity>;
