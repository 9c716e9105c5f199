import type { CommandContext } from '../../platform/context.ts';
import { definePoint } from '../../platform/extensions.ts';

/** What else begins with an account, in the transaction that opens it: a wallet. */
export const accountOpened = definePoint<(ctx: CommandContext, userId: number) => Promise<void>>('an account was opened');

/** What else ends with a password, in the transaction that sets another: what whoever had got hold of the account may have made. */
export const passwordChanged = definePoint<(ctx: CommandContext, userId: number) => Promise<void>>('a password was changed');
