import { type PersonalRecord, personal } from '../../platform/personal-data.ts';

export const notificationsRecords: readonly PersonalRecord[] = [
  personal('notifications', 'notification', { account: 'userId' }, { facts: 'personal', readAt: 'fact' }, 'deleted'),
  personal('notification_preferences', 'notification_preference', { account: 'userId' }, { mail: 'fact', bot: 'fact' }, 'deleted'),
  personal('notification_deliveries', 'notification_delivery', { account: 'userId' }, 'technical', 'deleted'),
  personal('stream_events', 'stream_event', { account: 'userId' }, 'technical', 'deleted'),
  personal('streams', 'stream', { account: 'userId' }, 'technical', 'deleted'),
];
