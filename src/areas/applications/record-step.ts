import { accountableUserId, actingUserId, type Actor, type CommandContext, impersonatedUserId } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { ProcessRef } from '../../platform/process-ref.ts';
import { audit } from '../audit/index.ts';
import { isSettled } from './readiness.ts';
import type { ApplicationRecord } from './record.ts';
import type { ApplicationStep, StepActor } from './states.ts';

/** Records of an upper area that stand on applications: an event on its fee, a registration on its certificate. */
export interface ApplicationDependents {
  /** Processes that must look again when an application begins or ceases to be in force, or its fee is settled. */
  listLiving(db: Database, applicationId: number): Promise<ProcessRef[]>;
}

export const applicationDependents = definePoint<ApplicationDependents>('what stands on an application');

/**
 * Lets what stands on an application look at it again, after a step of it. On one that was never issued nothing can stand, but an event on
 * its fee.
 */
export async function wakeDependents(ctx: CommandContext, { application, certificate }: ApplicationRecord): Promise<void> {
  const isIssuedNow = certificate !== null && certificate.issuedAt.getTime() === ctx.now.getTime();
  const wasIssuedBefore = certificate !== null && !isIssuedNow;
  if (application.kind !== 'event_fee' && !wasIssuedBefore) return;
  for (const { listLiving } of ctx.extensions.of(applicationDependents))
    for (const ref of await listLiving(ctx.db, application.id)) ctx.wake(ref);
}

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

/**
 * The next number of a series in a year (decisions.md §4, §7): certificates, licences, documents, agreements. The row's lock lasts until
 * the transaction ends, so a number is either used or, with the rollback, free again: no gap, no double.
 */
export async function takeNumber(ctx: CommandContext, series: string, year: number): Promise<number> {
  const { last } = await ctx.db
    .insertInto('number_series')
    .values({ series, year, last: 1 })
    .onConflict((conflict) => conflict.columns(['series', 'year']).doUpdateSet((eb) => ({ last: eb('number_series.last', '+', 1) })))
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}
