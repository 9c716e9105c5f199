import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

export const notificationsRecords: readonly PersonalRecord[] = [
  personal('notifications', 'notification', { account: 'userId' }, { facts: 'personal', readAt: 'fact' }),
  personal('notification_preferences', 'notification_preference', { account: 'userId' }, { mail: 'fact', bot: 'fact' }),
  personal('notification_deliveries', 'notification_delivery', { account: 'userId' }, 'technical'),
  personal('stream_events', 'stream_event', { account: 'userId' }, 'technical'),
  personal('streams', 'stream', { account: 'userId' }, 'technical'),
];
