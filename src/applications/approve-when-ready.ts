import type { CommandContext } from '../platform/context.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { dueStep } from './due-step.ts';
import { rereadRecord } from './lock-application.ts';
import type { Application } from './entities.ts';

/**
 * Approves a national certificate as soon as every condition holds; no administrator is needed (service.md "Application").
 * Other kinds wait for their review. The caller holds the application's lock.
 * @returns whether it was approved now
 */
export async function approveWhenReady(ctx: CommandContext, application: Application): Promise<boolean> {
  if (application.kind !== 'national_certificate' || application.status !== 'submitted') return false;
  const record = await rereadRecord(ctx, application.id);
  if (dueStep(record, ctx.now) !== 'approve') return false;
  await approveApplication(ctx, { application, record }, usualValidity(application, ctx.now));
  return true;
}
