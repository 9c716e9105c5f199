import { type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

export const ownershipRecords: readonly PersonalRecord[] = [
  personal(
    'ownership_transfers',
    'transfer',
    { column: 'profileId', of: personalProfiles },
    { fromUserId: 'technical', toUserId: 'technical', actorId: 'technical', reason: 'technical', moved: 'fact' },
    { keptFor: 'audit', columns: { reason: 'withheld' } },
  ),
];
