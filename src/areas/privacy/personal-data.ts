import { cleared, personal, type PersonalRecord } from '../../platform/personal-data.ts';

export const privacyRecords: readonly PersonalRecord[] = [
  personal(
    'account_exports',
    'account_export',
    { account: 'userId' },
    { requestIp: 'personal', requestedAt: 'fact', finishedAt: 'fact' },
    'deleted',
  ),
  personal(
    'account_erasures',
    'account_erasure',
    { account: 'id' },
    {
      requestIp: 'personal',
      requestedAt: 'fact',
      endsAt: 'fact',
      remindedAt: 'fact',
      blockedAt: 'fact',
      erasedAt: 'fact',
      purgedAt: 'technical',
    },
    { keptFor: 'audit', columns: { requestIp: cleared, reason: 'withheld' } },
  ),
];
