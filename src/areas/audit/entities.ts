import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { SecurityAction } from '../../platform/logging/security-log.ts';

/**
 * An audit row: actor, action and record. Append-only (AUD-1) and written in the transaction of the fact (AUD-2). `data` holds hashes and
 * field names, never personal data (AUD-3).
 */
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
  // One index for each filter of `GET /admin/audit`, in the order of the list, so that a query reads only the rows of its page and count.
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
 * A refusal that may be an attack, such as a failed login, a refused scope or a request for another account's record (AUD-5). Stored
 * apart from the audit, because these rows are deleted after ninety days (AUD-7).
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
    /** Of the first event of the row, like `at` and `data`. */
    requestId: p.string().length(64),
    at: p.datetime(),
    count: p.integer(),
    data: p.json<Record<string, unknown>>(),
    /** Hash of minute, action, address and account, so that all processes write equal events to one row. */
    fingerprint: p.string().length(64),
  },
  uniques: [{ name: 'security_events_fingerprint_unique', properties: ['fingerprint'] }],
  // The same filters as the audit; the sweeper reads the index of `at` too.
  indexes: [
    { name: 'security_events_at_index', properties: ['at', 'id'] },
    { name: 'security_events_action_index', properties: ['action', 'at', 'id'] },
    { name: 'security_events_subject_index', properties: ['subjectKind', 'subjectId', 'at', 'id'] },
    { name: 'security_events_kind_index', properties: ['subjectKind', 'at', 'id'] },
    { name: 'security_events_actor_index', properties: ['actorId', 'at', 'id'] },
    { name: 'security_events_request_index', properties: ['requestId', 'at', 'id'] },
  ],
});
