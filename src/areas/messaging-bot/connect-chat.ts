import { sql } from 'kysely';
import type { Language } from '../../http/language.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { hashToken } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { endLinks } from './end-link.ts';

/** The part of an account that its chat needs. */
export interface LinkedAccount {
  userId: number;
  language: Language;
}

/** Finds the account linked with a chat; null without one and for a blocked account. By bot_links_chat_unique. */
export async function findLinkedAccount(db: Database, chatId: number): Promise<LinkedAccount | null> {
  const account = await db
    .selectFrom('bot_links as l')
    .innerJoin('users as u', 'u.id', 'l.userId')
    .where('l.chatId', '=', chatId)
    .where('u.status', '=', 'active')
    .select(['u.id as userId', 'u.language'])
    .executeTakeFirst();
  return account ?? null;
}

/** Returns the context with the account as its actor, proven by the chat or a link; never with administrator rights. */
export function inNameOf(ctx: CommandContext, { userId }: Pick<LinkedAccount, 'userId'>): CommandContext {
  return { ...ctx, actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null } };
}

/**
 * Uses a one-time link: the chat now belongs to its account and to no other (BOT-1, BOT-2). Checks the expiry here, because the timer
 * may run late.
 * @returns the account; null for a wrong, used, replaced or expired link, or a blocked account
 */
export async function connectChat(
  ctx: CommandContext,
  { token, chatId, updateId }: { token: string; chatId: number; updateId: number },
): Promise<LinkedAccount | null> {
  // Links used in one chat take turns, so that the later one ends the earlier; the unique index guards the same.
  await sql`select pg_advisory_xact_lock(hashtextextended('bot_chat:' || ${chatId}::text, 0))`.execute(ctx.db);
  const account = await ctx.db
    .selectFrom('bot_links as l')
    .innerJoin('users as u', 'u.id', 'l.userId')
    .where('l.tokenHash', '=', hashToken(token))
    .where('l.expiresAt', '>', ctx.now)
    .where('u.status', '=', 'active')
    .select(['u.id as userId', 'u.language'])
    // Of two parallel uses the second finds no link.
    .forUpdate('l')
    .executeTakeFirst();
  if (!account) return null;
  const own = inNameOf(ctx, account);
  await endLinks(own, { chatId }, 'other_account');
  await ctx.db
    .updateTable('bot_links')
    .set({ state: 'connected', tokenHash: null, expiresAt: null, chatId, connectedAt: ctx.now, updateId })
    .where('userId', '=', account.userId)
    .execute();
  await audit(own, 'messaging_bot.connected', { kind: 'user', id: account.userId });
  return account;
}
