import { sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { inList } from '../../platform/database/database.ts';

export interface IinChange {
  /** Null while the profile is being made. */
  profileId: number | null;
  /** The IIN that the profile had until now; null when it had none. */
  left: string | null;
  /** The IIN that it has from now on. */
  taken: string | null;
}

/**
 * Keeps `duplicate_iin` right on all other profiles that have an IIN which a profile takes or leaves: true while another profile has
 * it too (decisions.md §3). Two profiles that take the same IIN at once wait for each other here, until the first transaction has ended.
 * @returns what `duplicate_iin` of the profile itself is from now on
 */
export async function flagDuplicateIins(ctx: CommandContext, { profileId, left, taken }: IinChange): Promise<boolean> {
  let isDuplicate = false;
  for (const iin of [...new Set([left, taken])].filter((known) => known !== null).sort()) {
    const others = await lockHolders(ctx, iin, profileId);
    if (iin === taken) isDuplicate = others.length > 0;
    const areDuplicates = others.length > (iin === taken ? 0 : 1);
    const wrong = others.filter(({ duplicateIin }) => duplicateIin !== areDuplicates).map(({ id }) => id);
    if (wrong.length > 0) await setFlag(ctx, wrong, areDuplicates);
  }
  return isDuplicate;
}

async function setFlag(ctx: CommandContext, ids: number[], duplicateIin: boolean): Promise<void> {
  await ctx.db.updateTable('profiles').set({ duplicateIin }).where('id', '=', inList(ids)).execute();
}

/** The other profiles with an IIN, none of which joins or leaves them before the transaction ends. */
async function lockHolders(ctx: CommandContext, iin: string, profileId: number | null): Promise<{ id: number; duplicateIin: boolean }[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended('profiles.iin:' || ${iin}::text, 0))`.execute(ctx.db);
  return ctx.db
    .selectFrom('profiles')
    .select(['id', 'duplicateIin'])
    .where('iin', '=', iin)
    .where('id', 'is distinct from', profileId)
    .orderBy('id')
    .execute();
}
