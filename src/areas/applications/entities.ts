import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { LocalizedText } from '../../http/language.ts';
import { literalText } from '../../platform/database/literals.ts';
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
/** The same said the other way round, as the index of duplicates has it. */
const hasNotEnded = `status not in (${literalText(endedStatuses)})`;

/** What the applicant chose (service.md "Application" `data`). */
export interface ApplicationData {
  discipline_id?: number | undefined;
  team?: string | undefined;
  sport?: string | undefined;
  insurance_territory: 'KZ' | 'CIS';
}

/** A request for a service, from draft to issue to the end of its year (service.md "Application", decisions.md §4). */
export const ApplicationEntity = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    id: p.integer().primary().autoincrement(),
    ownerId: () => p.manyToOne(UserEntity).mapToPk().fieldName('owner_id').foreignKeyName('applications_owner_fk'),
    profileId: () => p.manyToOne(ProfileEntity).mapToPk().fieldName('profile_id').foreignKeyName('applications_profile_fk'),
    serviceId: () => p.manyToOne(ServiceEntity).mapToPk().fieldName('service_id').foreignKeyName('applications_service_fk'),
    disciplineId: () =>
      p.manyToOne(DisciplineEntity).mapToPk().fieldName('discipline_id').strictNullable().foreignKeyName('applications_discipline_fk'),
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
    // Since when documents behind an issued certificate have been replaced without being submitted: not in force until they are.
    resubmissionDueSince: p.datetime().strictNullable(),
    approvedAt: p.datetime().strictNullable(),
    cancelledAt: p.datetime().strictNullable(),
    closedAt: p.datetime().strictNullable(),
    // When its process must look at it next by itself; what is in the past is found by the sweeper.
    dueAt: p.datetime().strictNullable(),
    // When its owner is reminded next of the certificate's last day; null when no reminder is left, or it does not live.
    remindAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    // The duplicate rule of service.md, decided here and not by reading first; a service without disciplines counts null as a value. Of
    // fees there is one for each event, which its row decides.
    {
      name: 'applications_active_unique',
      expression: `create unique index "applications_active_unique" on "applications" ("profile_id", "service_id", "discipline_id", "year") nulls not distinct where ${hasNotEnded} and kind <> 'event_fee'`,
    },
  ],
  indexes: [
    { name: 'applications_owner_index', properties: ['ownerId', 'id'] },
    { name: 'applications_profile_index', properties: ['profileId'] },
    // Those that have a process, in slices by their id.
    { name: 'applications_live_index', properties: ['id'], where: isLiving },
    // For the sweeper: the earliest first, behind the one before.
    { name: 'applications_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    // For the administrators' queue: a national certificate is approved by itself.
    { name: 'applications_queue_index', properties: ['submittedAt'], where: "status = 'submitted' and kind <> 'national_certificate'" },
    { name: 'applications_returned_index', properties: ['submittedAt'], where: "status = 'changes' and kind <> 'national_certificate'" },
  ],
  checks: [
    { name: 'applications_status_known', expression: `status in (${literalText(applicationStatuses)})` },
    { name: 'applications_amount_not_negative', expression: 'amount_minor >= 0' },
    {
      name: 'applications_paid_has_transaction',
      expression: 'paid = (payment_transaction_id is not null) and paid = (paid_at is not null)',
    },
    // Only what was issued can be corrected, and submission settles it.
    {
      name: 'applications_resubmission_of_issued',
      expression: "resubmission_due_since is null or (approved_at is not null and status not in ('draft', 'submitted'))",
    },
  ],
});
export type Application = InferEntity<typeof ApplicationEntity>;

export const ApplicationDocumentEntity = defineEntity({
  name: 'ApplicationDocument',
  tableName: 'application_documents',
  primaryKeys: ['applicationId', 'documentId'],
  properties: {
    applicationId: () =>
      p.manyToOne(ApplicationEntity).mapToPk().primary().fieldName('application_id').foreignKeyName('application_documents_application_fk'),
    documentId: () =>
      p.manyToOne(DocumentEntity).mapToPk().primary().fieldName('document_id').foreignKeyName('application_documents_document_fk'),
  },
  // "Which applications does this document stand behind": on expiry, on correction, on deletion.
  indexes: [{ name: 'application_documents_document_index', properties: ['documentId'] }],
});
export type ApplicationDocument = InferEntity<typeof ApplicationDocumentEntity>;

/**
 * What an application was from an instant on: a row for each step, written by the step's own transaction and never changed. The day
 * that `GET /verify/{token}?on=` asks for, the timeline and support are told from it. How the documents and the profile behind it
 * stood is kept apart (`ReviewStandingEntity`): they change without it.
 */
export const ApplicationHistoryEntity = defineEntity({
  name: 'ApplicationHistory',
  tableName: 'application_history',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    // No foreign key: a draft may be deleted with its profile, what happened to it stays.
    applicationId: p.integer(),
    at: p.datetime(),
    step: p.string().length(40).$type<ApplicationStep>(),
    actor: p.string().length(20).$type<StepActor>(),
    actorId: p.integer().strictNullable(),
    impersonatedUserId: p.integer().strictNullable(),
    requestId: p.string().length(64),
    // How the application stood after the step.
    revision: p.integer(),
    status: p.string().length(20).$type<ApplicationStatus>(),
    isSettled: p.boolean(),
    isResubmissionDue: p.boolean(),
    documentIds: p.array().columnType('int[]').$type<number[]>(),
    // What the step was about, tiyn: a price, a payment, a refund.
    amountMinor: p.bigint('number').strictNullable(),
  },
  // The last row before an instant, and all rows in order.
  indexes: [{ name: 'application_history_application_index', properties: ['applicationId', 'id'] }],
});
export type ApplicationHistory = InferEntity<typeof ApplicationHistoryEntity>;

/** The names of a person, apart. */
export interface HolderNames {
  last: string;
  first: string;
  middle: string | null;
}

/** What was printed: names and dates as they stood at issue. Later corrections of the profile do not change it (service.md "Administration"). */
export interface CertificateSnapshot {
  holderName: string;
  /** The same apart; null for an organizer, absent from what was issued before they were kept. */
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

/** The issued certificate or licence: written once at approval, in the transaction that takes its number. */
export const CertificateEntity = defineEntity({
  name: 'Certificate',
  tableName: 'certificates',
  properties: {
    applicationId: () =>
      p.manyToOne(ApplicationEntity).mapToPk().primary().fieldName('application_id').foreignKeyName('certificates_application_fk'),
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
    // The public verification reads by this index alone.
    { name: 'certificates_token_unique', properties: ['token'] },
  ],
});
export type Certificate = InferEntity<typeof CertificateEntity>;

/** The last number given out in a series and year. The row lock of its UPDATE makes numbers gapless (decisions.md §4). */
export const NumberSeriesEntity = defineEntity({
  name: 'NumberSeries',
  tableName: 'number_series',
  primaryKeys: ['series', 'year'],
  properties: { series: p.string().length(10).primary(), year: p.integer().primary(), last: p.integer() },
});
