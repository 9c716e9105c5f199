import type { Language } from '../../../http/language.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser } from './lock-user.ts';

/** What the holder of an account sets of it. */
export interface AccountChanges {
  userId: number;
  language: Language;
}

/**
 * Sets the language in which an account is told things (decisions.md §8). One that is set already stays, and nothing is written.
 * @returns the account as it then stands
 */
export async function updateAccount(ctx: CommandContext, { userId, language }: AccountChanges): Promise<Readonly<User>> {
  const user = await lockUser(ctx, userId);
  if (user.language === language) return user;
  user.language = language;
  user.updatedAt = ctx.now;
  await audit(ctx, 'account.updated', { kind: 'user', id: userId }, { changed: ['language'] });
  return user;
}
