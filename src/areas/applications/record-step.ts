import { accountableUserId, actingUserId, type Actor, type CommandContext, impersonatedUserId } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { ProcessRef } from '../../platform/process-ref.ts';
import { audit } from '../audit/index.ts';
import type { Application } from './entities.ts';
import { isSettled } from './readiness.ts';
import type { ApplicationRecord } from './record.ts';
import type { ApplicationStep, StepActor } from './states.ts';

/** Records of upper areas that depend on applications: an event on its fee, a registration on a certificate. */
export interface ApplicationDependents {
  /** Lists processes to wake when an application becomes valid or invalid, or a fee is settled. */
  listLiving(db: Database, applicationId: number): Promise<ProcessRef[]>;
}

export const applicationDependents = definePoint<ApplicationDependents>('dependents of an application');

/**
 * Wakes the processes that depend on an application after its step. An application without an earlier certificate has no dependents,
 * except a fee.
 */
export async function wakeDependents(ctx: CommandContext, { application, certificate }: ApplicationRecord): Promise<void> {
  const isIssuedNow = certificate !== null && certificate.issuedAt.getTime() === ctx.now.getTime();
  const wasIssuedBefore = certificate !== null && !isIssuedNow;
  if (application.kind !== 'event_fee' && !wasIssuedBefore) return;
  for (const { listLiving } of ctx.extensions.of(applicationDependents))
    for (const ref of await listLiving(ctx.db, application.id)) ctx.wake(ref);
}

/** Increments the revision, which makes an older review decision stale (APP-6). */
export function markChanged(ctx: CommandContext, application: Locked<Application>): void {
  application.revision += 1;
  application.updatedAt = ctx.now;
}

/**
 * Records a step in the history and in the audit in the step's transaction, and wakes dependents (APP-18).
 *
 * Set all fields of the application first: the history row copies them.
 * @param data for the audit; the history also stores `amount_minor`
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
  // A reminder changes nothing for dependents.
  if (step !== 'reminded') await wakeDependents(ctx, record);
}

function roleOf(actor: Actor, ownerId: number): StepActor {
  const userId = actingUserId(actor);
  if (userId === null) return 'registry';
  return userId === ownerId ? 'owner' : 'administrator';
}
