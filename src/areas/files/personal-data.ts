import { sql } from 'kysely';
import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

const personalFiles = personal(
  'files',
  'file',
  { account: 'ownerId' },
  {
    purpose: 'fact',
    mime: 'fact',
    size: 'fact',
    sha256: 'fact',
    width: 'fact',
    height: 'fact',
    pages: 'fact',
    storageKey: 'file',
    deletedAt: 'fact',
    purgedAt: 'fact',
  },
  { keptFor: 'numbers', columns: { name: sql`'erased'`, storageKey: 'stays' } },
);

export const filesRecords: readonly PersonalRecord[] = [personalFiles];
