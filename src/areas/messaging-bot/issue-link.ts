import { randomBytes } from 'node:crypto';
import { DomainError } from '../../errors.ts';
import type { Bot } from '../../platform/bot/bot.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { refOf } from '../../platform/workflows/define-process.ts';
import { hashToken } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { botLinkTimer } from './process.ts';

/** A link's secret, returned only once. */
export interface IssuedLink {
  token: string;
  expiresAt: Date;
}

/**
 * Creates a one-time link of an account for ten minutes, replacing an older one, and restarts its durable timer (BOT-1).
 * @throws {DomainError} messaging_bot_connected
 */
export async function issueLink(ctx: CommandContext, userId: number): Promise<IssuedLink> {
  // 24 random bytes make 32 characters, which the platform accepts in a link.
  const token = randomBytes(24).toString('base64url');
  const expiresAt = new Date(ctx.now.getTime() + botLinkTimer.lifetimeMs);
  // The row is the lock: of two parallel requests the later replaces the earlier.
  const { numInsertedOrUpdatedRows } = await ctx.db
    .insertInto('bot_links')
    .values({ userId, state: 'pending', tokenHash: hashToken(token), expiresAt, chatId: null, connectedAt: null, updateId: null })
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet((eb) => ({ tokenHash: eb.ref('excluded.tokenHash'), expiresAt: eb.ref('excluded.expiresAt') }))
        .where('bot_links.state', '=', 'pending'),
    )
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw new DomainError('messaging_bot_connected');
  ctx.wake(refOf(botLinkTimer, userId));
  await audit(ctx, 'messaging_bot.link_issued', { kind: 'user', id: userId });
  return { token, expiresAt };
}

/** Enabling the bot takes a restart of the service, so an early retry does not help. */
const retryAfterSeconds = 3600;

/** @throws {DomainError} messaging_bot_disabled */
export function requireBot({ bot }: Pick<Platform, 'bot'>): Bot {
  if (bot === null) throw new DomainError('messaging_bot_disabled', { retry_after_seconds: retryAfterSeconds });
  return bot;
}
