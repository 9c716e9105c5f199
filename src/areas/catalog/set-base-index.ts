import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { findBaseIndex } from './queries.ts';

/**
 * Sets or adds the base calculation index of a year. Refuses another amount for an index in use (CAT-4).
 *
 * Writes nothing when the amount is the same.
 * @param amountMinor tiyn
 * @throws {DomainError} forbidden; base_index_in_use
 */
export async function setBaseIndex(ctx: CommandContext, year: number, amountMinor: number): Promise<void> {
  requireAdministrator(ctx);
  // One statement, so that the row lock serializes it with `takeTariff`.
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
  const existing = await findBaseIndex(ctx.db, year);
  if (existing?.inUse === true && existing.amountMinor !== amountMinor) throw new DomainError('base_index_in_use', { year });
}
