import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

const personalConversations = personal(
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
  'deleted',
);

export const messagesRecords: readonly PersonalRecord[] = [
  personalConversations,
  personal(
    'messages',
    'message',
    { column: 'conversationId', of: personalConversations },
    { conversationId: 'fact', side: 'fact', authorId: 'fact', clientKey: 'technical', readAt: 'fact' },
    'deleted',
  ),
];
