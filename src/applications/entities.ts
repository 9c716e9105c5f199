import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { UserEntity } from '../accounts/entities.ts';
import { DisciplineEntity, ServiceEntity } from '../catalog/entities.ts';
import type { ServiceKind } from '../catalog/entities.ts';
import type { PriceLine } from '../catalog/price.ts';
import { DocumentEntity } from '../documents/entities.ts';
import { ProfileEntity } from '../profiles/entities.ts';
import type { ApplicationStatus } from './states.ts';

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
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    // The duplicate rule of service.md, decided here and not by a look first; a service without disciplines counts null as a value.
    {
      name: 'applications_active_unique',
      expression:
        'create unique index "applications_active_unique" on "applications" ("profile_id", "service_id", "discipline_id", "year") nulls not distinct where status not in (\'cancelled\', \'closed\')',
    },
  ],
  indexes: [
    { name: 'applications_owner_index', properties: ['ownerId', 'id'] },
    { name: 'applications_profile_index', properties: ['profileId'] },
    // For the administrators' queue and for the year's end.
    { name: 'applications_live_index', properties: ['year', 'status'], where: "status not in ('cancelled', 'closed')" },
  ],
  checks: [
    { name: 'applications_status_known', expression: "status in ('draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed')" },
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

/** What was printed: names and dates as they stood at issue. Later corrections of the profile do not change it (service.md "Administration"). */
export interface CertificateSnapshot {
  holderName: string;
  birthDate: string | null;
  citizenship: string | null;
  serviceTitle: { ru: string; kk: string; en: string };
  serviceCategory: string | null;
  disciplineTitle: { ru: string; kk: string; en: string } | null;
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
