import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';

const firstWeights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const secondWeights = [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2];

/** Whether a text is an individual identification number of Kazakhstan: 12 digits, the last of which checks the others. */
export function isIin(text: string): boolean {
  if (!/^\d{12}$/.test(text)) return false;
  const digits = [...text].map(Number);
  return checkDigit(digits.slice(0, 11)) === digits[11];
}

/** The twelfth digit for the first eleven; null when no number begins with these. */
export function checkDigit(digits: number[]): number | null {
  for (const weights of [firstWeights, secondWeights]) {
    const remainder = weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0) % 11;
    if (remainder < 10) return remainder;
  }
  return null;
}

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
