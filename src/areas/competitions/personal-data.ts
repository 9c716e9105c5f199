import { nameWithheld, type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

export const personalEvents = personal(
  'events',
  'event',
  { column: 'profileId', of: personalProfiles },
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
  { keptFor: 'results', columns: { title: 'stays', location: 'stays', agreementTerms: 'stays', cancelReason: 'withheld' } },
);

export const competitionsRecords: readonly PersonalRecord[] = [
  personalEvents,
  personal(
    'event_stages',
    'event_stage',
    { column: 'eventId', of: personalEvents },
    { stage: 'fact', remindedAt: 'technical' },
    { keptFor: 'results', columns: { reviewNote: 'withheld' } },
  ),
  personal(
    'registration_settings',
    'registration_settings',
    { column: 'eventId', of: personalEvents },
    {
      opensAt: 'fact',
      closesAt: 'fact',
      classes: 'fact',
      classLimits: 'fact',
      crew: 'fact',
      vehicleFields: 'fact',
      columns: 'fact',
      openedAt: 'fact',
      submissionsToldAt: 'technical',
      hasUntoldSubmissions: 'technical',
    },
    { keptFor: 'results', columns: {} },
  ),
  personal(
    'additional_documents',
    'additional_document',
    { column: 'eventId', of: personalEvents },
    {},
    { keptFor: 'results', columns: { title: 'stays', reviewNote: 'withheld' } },
  ),
  personal(
    'participants',
    'participant',
    { column: 'profileId', of: personalProfiles },
    { certificateNumber: 'fact', category: 'fact', startNumber: 'fact', resultStatus: 'fact', place: 'fact', result: 'personal' },
    { keptFor: 'results', columns: { name: nameWithheld, result: 'stays' } },
  ),
];

export const competitionsImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('calendar_entries', 'dates and words of events that everybody reads'),
];
