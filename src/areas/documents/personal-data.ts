import { sql } from 'kysely';
import { cleared, type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

const personalDocuments = personal(
  'documents',
  'document',
  { column: 'profileId', of: personalProfiles },
  { number: 'personal', country: 'fact', issuedAt: 'fact', statusSince: 'technical', remindAt: 'technical' },
  {
    keptFor: 'certificates',
    columns: {
      number: cleared,
      reviewNote: 'withheld',
      // Leaves the queue of the federation.
      status: sql`case when status in ('pending', 'changes') then 'cancelled' else status end`,
    },
  },
);

export const documentsRecords: readonly PersonalRecord[] = [personalDocuments];
