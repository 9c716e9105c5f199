import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { audit } from '../audit/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { findBaseIndex } from './queries.ts';

/**
 * Sets the base calculation index of a year, or adds it (decisions.md §9). One that a submitted application was priced by stays. The same
 * amount again writes nothing.
 * @param amountMinor tiyn
 * @throws {DomainError} forbidden; base_index_in_use
 */
export async function setBaseIndex(ctx: CommandContext, year: number, amountMinor: number): Promise<void> {
  requireAdministrator(ctx);
  // One statement, so that whoever takes the index at the same moment (`takeTariff`) comes before it or after it.
  const [written] = await ctx.db
    .insertInto('base_indexes')
    .values({ year, amountMinor, inUse: false })
    .onConflict((conflict) =>
      conflict
        .column('year')
        .doUpdateSet((eb) => ({ amountMinor: eb.ref('excluded.amountMinor') }))
        .where('base_indexes.inUse', '=', false)
        .whereRef('base_indexes.amountMinor', '<>', 'excluded.amountMinor'),
    )
    .returning('year')
    .execute();
  if (written) return audit(ctx, 'base_index.updated', { kind: 'base_index', id: year }, { changed: ['amount_minor'] });
  const standing = await findBaseIndex(ctx.db, year);
  if (standing?.inUse === true && standing.amountMinor !== amountMinor) throw new DomainError('base_index_in_use', { year });
}
