import type { CommandContext } from '../platform/context.ts';
import { endLinks } from './end-link.ts';

/** Ends the link of an account whose password was changed, also one that waits: whoever had got hold of the account may have made it. */
export async function endLinkOfPassword(ctx: CommandContext, userId: number): Promise<void> {
  await endLinks(ctx, { userId }, 'password');
}
