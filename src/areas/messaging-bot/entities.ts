import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { UserEntity } from '../accounts/index.ts';

/**
 * The link of an account with a chat of the bot; an account without a row is disconnected. While it is `pending` it has a one-time token, of
 * which only the SHA-256 lies here; when it is `connected`, its chat.
 */
export const BotLinkEntity = defineEntity({
  name: 'BotLink',
  tableName: 'bot_links',
  properties: {
    userId: () =>
      p.manyToOne(UserEntity).mapToPk().primary().fieldName('user_id').deleteRule('cascade').foreignKeyName('bot_links_user_fk'),
    state: p.string().length(20).$type<StoredLinkState>(),
    tokenHash: p.string().length(64).strictNullable().hidden(),
    expiresAt: p.datetime().strictNullable(),
    chatId: p.bigint('number').strictNullable(),
    connectedAt: p.datetime().strictNullable(),
    // Of the update that connected it.
    updateId: p.bigint('number').strictNullable(),
  },
  uniques: [
    { name: 'bot_links_token_unique', properties: ['tokenHash'] },
    // One chat, one account (decisions.md §8).
    { name: 'bot_links_chat_unique', properties: ['chatId'] },
  ],
  // For the sweeper: links whose time is over.
  indexes: [{ name: 'bot_links_expiry_index', properties: ['expiresAt'], where: 'expires_at is not null' }],
  checks: [
    { name: 'bot_links_state_known', expression: "state in ('pending', 'connected')" },
    { name: 'bot_links_pending_whole', expression: "num_nonnulls(token_hash, expires_at) = case state when 'pending' then 2 else 0 end" },
    {
      name: 'bot_links_connected_whole',
      expression: "num_nonnulls(chat_id, connected_at, update_id) = case state when 'connected' then 3 else 0 end",
    },
  ],
});
export type BotLink = InferEntity<typeof BotLinkEntity>;
export type StoredLinkState = 'pending' | 'connected';

/** An update of the bot platform that has taken effect; kept so long that the platform does not send it again (decisions.md §8: 48 hours). */
export const BotUpdateEntity = defineEntity({
  name: 'BotUpdate',
  tableName: 'bot_updates',
  properties: {
    // Given by the platform.
    id: p.bigint('number').primary().autoincrement(false),
    seenAt: p.datetime(),
  },
  indexes: [{ name: 'bot_updates_seen_index', properties: ['seenAt'] }],
});
export type BotUpdate = InferEntity<typeof BotUpdateEntity>;
