import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';

/**
 * One person has one athlete's profile in an account (decisions.md §3). The look names the profile that is there already; of two
 * that take one IIN at once the constraint `profiles_one_athlete_per_iin` refuses the second.
 * @param profileId of the profile that takes the IIN, null while it is being made
 * @throws {DomainError} duplicate_profile with `profile_id`
 */
export async function requireFreeIin(ctx: CommandContext, ownerId: number, iin: string | null, profileId: number | null): Promise<void> {
  if (iin === null) return;
  const existing = await ctx.db
    .selectFrom('profiles')
    .select('id')
    .where('ownerId', '=', ownerId)
    .where('iin', '=', iin)
    .where('kind', '=', 'athlete')
    .where('id', 'is distinct from', profileId)
    .executeTakeFirst();
  if (existing) throw new DomainError('duplicate_profile', { profile_id: existing.id });
}
