import { personal, type PersonalRecord } from '../../platform/personal-data.ts';

export const privacyRecords: readonly PersonalRecord[] = [
  personal(
    'account_exports',
    'account_export',
    { account: 'userId' },
    { requestIp: 'personal', requestedAt: 'fact', finishedAt: 'fact' },
    'deleted',
  ),
];
