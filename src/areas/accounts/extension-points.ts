import type { CommandContext } from '../../platform/commands/context.ts';
import { definePoint } from '../../platform/extensions.ts';

/** Runs in the transaction that opens an account; other areas add their records, such as the wallet. */
export const accountOpened = definePoint<(ctx: CommandContext, userId: number) => Promise<void>>('an account was opened');

/**
 * Access that ended. `password_changed`: a new password or a recovery, which also revoked the API keys unless the owner keeps their
 * programs. `key_ended`: one API key was revoked. A key that expires ends by the clock, without this point (`keysInForce`).
 */
export type EndedAccess =
  | { cause: 'password_changed'; userId: number; keepsPrograms: boolean }
  | { cause: 'key_ended'; userId: number; keyId: number };

/**
 * Runs in the transaction that ends access to an account; other areas end what it may have left: the bot link, webhooks (ACC-18).
 * Returns the number of webhooks that it disabled, for the mail to the owner.
 */
export const accessEnded = definePoint<(ctx: CommandContext, ended: EndedAccess) => Promise<{ webhooks: number }>>('access ended');

/** Ends what access to an account left in all areas. @returns the number of disabled webhooks */
export async function endAccess(ctx: CommandContext, ended: EndedAccess): Promise<number> {
  let disabled = 0;
  for (const end of ctx.extensions.of(accessEnded)) disabled += (await end(ctx, ended)).webhooks;
  return disabled;
}
