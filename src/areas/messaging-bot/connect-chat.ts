import { sql } from 'kysely';
import type { Language } from '../../http/language.ts';
import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { hashToken } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { endLinks } from './end-link.ts';

/** As much of an account as its chat shows. */
export interface LinkedAccount {
  userId: number;
  language: Language;
}

/** Whose chat it is; null for nobody's, and for one of a blocked account. By bot_links_chat_unique. */
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

/** The same command with the account's holder as its actor, who proved by the chat or by a link who he is; never as an administrator. */
export function inNameOf(ctx: CommandContext, { userId }: Pick<LinkedAccount, 'userId'>): CommandContext {
  return { ...ctx, actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null } };
}

/**
 * Uses a one-time link: from now on the chat is that of its account, and of no other (decisions.md §8: the newer link wins). That its time is
 * not over is checked here, whatever its timer has done.
 * @returns the account; null for a link that is wrong, used, replaced or too old, or of an account that is blocked
 */
export async function connectChat(
  ctx: CommandContext,
  { token, chatId, updateId }: { token: string; chatId: number; updateId: number },
): Promise<LinkedAccount | null> {
  // Two links used in one chat take turns, so that the later one sees whose chat it was; the unique index stands behind that.
  await sql`select pg_advisory_xact_lock(hashtextextended('bot_chat:' || ${chatId}::text, 0))`.execute(ctx.db);
  const account = await ctx.db
    .selectFrom('bot_links as l')
    .innerJoin('users as u', 'u.id', 'l.userId')
    .where('l.tokenHash', '=', hashToken(token))
    .where('l.expiresAt', '>', ctx.now)
    .where('u.status', '=', 'active')
    .select(['u.id as userId', 'u.language'])
    // Of two uses at once the second finds no such link.
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
