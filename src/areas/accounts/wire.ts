import { z } from 'zod';
import { dictionary } from '@zxcvbn-ts/language-common';
import type { Impersonation } from '../../http/access/access.ts';
import { languages } from '../../http/language.ts';
import { dateTimeResponse, emailAddress, id, line } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { User } from './entities.ts';

/** Fewest characters of a new password (ACC-1). */
const leastPasswordLength = 12;

const common = new Set(dictionary['passwords-common'].filter((password) => password.length >= leastPasswordLength));

/** Words that an attacker of this service tries first. The longer form of a word stands before the shorter one. */
const contextWords =
  /administrator|admin|athletes?|certificate|competition|federation|kazakhstan|qazaqstan|licen[cs]e|organizer|password|registry|sports?|админ|казахстан|қазақстан|құпиясөз|пароль|реестр|спортсмен|спорт|тізілім|федерациясы|федерация/g;

/**
 * Whether the password is in the list of common ones, repeats one short piece, or has no letters but those of this service's words
 * (ACC-1).
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase();
  const letters = lower.replaceAll(/[^\p{L}]/gu, '');
  return common.has(lower) || /^(.{1,4})\1+$/s.test(lower) || (letters !== '' && letters.replaceAll(contextWords, '') === '');
}

const longestPassword = 200;
export const email = emailAddress.toLowerCase().meta({
  description: 'Kept and compared in lower case, an internationalized domain in its ASCII form (`xn--…`)',
  examples: ['aigerim@example.kz'],
});

/** A new password (ACC-1). */
export const newPassword = z
  .string()
  .min(leastPasswordLength)
  .max(longestPassword)
  .refine((password) => !isCommonPassword(password), 'is a common password')
  .describe(`${leastPasswordLength}-${longestPassword} characters, no common password`);
/** The present password of an account. */
export const presentPassword = z.string().min(1).max(longestPassword);
export const confirmingCode = z
  .string()
  .trim()
  .min(6)
  .max(60)
  .optional()
  .describe('Needed where the account has a second factor: six digits, or a recovery code');
/** Fields by which a person confirms an action (`confirmInPerson`). */
export const confirmation = { password: presentPassword.describe("The caller's own password"), code: confirmingCode };

export const name = line(200);
export const scopesText = 'Each operation names the scope that it needs';
export const phone = z
  .string()
  .trim()
  .regex(/^\+?[0-9 ()-]{5,39}$/, 'must be a telephone number')
  .meta({ examples: ['+7 701 000 00 00'] });

export const confirmationBody = z.strictObject(confirmation).meta({ id: 'PasswordConfirmation' });

export const role = z.enum(['user', 'administrator']);
export const keyPrefix = z.string().describe('First characters of the key, to recognize it');
export const language = z.enum(languages).describe('Language of notifications, mails and bot messages');
const emailConfirmed = z
  .boolean()
  .describe('False until a link of a mail to the address is used; the account then gets no mails but confirmation and recovery links');
export const userResponse = z
  .object({
    id,
    email: z.string(),
    name: z.string(),
    phone: z.string().nullable(),
    role,
    language,
    email_confirmed: emailConfirmed,
    second_factor: z.boolean().describe('True: a login needs a code too'),
  })
  .meta({ id: 'User' });
const impersonationResponse = z
  .object({
    administrator: z.object({ id, name: z.string(), email: z.string() }).describe('The administrator who acts in the account'),
    started_at: dateTimeResponse,
    expires_at: dateTimeResponse,
  })
  .meta({ id: 'Impersonation' });
export const impersonation = impersonationResponse
  .nullable()
  .describe('The administrator who impersonates the user in this session; null without an impersonation');
export const sessionResponse = z
  .object({
    csrf_token: z.string().describe('Send it as X-CSRF-Token with every POST, PUT, PATCH and DELETE'),
    user: userResponse.nullable().describe('The signed-in user; null for an anonymous session'),
    impersonation,
    second_factor_required: z
      .literal(true)
      .optional()
      .describe('After a login whose account has a second factor, until `POST /auth/second-factor`'),
  })
  .meta({ id: 'Session' });
export const acceptedResponse = z.object({ accepted: z.literal(true) });

type ShownUser = Pick<User, 'id' | 'email' | 'name' | 'phone' | 'role' | 'language' | 'emailConfirmed' | 'secondFactor'>;

export function presentUser({
  id,
  email,
  name,
  phone,
  role,
  language,
  emailConfirmed,
  secondFactor,
}: ShownUser): z.input<typeof userResponse> {
  return { id, email, name, phone, role, language, email_confirmed: emailConfirmed, second_factor: secondFactor };
}

/** @param impersonation the impersonation under which the session acts in the account of `user` */
export function presentSession(
  csrfToken: string,
  user: ShownUser | null,
  impersonation: Impersonation | null = null,
): z.input<typeof sessionResponse> {
  return {
    csrf_token: csrfToken,
    user: user === null ? null : presentUser(user),
    impersonation: impersonation === null ? null : presentImpersonation(impersonation),
  };
}

/** Presents a session whose second factor was not given yet (ACC-28). */
export function presentWaitingSession(csrfToken: string): z.input<typeof sessionResponse> {
  return { ...presentSession(csrfToken, null), second_factor_required: true };
}

export function presentImpersonation({ administrator, startedAt, expiresAt }: Impersonation): z.input<typeof impersonationResponse> {
  const { id, email, name } = administrator;
  return { administrator: { id, name, email }, started_at: formatDateTime(startedAt), expires_at: formatDateTime(expiresAt) };
}
