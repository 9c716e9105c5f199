import type { CommandContext } from '../platform/context.ts';

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
