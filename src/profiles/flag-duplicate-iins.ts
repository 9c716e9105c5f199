import type { CommandContext } from '../platform/context.ts';

/**
 * Keeps `duplicate_iin` right on every profile that has one of these IINs: true while another profile has it too (decisions.md
 * §3). Call it after the profile's own row was flushed. Two profiles that take the same IIN at once wait for each other here.
 */
export async function flagDuplicateIins(ctx: CommandContext, iins: readonly (string | null)[]): Promise<void> {
  for (const iin of [...new Set(iins)].filter((known) => known !== null).sort()) {
    await ctx.em.execute(`select pg_advisory_xact_lock(hashtextextended('profiles.iin:' || ?, 0))`, [iin]);
    await ctx.em.execute(
      `update profiles p set duplicate_iin = others.exist
         from (select id, exists (select from profiles o where o.iin = q.iin and o.id <> q.id) as exist from profiles q where q.iin = ?) others
        where p.id = others.id and p.duplicate_iin <> others.exist`,
      [iin],
    );
  }
}
