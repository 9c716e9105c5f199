import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { emailAddress, line, pastDay, printableText, printedWords } from '../../http/schemas.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { countryCodes } from '../../platform/country-codes.ts';
import { phonePattern } from '../../platform/text.ts';
import type { ProfileKind } from '../catalog/index.ts';

const phone = z
  .string()
  .trim()
  .regex(phonePattern, 'must be a phone number: digits, spaces, brackets, hyphens, a leading +')
  .meta({ examples: ['+7 701 123 45 67'] });
const iin = z
  .string()
  .regex(/^\d{12}$/, 'must be 12 digits')
  .refine(isIin, 'is not an individual identification number: the check digit is wrong')
  .meta({ description: 'Individual identification number (IIN), 12 digits; optional', examples: ['900517300128'] });
const birthDate = pastDay.meta({ description: 'In the past', format: 'date', examples: ['1990-05-17'] });

/** `data` of an athlete (PRO-4, PRO-9). */
export const athleteData = z
  .strictObject({
    last_name: printableText(100).describe(`Alone the name of a person who has one only. ${printedWords}`),
    first_name: printableText(100).optional(),
    middle_name: printableText(100).optional(),
    birth_date: birthDate,
    gender: z.enum(['male', 'female']),
    citizenship: z.enum(countryCodes).meta({ description: 'ISO 3166-1 alpha-2', examples: ['KZ'] }),
    iin: iin.optional(),
    phone: phone.optional(),
    city: line(100).optional(),
    address: line(300).optional(),
    blood_group: line(20).optional(),
  })
  .meta({ id: 'AthleteData' });

/** `data` of an organizer (PRO-4). */
export const organizerData = z
  .strictObject({
    organization_name: printableText(300),
    bin: z
      .string()
      .regex(/^\d{12}$/, 'must be 12 digits')
      .optional()
      .describe('Business identification number (BIN), 12 digits'),
    director_name: printableText(200),
    director_position: printableText(200),
    legal_address: printableText(300),
    phone,
    email: emailAddress,
    city: line(100).optional(),
  })
  .meta({ id: 'OrganizerData' });

export type AthleteData = z.output<typeof athleteData>;
export type OrganizerData = z.output<typeof organizerData>;
export type ProfileData = AthleteData | OrganizerData;

export const dataSchemas = { athlete: athleteData, organizer: organizerData } as const satisfies Record<ProfileKind, z.ZodObject>;

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
