import { emptied, type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

const personalRegistrations = personal(
  'registrations',
  'registration',
  { column: 'profileId', of: personalProfiles },
  {
    class: 'fact',
    vehicle: 'personal',
    startNumber: 'fact',
    queuedAt: 'fact',
    offeredUntil: 'fact',
    hasMissedOffer: 'fact',
    ineligibleSince: 'fact',
  },
  { keptFor: 'results', columns: { vehicle: emptied, reason: 'withheld' } },
);

export const registrationsRecords: readonly PersonalRecord[] = [
  personalRegistrations,
  personal(
    'registration_licences',
    'registration_licence',
    { column: 'registrationId', of: personalRegistrations },
    {},
    { keptFor: 'results', columns: {} },
  ),
  personal(
    'registration_documents',
    'registration_document',
    { column: 'registrationId', of: personalRegistrations },
    { isAttached: 'fact', number: 'personal' },
    'deleted',
  ),
  personal(
    'registration_crew',
    'crew_member',
    { column: 'registrationId', of: personalRegistrations },
    { memberId: 'fact', role: 'fact' },
    { keptFor: 'results', columns: {} },
  ),
  personal(
    'registration_history',
    'registration_step',
    { column: 'registrationId', of: personalRegistrations },
    { actor: 'fact', actorId: 'technical', startNumber: 'fact' },
    { keptFor: 'results', columns: { reason: 'withheld' } },
  ),
];
