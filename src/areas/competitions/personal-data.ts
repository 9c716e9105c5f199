import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { profileRecord } from '../profiles/index.ts';

export const eventRecord = personal(
  'events',
  'event',
  { column: 'profileId', of: profileRecord },
  {
    serviceId: 'fact',
    disciplineId: 'fact',
    location: 'personal',
    startsAt: 'fact',
    endsAt: 'fact',
    reserveAt: 'fact',
    agreementFlow: 'fact',
    feeApplicationId: 'fact',
    agreementTerms: 'personal',
    agreementScanAt: 'fact',
    publishedAt: 'fact',
    completedAt: 'fact',
    cancelledAt: 'fact',
    cancelReason: 'personal',
  },
);

export const competitionsRecords: readonly PersonalRecord[] = [
  eventRecord,
  personal('event_stages', 'event_stage', { column: 'eventId', of: eventRecord }, { stage: 'fact', remindedAt: 'technical' }),
  personal(
    'registration_settings',
    'registration_settings',
    { column: 'eventId', of: eventRecord },
    {
      opensAt: 'fact',
      closesAt: 'fact',
      classes: 'fact',
      crew: 'fact',
      vehicleFields: 'fact',
      columns: 'fact',
      openedAt: 'fact',
      submissionsToldAt: 'technical',
      hasUntoldSubmissions: 'technical',
    },
  ),
  personal('additional_documents', 'additional_document', { column: 'eventId', of: eventRecord }, {}),
  personal(
    'participants',
    'participant',
    { column: 'profileId', of: profileRecord },
    { certificateNumber: 'fact', category: 'fact', startNumber: 'fact', resultStatus: 'fact', place: 'fact', result: 'personal' },
  ),
];

export const competitionsImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('calendar_entries', 'dates and words of events that everybody reads'),
];
