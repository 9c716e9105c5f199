import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';

export const messagingBotRecords: readonly PersonalRecord[] = [
  personal(
    'bot_links',
    'bot_link',
    { account: 'userId' },
    { state: 'fact', chatId: 'personal', connectedAt: 'fact', updateId: 'technical' },
    'deleted',
  ),
];

export const messagingBotImpersonalRecords: readonly ImpersonalRecord[] = [impersonal('bot_updates', 'numbers of the platform')];
