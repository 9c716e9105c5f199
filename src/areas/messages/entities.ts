import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { RegistrationEntity } from '../registrations/index.ts';
import { type Side, sides } from './sides.ts';

/**
 * A conversation of two sides: athlete and organizer of a registration, or an account and the federation (MSG-2).
 * Triggers create the one of a registration, empty, at its first submission and keep its owners (`guards.sql`).
 * A chat with the federation begins with its first message.
 */
export const ConversationEntity = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.string().length(20).$type<ConversationKind>(),
    registrationId: () =>
      referenceTo(RegistrationEntity, 'registration_id', 'conversations_registration_fk').strictNullable().deleteRule('no action'),
    // The account of the side `athlete`.
    athleteId: () => referenceTo(UserEntity, 'athlete_id', 'conversations_athlete_fk'),
    organizerId: () => referenceTo(UserEntity, 'organizer_id', 'conversations_organizer_fk').strictNullable().deleteRule('no action'),
    // Kept under the row's lock, so that no read counts messages.
    messageCount: p.integer().default(0),
    // Messages of the other side.
    athleteUnread: p.integer().default(0),
    counterpartUnread: p.integer().default(0),
    lastMessageId: p.bigint('number').strictNullable(),
    lastMessageAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
  },
  uniques: [
    { name: 'conversations_registration_unique', properties: ['registrationId'] },
    // A chat of an account with the federation.
    {
      name: 'conversations_federation_unique',
      expression: `create unique index "conversations_federation_unique" on "conversations" ("athlete_id") where kind = 'federation'`,
    },
  ],
  // The lists of athletes, organizers and administrators: unread ones first, then by the last message, the newest first.
  indexes: [
    {
      name: 'conversations_athlete_index',
      expression: `create index "conversations_athlete_index" on "conversations" ("athlete_id", ("athlete_unread" > 0) desc, "last_message_id" desc nulls last, "id" desc) where kind = 'registration'`,
    },
    {
      name: 'conversations_organizer_index',
      expression: `create index "conversations_organizer_index" on "conversations" ("organizer_id", ("counterpart_unread" > 0) desc, "last_message_id" desc nulls last, "id" desc) where kind = 'registration'`,
    },
    {
      name: 'conversations_federation_index',
      expression: `create index "conversations_federation_index" on "conversations" (("counterpart_unread" > 0) desc, "last_message_id" desc nulls last, "id" desc) where kind = 'federation'`,
    },
  ],
  checks: [
    {
      name: 'conversations_kind_known',
      expression: `case kind when 'registration' then num_nulls(registration_id, organizer_id) = 0 when 'federation' then num_nulls(registration_id, organizer_id) = 2 else false end`,
    },
    { name: 'conversations_counters', expression: 'least(message_count, athlete_unread, counterpart_unread) >= 0' },
  ],
});
export type Conversation = InferEntity<typeof ConversationEntity>;
type ConversationKind = 'registration' | 'federation';

/** A message. Permanent: only `readAt` may change. */
export const MessageEntity = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    conversationId: () => referenceTo(ConversationEntity, 'conversation_id', 'messages_conversation_fk'),
    side: p.string().length(20).$type<Side>(),
    // The account that wrote for this side; the side may have another owner since.
    authorId: () => referenceTo(UserEntity, 'author_id', 'messages_author_fk'),
    text: p.text(),
    // The author's Idempotency-Key.
    clientKey: p.string().length(255).strictNullable(),
    createdAt: p.datetime(),
    // When the other side first read it.
    readAt: p.datetime().strictNullable(),
  },
  uniques: [
    {
      name: 'messages_client_key_unique',
      expression: `create unique index "messages_client_key_unique" on "messages" ("conversation_id", "author_id", "client_key") where client_key is not null`,
    },
  ],
  indexes: [
    { name: 'messages_conversation_index', properties: ['conversationId', 'id'] },
    // For the read marks.
    { name: 'messages_unread_index', properties: ['conversationId', 'id'], where: 'read_at is null' },
  ],
  checks: [
    { name: 'messages_side_known', expression: `side in (${literalText(sides)})` },
    { name: 'messages_text_length', expression: 'char_length(text) >= 1 and char_length(text) <= 3000' },
  ],
});
export type Message = InferEntity<typeof MessageEntity>;
