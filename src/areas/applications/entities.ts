import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { LocalizedText } from '../../http/language.ts';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { DisciplineEntity, type PriceLine, ServiceEntity, type ServiceKind } from '../catalog/index.ts';
import { DocumentEntity } from '../documents/index.ts';
import { ProfileEntity } from '../profiles/index.ts';
import {
  type ApplicationStatus,
  applicationStatuses,
  type ApplicationStep,
  endedStatuses,
  livingStatuses,
  type StepActor,
} from './states.ts';

const isLiving = `status in (${literalText(livingStatuses)})`;
/** The complement, in the form that the index of duplicates uses. */
const hasNotEnded = `status not in (${literalText(endedStatuses)})`;

/** The applicant's choices. */
export interface ApplicationData {
  discipline_id?: number | undefined;
  team?: string | undefined;
  sport?: string | undefined;
  insurance_territory: 'KZ' | 'CIS';
}

/** An application for a service, from draft to the end of its year. */
export const ApplicationEntity = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    id: p.integer().primary().autoincrement(),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'applications_owner_fk'),
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'applications_profile_fk'),
    serviceId: () => referenceTo(ServiceEntity, 'service_id', 'applications_service_fk'),
    disciplineId: () => referenceTo(DisciplineEntity, 'discipline_id', 'applications_discipline_fk').strictNullable(),
    kind: p.string().length(40).$type<ServiceKind>(),
    year: p.integer(),
    data: p.json<ApplicationData>(),
    status: p.string().length(20).$type<ApplicationStatus>().default('draft'),
    amountMinor: p.bigint('number'),
    insuranceCoverageMinor: p.bigint('number').strictNullable(),
    breakdown: p.json<PriceLine[]>(),
    paid: p.boolean().default(false),
    paidAt: p.datetime().strictNullable(),
    paymentTransactionId: p.integer().strictNullable(),
    refundTransactionId: p.integer().strictNullable(),
    reviewNote: p.text().strictNullable(),
    sharingEnabled: p.boolean().default(false),
    sharingConfirmedAt: p.datetime().strictNullable(),
    revision: p.integer().default(1),
    submittedAt: p.datetime().strictNullable(),
    // Since when replaced documents behind an issued certificate wait for submission; the certificate is not valid until then (APP-10).
    resubmissionDueSince: p.datetime().strictNullable(),
    approvedAt: p.datetime().strictNullable(),
    cancelledAt: p.datetime().strictNullable(),
    closedAt: p.datetime().strictNullable(),
    // When the process must look at the row next; the sweeper finds rows in the past.
    dueAt: p.datetime().strictNullable(),
    // When the next reminder of the certificate's last day is due; null when none is left or the application has ended (APP-16).
    remindAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    // APP-1. The index refuses duplicates, because a read before the insert would race. A null discipline counts as a value.
    // Fees are excluded: the row of the event allows one each.
    {
      name: 'applications_active_unique',
      expression: `create unique index "applications_active_unique" on "applications" ("profile_id", "service_id", "discipline_id", "year") nulls not distinct where ${hasNotEnded} and kind <> 'event_fee'`,
    },
  ],
  indexes: [
    { name: 'applications_owner_index', properties: ['ownerId', 'id'] },
    { name: 'applications_profile_index', properties: ['profileId'] },
    // Applications with a process, paged by id.
    { name: 'applications_live_index', properties: ['id'], where: isLiving },
    // For the sweeper: keyset pages, earliest first.
    { name: 'applications_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    // For the administrators' queue; a national certificate needs no decision (APP-5).
    {
      name: 'applications_queue_index',
      expression: `create index "applications_queue_index" on "applications" (greatest("submitted_at", "paid_at", "created_at"), "id") where status = 'submitted' and kind <> 'national_certificate'`,
    },
    { name: 'applications_returned_index', properties: ['submittedAt'], where: "status = 'changes' and kind <> 'national_certificate'" },
  ],
  checks: [
    { name: 'applications_status_known', expression: `status in (${literalText(applicationStatuses)})` },
    { name: 'applications_amount_not_negative', expression: 'amount_minor >= 0' },
    {
      name: 'applications_paid_has_transaction',
      expression: 'paid = (payment_transaction_id is not null) and paid = (paid_at is not null)',
    },
    // Only an issued application waits for resubmission, and submitting clears it (APP-10).
    {
      name: 'applications_resubmission_of_issued',
      expression: "resubmission_due_since is null or (approved_at is not null and status <> 'draft' and status <> 'submitted')",
    },
  ],
});
export type Application = InferEntity<typeof ApplicationEntity>;

