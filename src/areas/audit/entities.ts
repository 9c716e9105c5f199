import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { SecurityAction } from '../../platform/security-log.ts';

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
  // One for each filter of `GET /admin/audit`, each in the order of its answer: what is shown and counted is read, and nothing else.
  indexes: [
    { name: 'audit_events_at_index', properties: ['at', 'id'] },
    { name: 'audit_events_action_index', properties: ['action', 'at', 'id'] },
    { name: 'audit_events_subject_index', properties: ['subjectKind', 'subjectId', 'at', 'id'] },
    { name: 'audit_events_kind_index', properties: ['subjectKind', 'at', 'id'] },
    { name: 'audit_events_actor_index', properties: ['actorId', 'at', 'id'] },
    { name: 'audit_events_request_index', properties: ['requestId', 'at', 'id'] },
  ],
});
export type AuditEvent = InferEntity<typeof AuditEventEntity>;

/**
 * What may have been an attack: a failed login, a refused scope, a record of somebody else that was asked for. Kept apart from the audit,
 * which nobody can delete: these are deleted after ninety days. Equal ones of a minute are one row.
 */
export const SecurityEventEntity = defineEntity({
  name: 'SecurityEvent',
  tableName: 'security_events',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    action: p.string().length(80).$type<SecurityAction>(),
    actorId: p.integer().strictNullable(),
    impersonatedUserId: p.integer().strictNullable(),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    ip: p.string().length(64).strictNullable(),
    /** Of the first of them, as `at` and `data` are. */
    requestId: p.string().length(64),
    at: p.datetime(),
    count: p.integer(),
    data: p.json<Record<string, unknown>>(),
    /** Of the minute, the action, the address and the account: whichever process met the others of them, they find the row. */
    fingerprint: p.string().length(64),
  },
  uniques: [{ name: 'security_events_fingerprint_unique', properties: ['fingerprint'] }],
  // As those of the audit; that of `at` is the sweeper's too.
  indexes: [
    { name: 'security_events_at_index', properties: ['at', 'id'] },
    { name: 'security_events_action_index', properties: ['action', 'at', 'id'] },
    { name: 'security_events_subject_index', properties: ['subjectKind', 'subjectId', 'at', 'id'] },
    { name: 'security_events_kind_index', properties: ['subjectKind', 'at', 'id'] },
    { name: 'security_events_actor_index', properties: ['actorId', 'at', 'id'] },
    { name: 'security_events_request_index', properties: ['requestId', 'at', 'id'] },
  ],
});
