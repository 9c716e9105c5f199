import type { CommandContext } from '../platform/context.ts';
import { json } from '../platform/database/database.ts';
import type { IncidentKind } from './entities.ts';

/**
 * Puts something that a person of the federation must look at into the administrators' queue. A record has one incident of a kind:
 * raised again, the first one stands as it is (`incidents_once`).
 * @param details facts that help whoever looks into it: numbers, references, ids; never values of people
 */
export async function raiseIncident(
  ctx: CommandContext,
  kind: IncidentKind,
  subject: { kind: string; id: number | string },
  details: Record<string, unknown>,
): Promise<void> {
  await ctx.db
    .insertInto('incidents')
    .values({ kind, subjectKind: subject.kind, subjectId: String(subject.id), details: json(details), at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
