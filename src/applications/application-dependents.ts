import type { CommandContext } from '../platform/context.ts';
import type { Database } from '../platform/database/database.ts';
import { definePoint } from '../platform/extensions.ts';
import type { ProcessRef } from '../platform/process-ref.ts';
import type { ApplicationRecord } from './record.ts';

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