export const ApplicationDocumentEntity = defineEntity({
  name: 'ApplicationDocument',
  tableName: 'application_documents',
  primaryKeys: ['applicationId', 'documentId'],
  properties: {
    applicationId: () => referenceTo(ApplicationEntity, 'application_id', 'application_documents_application_fk').primary(),
    documentId: () => referenceTo(DocumentEntity, 'document_id', 'application_documents_document_fk').primary(),
  },
  // Finds the applications of a document on expiry, correction and deletion.
  indexes: [{ name: 'application_documents_document_index', properties: ['documentId'] }],
});

/**
 * The history of an application: one row for each step, written in the step's transaction and never changed (APP-18).
 *
 * `GET /verify/{token}?on=`, the timeline and support read it. `ReviewStandingEntity` stores the history of documents and profile,
 * because they change independently.
 */
export const ApplicationHistoryEntity = defineEntity({
  name: 'ApplicationHistory',
  tableName: 'application_history',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    // No foreign key: the history stays when a draft is deleted with its profile.
    applicationId: p.integer(),
    at: p.datetime(),
    step: p.string().length(40).$type<ApplicationStep>(),
    actor: p.string().length(20).$type<StepActor>(),
    actorId: p.integer().strictNullable(),
    impersonatedUserId: p.integer().strictNullable(),
    requestId: p.string().length(64),
    // State of the application after the step.
    revision: p.integer(),
    status: p.string().length(20).$type<ApplicationStatus>(),
    isSettled: p.boolean(),
    isResubmissionDue: p.boolean(),
    documentIds: p.array().columnType('int[]').$type<number[]>(),
    // Price, payment or refund of the step, tiyn.
    amountMinor: p.bigint('number').strictNullable(),
  },
  // Reads the last row before an instant, and all rows in order.
  indexes: [{ name: 'application_history_application_index', properties: ['applicationId', 'id'] }],
});
export type ApplicationHistory = InferEntity<typeof ApplicationHistoryEntity>;

/** The separate names of a person. */
export interface HolderNames {
  last: string;
  /** Null for a person who has only one name. */
  first: string | null;
  middle: string | null;
}

/** Printed data as of the issue; later corrections of the profile do not change it (APP-14). */
export interface CertificateSnapshot {
  holderName: string;
  /** Null for an organizer; absent in old certificates, which have only `holderName`. */
  holderNames?: HolderNames | null;
  birthDate: string | null;
  citizenship: string | null;
  serviceTitle: LocalizedText;
  serviceCategory: string | null;
  disciplineTitle: LocalizedText | null;
  team: string | null;
  sport: string | null;
  insuranceTerritory: 'KZ' | 'CIS' | null;
  insuranceCoverageMinor: number | null;
  photoFileId: string | null;
}

/** An issued certificate or licence, written once by the transaction that takes its number (APP-7). */
export const CertificateEntity = defineEntity({
  name: 'Certificate',
  tableName: 'certificates',
  properties: {
    applicationId: () => referenceTo(ApplicationEntity, 'application_id', 'certificates_application_fk').primary(),
    number: p.string().length(40),
    series: p.string().length(10),
    year: p.integer(),
    sequence: p.integer(),
    token: p.string().length(43),
    validFrom: p.date(),
    validUntil: p.date(),
    snapshot: p.json<CertificateSnapshot>(),
    issuedAt: p.datetime(),
    pdfStorageKey: p.string().length(200).strictNullable(),
    pdfSha256: p.string().length(64).strictNullable(),
    pdfSize: p.integer().strictNullable(),
    pdfMadeAt: p.datetime().strictNullable(),
  },
  uniques: [
    { name: 'certificates_number_unique', properties: ['number'] },
    { name: 'certificates_sequence_unique', properties: ['series', 'year', 'sequence'] },
    // The public verification finds a certificate by this index.
    { name: 'certificates_token_unique', properties: ['token'] },
  ],
});
export type Certificate = InferEntity<typeof CertificateEntity>;

/** The last number of a series and year. The row lock of the UPDATE makes numbers gapless (APP-7). */
export const NumberSeriesEntity = defineEntity({
  name: 'NumberSeries',
  tableName: 'number_series',
  primaryKeys: ['series', 'year'],
  properties: { series: p.string().length(10).primary(), year: p.integer().primary(), last: p.integer() },
});
