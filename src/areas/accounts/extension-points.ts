import type { CommandContext } from '../../platform/context.ts';
import { definePoint } from '../../platform/extensions.ts';

/** Runs in the transaction that opens an account; other areas add their records, such as the wallet. */
export const accountOpened = definePoint<(ctx: CommandContext, userId: number) => Promise<void>>('an account was opened');

/** Runs in the transaction that sets a new password; other areas revoke access that an attacker may have created (ACC-18). */
export const passwordChanged = definePoint<(ctx: CommandContext, userId: number) => Promise<void>>('a password was changed');
