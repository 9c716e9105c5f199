import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

export const profileRecord = personal(
  'profiles',
  'profile',
  { account: 'ownerId' },
  {
    data: 'personal',
    iin: 'personal',
    photoId: 'fact',
    photoStatus: 'fact',
    photoReviewNote: 'personal',
    isCorrected: 'fact',
    isPhotoCorrected: 'fact',
    everApproved: 'fact',
    duplicateIin: 'technical',
    statusSince: 'technical',
    photoStatusSince: 'technical',
  },
);

export const profilesRecords: readonly PersonalRecord[] = [
  profileRecord,
  personal('archived_vehicles', 'archived_vehicle', { column: 'profileId', of: profileRecord }, { data: 'personal', archivedAt: 'fact' }),
];
