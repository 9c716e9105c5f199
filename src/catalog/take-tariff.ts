import type { CommandContext } from '../platform/context.ts';
import { findTariff } from './queries.ts';
import type { Tariff } from './queries.ts';

/**
 * The tariff of a service for a price that stays from now on: of a submitted application, of a fee. Its base index can no longer be changed
 * afterwards (decisions.md §9): the first that takes it marks it under its lock, so that a change of the amount comes before it and is
 * seen, or after it and is refused. For all others the mark is there and nothing is locked.
 */
export async function takeTariff({ db, now }: Pick<CommandContext, 'db' | 'now'>, serviceId: number): Promise<Tariff> {
  const { year, isIndexInUse, ...tariff } = await findTariff(db, serviceId, now);
  if (isIndexInUse) return tariff;
  const { amountMinor } = await db
    .updateTable('base_indexes')
    .set({ inUse: true })
    .where('year', '=', year)
    .returning('amountMinor')
    .executeTakeFirstOrThrow();
  return { ...tariff, mrpMinor: amountMinor };
}
