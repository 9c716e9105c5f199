import { type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { profileRecord } from '../profiles/index.ts';

export const registrationRecord = personal(
  'registrations',
  'registration',
  { column: 'profileId', of: profileRecord },
  { class: 'fact', vehicle: 'personal', startNumber: 'fact', ineligibleSince: 'fact' },
);

export const registrationsRecords: readonly PersonalRecord[] = [
  registrationRecord,
  personal('registration_licences', 'registration_licence', { column: 'registrationId', of: registrationRecord }, {}),
  personal(
    'registration_documents',
    'registration_document',
    { column: 'registrationId', of: registrationRecord },
    { isAttached: 'fact', number: 'personal' },
  ),
  personal('registration_crew', 'crew_member', { column: 'registrationId', of: registrationRecord }, { memberId: 'fact', role: 'fact' }),
  personal(
    'registration_history',
    'registration_step',
    { column: 'registrationId', of: registrationRecord },
    { actor: 'fact', actorId: 'technical', startNumber: 'fact' },
  ),
];
