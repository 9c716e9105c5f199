import { assertNever } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { closeApplication } from './close-application.ts';
import { dueStep } from './due-step.ts';
import { lockApplicationAndWallet } from './lock-application.ts';
import type { ApplicationRecord } from './record.ts';
import { remindWhenDue } from './remind-application.ts';
import { returnExpiredApplication } from './return-expired-application.ts';

/**
 * Does what has become due without anybody asking, by what it finds under the lock; so it may run at any time and again. Closing
 * may move money, and the wallet's lock comes before the application's, so both are taken.
 * @returns the application as it then stands
 * @throws {DomainError} not_found
 */
export async function reconsiderApplication(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  const locked = await lockApplicationAndWallet(ctx, id);
  const step = dueStep(locked, ctx.now);
  switch (step) {
    case 'close':
      await closeApplication(ctx, locked);
      break;
    case 'return':
      await returnExpiredApplication(ctx, locked);
      break;
    case 'approve':
      await approveApplication(ctx, locked, usualValidity(locked.application, ctx.now));
      break;
    case 'remind':
    case null:
      break;
    default:
      assertNever(step);
  }
  // Also after another step: one look tells all.
  await remindWhenDue(ctx, locked);
  return locked;
}
