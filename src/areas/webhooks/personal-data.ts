import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

const personalWebhooks = personal(
  'webhooks',
  'webhook',
  { account: 'userId' },
  {
    disabledBy: 'fact',
    keyId: 'fact',
    url: 'personal',
    types: 'fact',
    description: 'personal',
    seesAll: 'fact',
    secret: 'secret',
    formerSecret: 'secret',
    formerUntil: 'technical',
    place: 'technical',
    changeId: 'technical',
    positionAt: 'technical',
    nextTryAt: 'technical',
    failingSince: 'fact',
    failedInRow: 'technical',
    restsUntil: 'technical',
    lastTriedAt: 'fact',
    lastStatus: 'fact',
    lastProblem: 'fact',
  },
);

export const webhooksRecords: readonly PersonalRecord[] = [
  personalWebhooks,
  personal(
    'webhook_deliveries',
    'webhook_delivery',
    { column: 'webhookId', of: personalWebhooks },
    {
      webhookId: 'fact',
      state: 'fact',
      messageId: 'fact',
      subject: 'fact',
      body: 'personal',
      isTest: 'fact',
      isOwn: 'fact',
      tries: 'fact',
      nextTryAt: 'technical',
      triedAt: 'fact',
      problem: 'fact',
      durationMs: 'fact',
      answer: 'personal',
    },
  ),
  personal('webhook_subjects', 'webhook_subject', { column: 'webhookId', of: personalWebhooks }, 'technical'),
];
