import type { CommandContext } from '../platform/context.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { dueStep } from './due-step.ts';
import { recordAfter } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';

/**
 * Approves a national certificate as soon as every condition holds; no administrator is needed (service.md "Application").
 * Other kinds wait for their review. The caller holds the application's lock.
 */
export async function approveWhenReady(ctx: CommandContext, locked: LockedApplication): Promise<void> {
  if (dueStep(recordAfter(locked), ctx.now) !== 'approve') return;
  await approveApplication(ctx, locked, usualValidity(locked.application, ctx.now));
}
