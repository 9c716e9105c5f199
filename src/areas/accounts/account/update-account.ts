import type { Language } from '../../../http/language.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser } from '../policy.ts';

/** Settings that the holder of an account can change. */
export interface AccountChanges {
  userId: number;
  language: Language;
}

/**
 * Sets the language of an account's notifications, mails and bot messages. The same language again writes nothing.
 */
export async function updateAccount(ctx: CommandContext, { userId, language }: AccountChanges): Promise<Readonly<User>> {
  const user = await lockUser(ctx, userId);
  if (user.language === language) return user;
  user.language = language;
  user.updatedAt = ctx.now;
  await audit(ctx, 'account.updated', { kind: 'user', id: userId }, { changed: ['language'] });
  return user;
}
