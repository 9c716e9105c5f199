import { audit } from '../audit/index.ts';
import { accountableUserId, actingUserId, impersonatedUserId } from '../platform/context.ts';
import type { Actor, CommandContext } from '../platform/context.ts';
import { wakeDependents } from './application-dependents.ts';
import { isSettled } from './readiness.ts';
import type { ApplicationRecord } from './record.ts';
import type { ApplicationStep, StepActor } from './steps.ts';

/**
 * Writes a step into the application's history, as the application stands after it, and into the audit, in the step's own
 * transaction, and wakes what stands on it. The one place where either is written: what the row of the application will hold must be set
 * before.
 * @param data for the audit; `amount_minor` goes into the history too
 */
export async function recordStep(
  ctx: CommandContext,
  record: ApplicationRecord,
  step: Exclude<ApplicationStep, 'carried_over'>,
  data: Record<string, unknown> & { amount_minor?: number } = {},
): Promise<void> {
  const { application, documents } = record;
  const { id, ownerId, revision, status, paid, amountMinor, resubmissionDueSince } = application;
  await ctx.db
    .insertInto('application_history')
    .values({
      applicationId: id,
      at: ctx.now,
      step,
      actor: roleOf(ctx.actor, ownerId),
      actorId: accountableUserId(ctx.actor),
      impersonatedUserId: impersonatedUserId(ctx.actor),
      requestId: ctx.requestId,
      revision,
      status,
      isSettled: isSettled({ isPaid: paid, amountMinor }),
      isResubmissionDue: resubmissionDueSince !== null,
      documentIds: documents.map((document) => document.id),
      amountMinor: data.amount_minor ?? null,
    })
    .execute();
  await audit(ctx, `application.${step}`, { kind: 'application', id }, data);
  // A reminder changes nothing for what stands on it.
  if (step !== 'reminded') await wakeDependents(ctx, record);
}

function roleOf(actor: Actor, ownerId: number): StepActor {
  const userId = actingUserId(actor);
  if (userId === null) return 'registry';
  return userId === ownerId ? 'owner' : 'administrator';
}
