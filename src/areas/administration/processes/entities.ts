import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../../platform/database/reference.ts';
import type { ProcessRef } from '../../../platform/process-ref.ts';
import { UserEntity } from '../../accounts/index.ts';
import type { ProcessAction } from './standing.ts';

/** An administrator's action on a process, with their reason; append-only. The audit row has the same request id. */
export const ProcessActionEntity = defineEntity({
  name: 'ProcessAction',
  tableName: 'process_actions',
  properties: {
    id: p.integer().primary().autoincrement(),
    process: p.string().length(100).$type<ProcessRef>(),
    action: p.string().length(20).$type<ProcessAction>(),
    reason: p.text(),
    actorId: () => referenceTo(UserEntity, 'actor_id', 'process_actions_actor_fk'),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'process_actions_process_index', properties: ['process', 'id'] }],
});
export type StoredProcessAction = InferEntity<typeof ProcessActionEntity>;
