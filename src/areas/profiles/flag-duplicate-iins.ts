import { sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { inList } from '../../platform/database/database.ts';

export interface IinChange {
  /** Null before the profile is created. */
  profileId: number | null;
  /** The previous IIN; null when there was none. */
  left: string | null;
  /** The new IIN; null when it is removed. */
  taken: string | null;
}

/**
 * Updates `duplicate_iin` of all other profiles with the old or the new IIN of a profile (PRO-1): true while another profile has
 * the same IIN. Concurrent changes of the same IIN run one after the other (advisory lock).
 * @returns the new `duplicate_iin` of the profile itself
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

/** Lists the other profiles with an IIN, after locking the IIN until the transaction ends. */
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
