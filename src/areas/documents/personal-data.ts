import { cleared, type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { personalProfiles } from '../profiles/index.ts';

const personalDocuments = personal(
  'documents',
  'document',
  { column: 'profileId', of: personalProfiles },
  { number: 'personal', country: 'fact', issuedAt: 'fact', statusSince: 'technical', remindAt: 'technical' },
  { keptFor: 'certificates', columns: { number: cleared, reviewNote: 'withheld' } },
);

export const documentsRecords: readonly PersonalRecord[] = [personalDocuments];
