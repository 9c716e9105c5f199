import type { CommandContext } from '../platform/context.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { dueStep } from './due-step.ts';
import { recordAfter } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';
import type { ApplicationRecord } from './record.ts';

/**
 * Approves a national certificate as soon as every condition holds; no administrator is needed (service.md "Application").
 * Other kinds wait for their review. The caller holds the application's lock.
 * @returns the application as it then stands
 */
export async function approveWhenReady(ctx: CommandContext, locked: LockedApplication): Promise<ApplicationRecord> {
  const record = recordAfter(locked);
  if (dueStep(record, ctx.now) !== 'approve') return record;
  return approveApplication(ctx, locked, usualValidity(locked.application, ctx.now));
}
