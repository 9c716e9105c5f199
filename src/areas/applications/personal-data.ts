import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

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
);

export const applicationsRecords: readonly PersonalRecord[] = [
  personalApplications,
  personal('application_documents', 'attached_document', { column: 'applicationId', of: personalApplications }, {}),
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
  ),
  personal(
    'credentials',
    'credential',
    { column: 'applicationId', of: personalApplications },
    { listId: 'fact', place: 'fact', credential: 'fact', signedAt: 'fact' },
  ),
];

export const applicationsImpersonalRecords: readonly ImpersonalRecord[] = [impersonal('number_series', 'the last numbers')];
