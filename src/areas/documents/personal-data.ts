import { type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { profileRecord } from '../profiles/index.ts';

export const documentRecord = personal(
  'documents',
  'document',
  { column: 'profileId', of: profileRecord },
  { number: 'personal', country: 'fact', issuedAt: 'fact', statusSince: 'technical', remindAt: 'technical' },
);

export const documentsRecords: readonly PersonalRecord[] = [documentRecord];
