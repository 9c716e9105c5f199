import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';

/** A decision of an administrator on a record (`reviewables`); append-only (REV-2). Timelines show it (ADM-5). */
export const ReviewDecisionEntity = defineEntity({
  name: 'ReviewDecision',
  tableName: 'review_decisions',
  properties: {
    id: p.integer().primary().autoincrement(),
    subjectKind: p.string().length(40),
    subjectId: p.integer(),
    decision: p.string().length(20).$type<Decision>(),
    note: p.text().strictNullable(),
    fromStatus: p.string().length(20),
    toStatus: p.string().length(20),
    actorId: () => referenceTo(UserEntity, 'actor_id', 'review_decisions_actor_fk'),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'review_decisions_subject_index', properties: ['subjectKind', 'subjectId', 'id'] }],
});
export type ReviewDecision = InferEntity<typeof ReviewDecisionEntity>;
export type Decision = 'approve' | 'changes' | 'cancel';

/**
 * Review status of a document, of a profile's data (`profile`) or of its photo from an instant on; append-only. Triggers
 * (`guards.sql`) write it with each change, so no command can forget it. With `application_history` it shows whether a
 * certificate was in force on a past day.
 */
export const ReviewStandingEntity = defineEntity({
  name: 'ReviewStanding',
  tableName: 'review_standings',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    subjectKind: p.string().length(20).$type<'document' | 'profile' | 'photo'>(),
    // No foreign key: an unused document may be deleted with its profile.
    subjectId: p.integer(),
    // When the subject was changed, by the registry's clock.
    at: p.datetime(),
    status: p.string().length(20),
    hasNote: p.boolean(),
    // The last valid day of a document.
    expiresAt: p.date().strictNullable(),
    // Whether there is a photo.
    isPresent: p.boolean(),
  },
  // To find the last row before an instant.
  indexes: [{ name: 'review_standings_subject_index', properties: ['subjectKind', 'subjectId', 'id'] }],
});

/** A problem that an administrator must resolve (REV-4): a late payment, a bank answer that does not match, an undeliverable mail. */
export const IncidentEntity = defineEntity({
  name: 'Incident',
  tableName: 'incidents',
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.string().length(60).$type<IncidentKind>(),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    details: p.json<Record<string, unknown>>(),
    at: p.datetime(),
    resolvedAt: p.datetime().strictNullable(),
    resolvedBy: () => referenceTo(UserEntity, 'resolved_by', 'incidents_resolver_fk').strictNullable(),
    /** How the incident was resolved. */
    resolution: p.text().strictNullable(),
    /** The ledger transaction that resolved it. No foreign key, because the ledger belongs to an area that depends on this one. */
    transactionId: p.integer().strictNullable(),
  },
  uniques: [{ name: 'incidents_once', properties: ['kind', 'subjectKind', 'subjectId'] }],
  indexes: [
    { name: 'incidents_queue_index', properties: ['at'], where: 'resolved_at is null' },
    // To find the incidents that a ledger transaction resolved.
    { name: 'incidents_transaction_index', properties: ['transactionId'], where: 'transaction_id is not null' },
  ],
});
export type Incident = InferEntity<typeof IncidentEntity>;
export type IncidentKind = 'bank_mismatch' | 'late_payment' | 'mail_undeliverable';
