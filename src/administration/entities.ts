import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { UserEntity } from '../accounts/entities.ts';

/** Who did what to which record; append-only, written in the transaction of the fact (decisions.md §9). `data` holds hashes and field names, never values of people. */
export const AuditEventEntity = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  properties: {
    id: p.integer().primary().autoincrement(),
    action: p.string().length(80),
    actorId: p.integer().strictNullable(),
    impersonatedUserId: p.integer().strictNullable(),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    ip: p.string().length(64).strictNullable(),
    requestId: p.string().length(64),
    at: p.datetime(),
    data: p.json<Record<string, unknown>>(),
  },
  indexes: [
    { name: 'audit_events_subject_index', properties: ['subjectKind', 'subjectId', 'id'] },
    { name: 'audit_events_actor_index', properties: ['actorId', 'id'] },
    { name: 'audit_events_request_index', properties: ['requestId'] },
  ],
});
export type AuditEvent = InferEntity<typeof AuditEventEntity>;

/** Every decision of an administrator on a profile, photo, document or application, never changed (service.md: "decision history is kept"). */
export const ReviewDecisionEntity = defineEntity({
  name: 'ReviewDecision',
  tableName: 'review_decisions',
  properties: {
    id: p.integer().primary().autoincrement(),
    subjectKind: p.string().length(40).$type<'profile' | 'photo' | 'document' | 'application'>(),
    subjectId: p.integer(),
    decision: p.string().length(20).$type<'approve' | 'changes' | 'cancel'>(),
    note: p.text().strictNullable(),
    fromStatus: p.string().length(20),
    toStatus: p.string().length(20),
    actorId: () => p.manyToOne(UserEntity).mapToPk().fieldName('actor_id').foreignKeyName('review_decisions_actor_fk'),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'review_decisions_subject_index', properties: ['subjectKind', 'subjectId', 'id'] }],
});

/** Something that a person of the federation must look at: money that came late, a bank answer that does not fit. */
export const IncidentEntity = defineEntity({
  name: 'Incident',
  tableName: 'incidents',
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.string().length(60).$type<'bank_mismatch' | 'late_payment'>(),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    details: p.json<Record<string, unknown>>(),
    at: p.datetime(),
    resolvedAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'incidents_once', properties: ['kind', 'subjectKind', 'subjectId'] }],
});
export type Incident = InferEntity<typeof IncidentEntity>;
