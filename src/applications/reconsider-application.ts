import type { CommandContext } from '../platform/context.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { closeApplication } from './close-application.ts';
import { dueStep } from './due-step.ts';
import { lapseApplication } from './lapse-application.ts';
import { lockApplication, lockApplicationAndWallet } from './lock-application.ts';
import { findApplication } from './queries.ts';

/**
 * Does what has become due without anybody asking. Looks before it changes anything, and again under the lock, so it may run at
 * any time and again.
 */
export async function reconsiderApplication(ctx: CommandContext, id: number): Promise<void> {
  const seen = await findApplication(ctx.em, id);
  const expected = seen && dueStep(seen, ctx.now);
  if (expected === null) return;
  // Closing may move money, and the wallet's lock comes before the application's.
  const locked = expected === 'close' ? await lockApplicationAndWallet(ctx, id) : await lockApplication(ctx, id);
  switch (dueStep(locked.record, ctx.now)) {
    case 'close':
      return closeApplication(ctx, locked);
    case 'lapse':
      return lapseApplication(ctx, locked);
    case 'approve':
      await approveApplication(ctx, locked, usualValidity(locked.application, ctx.now));
      return;
    case null:
      return;
  }
}
