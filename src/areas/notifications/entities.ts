import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { UserEntity } from '../accounts/index.ts';
import type { NotificationFacts } from './facts.ts';

/** A notification of an account, written in the transaction of its fact (NOT-1). Its text is made at reading (NOT-2). */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => p.manyToOne(UserEntity).mapToPk().fieldName('user_id').foreignKeyName('notifications_user_fk'),
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
    userId: () => p.manyToOne(UserEntity).mapToPk().primary().fieldName('user_id').foreignKeyName('notification_preferences_user_fk'),
    type: p.string().length(60).primary(),
    mail: p.boolean(),
    bot: p.boolean(),
  },
});
export type NotificationPreference = InferEntity<typeof NotificationPreferenceEntity>;

/** Channel by which a notification leaves the registry. */
export type DeliveryChannel = 'mail' | 'bot';

/** A notification that waits for a channel: written with the notification, deleted after sending. */
export const NotificationDeliveryEntity = defineEntity({
  name: 'NotificationDelivery',
  tableName: 'notification_deliveries',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    notificationId: () =>
      p.manyToOne(NotificationEntity).mapToPk().fieldName('notification_id').foreignKeyName('notification_deliveries_notification_fk'),
    userId: () => p.manyToOne(UserEntity).mapToPk().fieldName('user_id').foreignKeyName('notification_deliveries_user_fk'),
    channel: p.string().length(10).$type<DeliveryChannel>(),
    createdAt: p.datetime(),
    // Of the command that caused it; the process shows the one that started it.
    requestId: p.string().length(64),
    // How often the mail server refused this mail for now, and the earliest time of its next attempt.
    tries: p.integer().default(0),
    retryAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'notification_deliveries_once', properties: ['notificationId', 'channel'] }],
  // What waits for one account, in order.
  indexes: [{ name: 'notification_deliveries_user_index', properties: ['userId', 'id'] }],
  checks: [{ name: 'notification_deliveries_channel_known', expression: "channel in ('mail', 'bot')" }],
});
export type NotificationDelivery = InferEntity<typeof NotificationDeliveryEntity>;

/**
 * Exists while anything waits for an account. A trigger writes it at commit (`guards.sql`), so no command can forget it.
 * The sender deletes it after the last notification.
 */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    userId: () =>
      p.manyToOne(UserEntity).mapToPk().primary().fieldName('user_id').deleteRule('cascade').foreignKeyName('deliveries_user_fk'),
    // Time of the next attempt, or the end of another sender's lease.
    dueAt: p.datetime(),
    createdAt: p.datetime(),
  },
  // For the sweeper: the earliest first, by keyset pages.
  indexes: [{ name: 'deliveries_due_index', properties: ['dueAt', 'userId'] }],
});
export type Delivery = InferEntity<typeof DeliveryEntity>;

/** A channel that accepted nothing for an account, and is paused. */
export const DeliveryPauseEntity = defineEntity({
  name: 'DeliveryPause',
  tableName: 'delivery_pauses',
  primaryKeys: ['userId', 'channel'],
  properties: {
    userId: () =>
      p
        .manyToOne(DeliveryEntity)
        .mapToPk()
        .primary()
        .fieldName('user_id')
        .deleteRule('cascade')
        .foreignKeyName('delivery_pauses_delivery_fk'),
    channel: p.string().length(10).primary().$type<DeliveryChannel>(),
    // Failed attempts in a row.
    tries: p.integer(),
    until: p.datetime(),
  },
  checks: [{ name: 'delivery_pauses_channel_known', expression: "channel in ('mail', 'bot')" }],
});
export type DeliveryPause = InferEntity<typeof DeliveryPauseEntity>;

/**
 * The lease of an account's sender: a round (`send-round.ts`) or the delivery process (`send-deliveries.ts`), never both.
 * A separate row, so that a lease of minutes does not block commands that write notifications.
 */
export const DeliveryHoldEntity = defineEntity({
  name: 'DeliveryHold',
  tableName: 'delivery_holds',
  properties: {
    userId: () =>
      p
        .manyToOne(DeliveryEntity)
        .mapToPk()
        .primary()
        .fieldName('user_id')
        .deleteRule('cascade')
        .foreignKeyName('delivery_holds_delivery_fk'),
    // Id of the workflow that sends.
    holder: p.string().length(80),
    // Real time: the lease of a crashed sender expires.
    until: p.datetime(),
  },
});
export type DeliveryHold = InferEntity<typeof DeliveryHoldEntity>;

/**
 * An event of an account's live stream, in order (NOT-5). A trigger sets `sequence` at commit under a lock of the account, so that
 * a later commit has the greater number (`guards.sql`). Null until then, and not visible to readers.
 */
export const StreamEventEntity = defineEntity({
  name: 'StreamEvent',
  tableName: 'stream_events',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    userId: () => p.manyToOne(UserEntity).mapToPk().fieldName('user_id').foreignKeyName('stream_events_user_fk'),
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
export type StreamEvent = InferEntity<typeof StreamEventEntity>;
export type StreamEventKind = 'notification' | 'message';

/** The lock under which an account's events get their numbers, with its first and last number. */
export const StreamEntity = defineEntity({
  name: 'Stream',
  tableName: 'streams',
  properties: {
    userId: () => p.manyToOne(UserEntity).mapToPk().primary().fieldName('user_id').deleteRule('cascade').foreignKeyName('streams_user_fk'),
    firstSequence: p.bigint('number').default(0),
    lastSequence: p.bigint('number').default(0),
  },
});
export type Stream = InferEntity<typeof StreamEntity>;
