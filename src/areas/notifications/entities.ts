import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import type { NotificationFacts } from './facts.ts';

/** A notification of an account, written in the transaction of its fact (NOT-1). Its text is made at reading (NOT-2). */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'notifications_user_fk'),
    type: p.string().length(60),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    facts: p.json<NotificationFacts>().defaultRaw(`'{}'`),
    // Only set in rows older than texts made at reading; null in all others.
    title: p.string().length(200).strictNullable(),
    text: p.text().strictNullable(),
    createdAt: p.datetime(),
    readAt: p.datetime().strictNullable(),
  },
  indexes: [
    { name: 'notifications_user_index', properties: ['userId', 'id'] },
    // For the counter and the list of unread notifications.
    { name: 'notifications_unread_index', properties: ['userId', 'id'], where: 'read_at is null' },
  ],
});
export type Notification = InferEntity<typeof NotificationEntity>;

/** Whether an account wants mail and bot messages for a type; without a row: mail only (NOT-3). */
export const NotificationPreferenceEntity = defineEntity({
  name: 'NotificationPreference',
  tableName: 'notification_preferences',
  primaryKeys: ['userId', 'type'],
  properties: {
    userId: () => referenceTo(UserEntity, 'user_id', 'notification_preferences_user_fk').primary(),
    type: p.string().length(60).primary(),
    mail: p.boolean(),
    bot: p.boolean(),
  },
});
export type NotificationPreference = InferEntity<typeof NotificationPreferenceEntity>;

/** Channel by which a notification leaves the registry. */
export type DeliveryChannel = 'mail' | 'bot';

/**
 * A mail or bot message that waits to go out: written with its notification, deleted after sending (`delivery/deliver.ts`). The rows of an
 * account and channel form a line: the first one that is not deferred goes next.
 */
export const NotificationDeliveryEntity = defineEntity({
  name: 'NotificationDelivery',
  tableName: 'notification_deliveries',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    notificationId: () => referenceTo(NotificationEntity, 'notification_id', 'notification_deliveries_notification_fk'),
    userId: () => referenceTo(UserEntity, 'user_id', 'notification_deliveries_user_fk'),
    channel: p.string().length(10).$type<DeliveryChannel>(),
    createdAt: p.datetime(),
    // Of the command that caused it.
    requestId: p.string().length(64),
    // Failed attempts in a row because the channel was away.
    attempts: p.integer().default(0),
    // How often the mail server refused this mail for now. From the first one on, later mails go ahead of it.
    deferrals: p.integer().default(0),
    nextTryAt: p.datetime(),
    // The sender's lease, in real time: the row of a killed worker becomes free when it ends.
    leaseId: p.uuid().strictNullable(),
    leasedUntil: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'notification_deliveries_once', properties: ['notificationId', 'channel'] }],
  indexes: [
    // What waits for one account, in order.
    { name: 'notification_deliveries_line_index', properties: ['userId', 'channel', 'id'] },
    // For the senders: what is due, the earliest first.
    { name: 'notification_deliveries_due_index', properties: ['channel', 'nextTryAt', 'id'] },
    // For the gauges: the number and the age of what waits.
    { name: 'notification_deliveries_waiting_index', properties: ['channel', 'createdAt'] },
  ],
  checks: [{ name: 'notification_deliveries_channel_known', expression: "channel in ('mail', 'bot')" }],
});
export type NotificationDelivery = InferEntity<typeof NotificationDeliveryEntity>;

/**
 * An event of an account's live stream, in order (NOT-5). A trigger sets `sequence` at commit under a lock of the account, so that
 * a later commit has the greater number (`guards.sql`). Null until then, and not visible to readers.
 */
export const StreamEventEntity = defineEntity({
  name: 'StreamEvent',
  tableName: 'stream_events',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'stream_events_user_fk'),
    sequence: p.bigint('number').strictNullable(),
    kind: p.string().length(20).$type<StreamEventKind>(),
    // Of the notification or of the message.
    subjectId: p.bigint('number'),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'stream_events_sequence_unique', properties: ['userId', 'sequence'] }],
  indexes: [
    // Rows of the committing transaction, from its first one on: rows of others are not visible before they have numbers.
    { name: 'stream_events_unnumbered_index', properties: ['id'], where: 'sequence is null' },
    // For the sweeper, which deletes the oldest.
    { name: 'stream_events_created_index', properties: ['createdAt'] },
  ],
  checks: [{ name: 'stream_events_kind_known', expression: "kind in ('notification', 'message')" }],
});
export type StreamEventKind = 'notification' | 'message';

/** The lock under which an account's events get their numbers, with its first and last number. */
export const StreamEntity = defineEntity({
  name: 'Stream',
  tableName: 'streams',
  properties: {
    userId: () => referenceTo(UserEntity, 'user_id', 'streams_user_fk').primary().deleteRule('cascade'),
    firstSequence: p.bigint('number').default(0),
    lastSequence: p.bigint('number').default(0),
  },
});
export type Stream = InferEntity<typeof StreamEntity>;
