import { personal, type PersonalRecord } from '../../platform/personal-data.ts';

const personalImports = personal(
  'imports',
  'import',
  { account: 'ownerId' },
  {
    mode: 'fact',
    apiKeyId: 'fact',
    requestIp: 'personal',
    rowCount: 'fact',
    doneCount: 'fact',
    ignoredColumns: 'personal',
    finishedAt: 'fact',
  },
  'deleted',
);

export const importsRecords: readonly PersonalRecord[] = [
  personalImports,
  personal(
    'import_batches',
    'import_batch',
    { column: 'importId', of: personalImports },
    { importId: 'fact', position: 'fact', rows: 'personal', outcome: 'personal' },
    'deleted',
  ),
];
