import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';

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
