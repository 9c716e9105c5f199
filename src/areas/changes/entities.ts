import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ProcessRef } from '../../platform/workflows/process-ref.ts';

/**
 * A change of a record, written in the transaction of the fact (CHG-1). The order is (`place`, `id`): `place` grows with the id of the
 * transaction, so that a reader knows which changes may still commit (CHG-2). Partitioned by month (CHG-4).
 */
export const ChangeEntity = defineEntity({
  name: 'Change',
  tableName: 'changes',
  primaryKeys: ['place', 'id', 'writtenAt'],
  properties: {
    place: p.bigint('number').primary(),
    id: p.bigint('number').primary(),
    // Real time, of the partition. `at` is of the domain clock, which a sandbox moves.
    writtenAt: p.datetime().defaultRaw('now()').primary(),
    at: p.datetime(),
    // An audited action.
    action: p.string().length(80),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    // Part of the address of some records: the event of an additional document.
    parentId: p.integer().strictNullable(),
    // Of the record after the command.
    status: p.string().length(20).strictNullable(),
    // Who sees the change beside administrators (CHG-3). Kept as they were: a later owner sees later changes only.
    ownerId: p.integer().strictNullable(),
    // Absent when it is the owner.
    organizerId: p.integer().strictNullable(),
  },
  // Each filter of `GET /changes` has an index in the order of the log.
  indexes: [
    { name: 'changes_action_index', properties: ['action', 'place', 'id'] },
    { name: 'changes_owner_index', properties: ['ownerId', 'place', 'id'], where: 'owner_id is not null' },
    { name: 'changes_owner_action_index', properties: ['ownerId', 'action', 'place', 'id'], where: 'owner_id is not null' },
    { name: 'changes_organizer_index', properties: ['organizerId', 'place', 'id'], where: 'organizer_id is not null' },
    {
      name: 'changes_organizer_action_index',
      properties: ['organizerId', 'action', 'place', 'id'],
      where: 'organizer_id is not null',
    },
  ],
});
export type Change = InferEntity<typeof ChangeEntity>;

/**
 * A time in which transaction ids only grow. Another era begins in a restored cluster and after a failover, where they may be smaller than
 * those of older changes (`change_place()`).
 */
export const ChangeEraEntity = defineEntity({
  name: 'ChangeEra',
  tableName: 'change_eras',
  properties: {
    // The place of the transaction `firstXid`.
    base: p.bigint('number').primary().autoincrement(false),
    firstXid: p.bigint('number'),
    cluster: p.bigint('number'),
    timeline: p.integer(),
    beganAt: p.datetime().defaultRaw('now()'),
  },
});

/** A process that the next change of an account wakes, or any change (CHG-6). */
export const ChangeWaiterEntity = defineEntity({
  name: 'ChangeWaiter',
  tableName: 'change_waiters',
  properties: {
    process: p.string().length(120).$type<ProcessRef>().primary(),
    // Owner or organizer of the change; null: any change.
    userId: p.integer().strictNullable(),
  },
  indexes: [{ name: 'change_waiters_user_index', properties: ['userId'] }],
});
