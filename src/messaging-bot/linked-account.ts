import type { Language } from '../http/language.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Database } from '../platform/database/database.ts';

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
