import { audit } from '../audit/index.ts';
import { accountableUserId, actingUserId, impersonatedUserId } from '../platform/context.ts';
import type { Actor, CommandContext } from '../platform/context.ts';
import { wakeDependents } from './application-dependents.ts';
import { isSettled } from './readiness.ts';
import type { ApplicationRecord } from './record.ts';

/** Everything that happens to an application, as the audit and its timeline name it. */
export type ApplicationStep =
  | 'created'
  | 'updated'
  | 'submitted'
  | 'paid'
  | 'approved'
  | 'returned'
  | 'cancelled'
  | 'lapsed'
  | 'refunded'
  | 'closed'
  /** Its owner was told that the certificate ends soon. */
  | 'reminded'
  | 'sharing_enabled'
  | 'sharing_disabled'
  /** Only in rows that the database wrote by itself: how an application stands that was changed without its step being recorded. */
  | 'carried_over';

/** In which part somebody took a step. `registry`: nobody asked for it, it had become due. */
export type StepActor = 'owner' | 'administrator' | 'registry';

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
