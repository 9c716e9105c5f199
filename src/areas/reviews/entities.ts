import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { UserEntity } from '../accounts/index.ts';

/** Every decision of an administrator on a record (`reviewables`), never changed (service.md: "decision history is kept"). */
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
    actorId: () => p.manyToOne(UserEntity).mapToPk().fieldName('actor_id').foreignKeyName('review_decisions_actor_fk'),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'review_decisions_subject_index', properties: ['subjectKind', 'subjectId', 'id'] }],
});
export type ReviewDecision = InferEntity<typeof ReviewDecisionEntity>;
export type Decision = 'approve' | 'changes' | 'cancel';

/**
 * How something that is reviewed stood from an instant on: a document, the data of a profile (`profile`), its photo. Written by the
 * database itself with every row that is made or changed (triggers of the migration `application_history`), so no command can forget
 * it; never changed. Together with `application_history` it says whether a certificate was in force on a past day.
 */
export const ReviewStandingEntity = defineEntity({
  name: 'ReviewStanding',
  tableName: 'review_standings',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    subjectKind: p.string().length(20).$type<'document' | 'profile' | 'photo'>(),
    // No foreign key: an unused document may be deleted with its profile.
    subjectId: p.integer(),
    // When the row of the subject was changed, by the clock of the registry.
    at: p.datetime(),
    status: p.string().length(20),
    hasNote: p.boolean(),
    // The last valid day of a document.
    expiresAt: p.date().strictNullable(),
    // Whether there is a photo.
    isPresent: p.boolean(),
  },
  // The last row before an instant.
  indexes: [{ name: 'review_standings_subject_index', properties: ['subjectKind', 'subjectId', 'id'] }],
});
export type ReviewStanding = InferEntity<typeof ReviewStandingEntity>;

/** Something that a person of the federation must look at: money that came late, a response of the bank that does not fit, a mail that was set aside. */
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
    resolvedBy: () => p.manyToOne(UserEntity).mapToPk().fieldName('resolved_by').strictNullable().foreignKeyName('incidents_resolver_fk'),
    /** How it was settled, in words. */
    resolution: p.text().strictNullable(),
    /** The movement of money that settled it; the ledger stands in an area above, so there is no foreign key. */
    transactionId: p.integer().strictNullable(),
  },
  uniques: [{ name: 'incidents_once', properties: ['kind', 'subjectKind', 'subjectId'] }],
  indexes: [
    { name: 'incidents_queue_index', properties: ['at'], where: 'resolved_at is null' },
    // What a movement of money has settled.
    { name: 'incidents_transaction_index', properties: ['transactionId'], where: 'transaction_id is not null' },
  ],
});
export type Incident = InferEntity<typeof IncidentEntity>;
export type IncidentKind = 'bank_mismatch' | 'late_payment' | 'mail_undeliverable';
