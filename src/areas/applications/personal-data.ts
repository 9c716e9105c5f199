import { sql } from 'kysely';
import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

/** What a certificate says without its holder. */
const withoutHolder = sql`snapshot || '{"holderName": "name withheld", "holderNames": null, "birthDate": null, "citizenship": null, "team": null, "photoFileId": null}'::jsonb`;

export const personalApplications = personal(
  'applications',
  'application',
  { column: 'profileId', of: personalProfiles },
  {
    serviceId: 'fact',
    disciplineId: 'fact',
    data: 'personal',
    insuranceCoverageMinor: 'fact',
    breakdown: 'fact',
    paid: 'fact',
    paidAt: 'fact',
    paymentTransactionId: 'fact',
    refundTransactionId: 'fact',
    sharingEnabled: 'fact',
    sharingConfirmedAt: 'fact',
    revision: 'fact',
    resubmissionDueSince: 'fact',
    approvedAt: 'fact',
    cancelledAt: 'fact',
    remindAt: 'technical',
  },
  { keptFor: 'money', columns: { data: sql`data - '{team,sport}'::text[]`, reviewNote: 'withheld' } },
);

export const applicationsRecords: readonly PersonalRecord[] = [
  personalApplications,
  personal(
    'application_documents',
    'attached_document',
    { column: 'applicationId', of: personalApplications },
    {},
    { keptFor: 'certificates', columns: {} },
  ),
  personal(
    'application_history',
    'application_step',
    { column: 'applicationId', of: personalApplications },
    {
      step: 'fact',
      actor: 'fact',
      actorId: 'technical',
      impersonatedUserId: 'technical',
      revision: 'fact',
      isSettled: 'fact',
      isResubmissionDue: 'fact',
      documentIds: 'fact',
    },
    { keptFor: 'certificates', columns: {} },
  ),
  personal(
    'certificates',
    'certificate',
    { column: 'applicationId', of: personalApplications },
    {
      series: 'fact',
      sequence: 'fact',
      token: 'personal',
      validFrom: 'fact',
      validUntil: 'fact',
      snapshot: 'personal',
      issuedAt: 'fact',
      pdfStorageKey: 'file',
      pdfSha256: 'fact',
      pdfSize: 'fact',
      pdfMadeAt: 'fact',
    },
    { keptFor: 'certificates', columns: { token: 'stays', snapshot: withoutHolder, pdfStorageKey: 'stays' } },
  ),
  personal(
    'credentials',
    'credential',
    { column: 'applicationId', of: personalApplications },
    { listId: 'fact', place: 'fact', credential: 'fact', signedAt: 'fact' },
    { keptFor: 'certificates', columns: {} },
  ),
];

export const applicationsImpersonalRecords: readonly ImpersonalRecord[] = [impersonal('number_series', 'the last numbers')];
