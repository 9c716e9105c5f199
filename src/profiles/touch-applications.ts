import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';

/** Lets every live application of a profile look at it again. */
export async function touchApplicationsOfProfile(ctx: CommandContext, profileId: number): Promise<void> {
  const rows = await ctx.em.execute<{ id: number }[]>(
    `select id from applications where profile_id = ? and status not in ('cancelled', 'closed') order by id`,
    [profileId],
  );
  for (const { id } of rows) ctx.touch(processRef('application', id));
}
