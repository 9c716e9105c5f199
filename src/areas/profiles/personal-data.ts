import { sql } from 'kysely';
import { cleared, emptied, nameWithheld, type PersonalRecord, personal } from '../../platform/personal-data.ts';

export const personalProfiles = personal(
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
  {
    keptFor: 'certificates',
    columns: {
      name: nameWithheld,
      data: emptied,
      iin: cleared,
      reviewNote: 'withheld',
      photoReviewNote: 'withheld',
      // Leaves the queue of the federation.
      status: sql`case when status in ('pending', 'changes') then 'draft' else status end`,
      photoStatus: sql`case when photo_status in ('pending', 'changes') then 'draft' else photo_status end`,
    },
  },
);

export const profilesRecords: readonly PersonalRecord[] = [
  personalProfiles,
  personal(
    'archived_vehicles',
    'archived_vehicle',
    { column: 'profileId', of: personalProfiles },
    { data: 'personal', archivedAt: 'fact' },
    'deleted',
  ),
];
