import { asRegistry } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { dueStep } from './due-step.ts';
import type { LockedApplication } from './lock-application.ts';

/**
 * Approves a national certificate as soon as every condition holds; no administrator is needed (service.md "Application"), and it is
 * the registry that does so: whoever brought the last condition about has not approved it.
 * Other kinds wait for their review.
 * @returns the application as it then stands
 */
export async function approveWhenReady(ctx: CommandContext, locked: LockedApplication): Promise<LockedApplication> {
  if (dueStep(locked, ctx.now) !== 'approve') return locked;
  return approveApplication(asRegistry(ctx), locked, usualValidity(locked.application, ctx.now));
}
