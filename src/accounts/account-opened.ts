import type { CommandContext } from '../platform/context.ts';
import { definePoint } from '../platform/extensions.ts';

/** What else begins with an account, in the transaction that opens it: a wallet. */
export const accountOpened = definePoint<(ctx: CommandContext, userId: number) => Promise<void>>('an account was opened');
