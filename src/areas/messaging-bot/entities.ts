import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';

/**
 * The link of an account with a bot chat; without a row the account is disconnected. While `pending` it holds the SHA-256 of its
 * one-time token, when `connected` its chat.
 */
export const BotLinkEntity = defineEntity({
  name: 'BotLink',
  tableName: 'bot_links',
  properties: {
    userId: () => referenceTo(UserEntity, 'user_id', 'bot_links_user_fk').primary().deleteRule('cascade'),
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
    // One chat, one account (BOT-2).
    { name: 'bot_links_chat_unique', properties: ['chatId'] },
  ],
  // For the sweeper: expired links.
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
type StoredLinkState = 'pending' | 'connected';

/** A processed update of the bot platform, kept 48 hours to detect repeats (BOT-3). */
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
