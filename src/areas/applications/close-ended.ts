import { asRegistry, type CommandContext } from '../../platform/commands/context.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { type DuplicateKey, living } from './queries.ts';
import { reconsiderApplication } from './reconsider-application.ts';

/**
 * Closes the applications of documents that have ended but were not closed by their processes yet (APP-13), so that they do not count as
 * duplicates of one that is created or gets another discipline (APP-1).
 *
 * It locks wallets, so the caller locks no application before it.
 */
export async function closeEnded(ctx: CommandContext, { profileId, serviceId, disciplineId }: Omit<DuplicateKey, 'year'>): Promise<void> {
  const ended = await ctx.db
    .selectFrom('applications as a')
    .innerJoin('certificates as c', 'c.applicationId', 'a.id')
    .where('a.profileId', '=', profileId)
    .where('a.serviceId', '=', serviceId)
    .where('a.disciplineId', 'is not distinct from', disciplineId)
    .where('a.kind', '=', 'document')
    .where('a.status', 'in', living)
    .where('c.validUntil', '<', dayOf(ctx.now))
    .select('a.id')
    .execute();
  for (const { id } of ended) {
    await reconsiderApplication(asRegistry(ctx), id);
    ctx.wake(processRef('application', id));
  }
  // Otherwise the caller's row would be written before these.
  if (ended.length > 0) await ctx.em.flush();
}
