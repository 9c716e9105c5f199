import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

const conversationRecord = personal(
  'conversations',
  'conversation',
  { account: ['athleteId', 'organizerId'] },
  {
    athleteId: 'fact',
    organizerId: 'fact',
    messageCount: 'fact',
    athleteUnread: 'technical',
    counterpartUnread: 'technical',
    lastMessageId: 'fact',
    lastMessageAt: 'fact',
  },
);

export const messagesRecords: readonly PersonalRecord[] = [
  conversationRecord,
  personal(
    'messages',
    'message',
    { column: 'conversationId', of: conversationRecord },
    { conversationId: 'fact', side: 'fact', authorId: 'fact', clientKey: 'technical', readAt: 'fact' },
  ),
];
