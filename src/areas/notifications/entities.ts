import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { UserEntity } from '../accounts/index.ts';
import type { NotificationFacts } from './facts.ts';

/** What a person is told, written in the same transaction as the fact; its words are made when it is read (decisions.md §8). */
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
    // The words of those that were written before words were made at reading; null for all others.
    title: p.string().length(200).strictNullable(),
    text: p.text().strictNullable(),
    createdAt: p.datetime(),
    readAt: p.datetime().strictNullable(),
  },
  indexes: [
    { name: 'notifications_user_index', properties: ['userId', 'id'] },
    // For the counter and the list of what is unread.
    { name: 'notifications_unread_index', properties: ['userId', 'id'], where: 'read_at is null' },
  ],
});
export type Notification = InferEntity<typeof NotificationEntity>;

/** Whether a person wants mails and messages of the bot for a type; without a row: mails alone (decisions.md §8). */
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

/** By what a notification goes out of the registry. */
export type DeliveryChannel = 'mail' | 'bot';

/** A notification that is to go out by a channel: written with the notification, removed once it went. */
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
    // Of the command that told it; its process shows the one that woke it.
    requestId: p.string().length(64),
    // How often the mail server refused this one mail for now, and before when it is not tried again.
    tries: p.integer().default(0),
    retryAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'notification_deliveries_once', properties: ['notificationId', 'channel'] }],
  // What waits for one person, in its order.
  indexes: [{ name: 'notification_deliveries_user_index', properties: ['userId', 'id'] }],
  checks: [{ name: 'notification_deliveries_channel_known', expression: "channel in ('mail', 'bot')" }],
});
export type NotificationDelivery = InferEntity<typeof NotificationDeliveryEntity>;

/**
 * There as long as anything waits to go out to an account. Written by the database itself at the commit of what is told
 * (the migration `deliveries` says how), so no command can forget it; taken away by whoever has sent all of it.
 */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    userId: () =>
      p.manyToOne(UserEntity).mapToPk().primary().fieldName('user_id').deleteRule('cascade').foreignKeyName('deliveries_user_fk'),
    // When it is to be sent, or tried again, or whoever else has the account must be done.
    dueAt: p.datetime(),
    createdAt: p.datetime(),
  },
  // For the sweeper: the earliest first, behind the one before.
  indexes: [{ name: 'deliveries_due_index', properties: ['dueAt', 'userId'] }],
});
export type Delivery = InferEntity<typeof DeliveryEntity>;

/** A channel that took nothing for an account: it is left alone for a while. */
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
    // That failed in a row.
    tries: p.integer(),
    until: p.datetime(),
  },
  checks: [{ name: 'delivery_pauses_channel_known', expression: "channel in ('mail', 'bot')" }],
});
export type DeliveryPause = InferEntity<typeof DeliveryPauseEntity>;

/**
 * Who sends to an account now: a round of many (`send-round.ts`), or the process of its delivery (`send-deliveries.ts`), and never both. It is on its own so
 * that nobody who holds an account for minutes is in the way of a command that tells it something.
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
    // In real time: one that has died gives the account back.
    until: p.datetime(),
  },
});
export type DeliveryHold = InferEntity<typeof DeliveryHoldEntity>;

/**
 * What a person's live stream tells, in order. `sequence` is given by the database at the commit, under a lock of the account, so that of one
 * account what commits later has the greater number (the migration `notifications_and_stream` says how); null until then, so for nobody to see.
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
    // Those of the transaction that is being committed, from its first one on: others' are not seen before they have their numbers.
    { name: 'stream_events_unnumbered_index', properties: ['id'], where: 'sequence is null' },
    // For the sweeper, which clears the oldest.
    { name: 'stream_events_created_index', properties: ['createdAt'] },
  ],
  checks: [{ name: 'stream_events_kind_known', expression: "kind in ('notification', 'message')" }],
});
export type StreamEvent = InferEntity<typeof StreamEventEntity>;
export type StreamEventKind = 'notification' | 'message';

/** The lock under which the events of one account get their numbers, and the first and the last of these. */
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
