import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';

const firstWeights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const secondWeights = [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2];

/** Whether a text is an individual identification number of Kazakhstan: 12 digits, the last one a checksum (PRO-4). */
export function isIin(text: string): boolean {
  if (!/^\d{12}$/.test(text)) return false;
  const digits = [...text].map(Number);
  return checkDigit(digits.slice(0, 11)) === digits[11];
}

/** Computes the twelfth digit from the first eleven; null when no valid number starts with them. */
export function checkDigit(digits: number[]): number | null {
  for (const weights of [firstWeights, secondWeights]) {
    const remainder = weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0) % 11;
    if (remainder < 10) return remainder;
  }
  return null;
}

/**
 * Refuses an IIN that another athlete of the account has (PRO-1), and names that profile. Of two concurrent writes the
 * constraint `profiles_one_athlete_per_iin` refuses the second.
 * @param profileId the profile that takes the IIN; null before it is created
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
