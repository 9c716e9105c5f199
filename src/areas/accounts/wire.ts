import { z } from 'zod';
import { dictionary } from '@zxcvbn-ts/language-common';
import { type Impersonation, impersonationOf, type SignedIn } from '../../http/access/access.ts';
import { scopes } from '../../http/access/scopes.ts';
import { languages } from '../../http/language.ts';
import { dateTimeResponse, emailAddress, endDateTime, id, line, note, paging, uuid, versionResponse } from '../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../platform/time/date-time.ts';
import { captchaLength } from './captcha/issue-captcha.ts';
import type { ApiKey, Captcha, ContactMessage, User } from './entities.ts';
import type { ListedUser } from './users/list-users.ts';

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
const email = emailAddress.toLowerCase().meta({
  description: 'Kept and compared in lower case, an internationalized domain in its ASCII form (`xn--…`)',
  examples: ['aigerim@example.kz'],
});

/** A new password (ACC-1). */
const newPassword = z
  .string()
  .min(leastPasswordLength)
  .max(longestPassword)
  .refine((password) => !isCommonPassword(password), 'is a common password')
  .describe(`${leastPasswordLength}-${longestPassword} characters, no common password`);
/** The present password of an account. */
const presentPassword = z.string().min(1).max(longestPassword);
const confirmingCode = z
  .string()
  .trim()
  .min(6)
  .max(60)
  .optional()
  .describe('Needed where the account has a second factor: six digits, or a recovery code');
/** Fields by which a person confirms an action (`confirmInPerson`). */
export const confirmation = { password: presentPassword.describe("The caller's own password"), code: confirmingCode };

const captcha = {
  captcha_id: uuid.describe('From GET /captcha with the purpose of this form'),
  captcha_answer: z.string().trim().length(captchaLength).describe('The five characters of the image, in upper or lower case'),
};

const name = line(200);
const scopesText = 'Each operation names the scope that it needs';
const phone = z
  .string()
  .trim()
  .regex(/^\+?[0-9 ()-]{5,39}$/, 'must be a telephone number')
  .meta({ examples: ['+7 701 000 00 00'] });

export const registerBody = z
  .strictObject({ email, password: newPassword, name, phone: phone.optional(), ...captcha })
  .meta({ id: 'Registration' });
export const loginBody = z.strictObject({ email, password: presentPassword }).meta({ id: 'Login' });
export const forgotBody = z.strictObject({ email, ...captcha }).meta({ id: 'PasswordResetRequest' });
export const resetBody = z
  .strictObject({
    token: z.string().min(1).max(100).describe('Token of the link in the mail'),
    password: newPassword,
    keep_api_keys: z
      .boolean()
      .optional()
      .meta({ description: 'Without effect: a recovery always ends keys and webhooks', deprecated: true }),
  })
  .meta({ id: 'PasswordReset' });
export const confirmEmailBody = z
  .strictObject({ token: z.string().min(1).max(100).describe('Token of the link in the mail') })
  .meta({ id: 'EmailConfirmation' });
export const passwordBody = z
  .strictObject({
    current_password: presentPassword,
    code: confirmingCode,
    password: newPassword,
    keep_api_keys: z
      .boolean()
      .default(false)
      .describe('True: the API keys and webhooks of the account go on; false: the keys are revoked, the webhooks disabled'),
  })
  .meta({ id: 'PasswordChange' });
export const contactBody = z
  .strictObject({ name, email, message: z.string().trim().min(1).max(3000), ...captcha })
  .meta({ id: 'ContactMessage' });
export const captchaQuery = z.strictObject({ purpose: z.enum(['register', 'forgot', 'contact']) });
export const apiKeyBody = z
  .strictObject({
    name: line(100),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).describe(scopesText),
    expires_at: endDateTime.describe('Within five years; a bare day means its last second'),
    ...confirmation,
  })
  .meta({ id: 'NewApiKey' });
export const impersonationBody = z.strictObject({ user_id: id, ...confirmation }).meta({ id: 'NewImpersonation' });
export const confirmationBody = z.strictObject(confirmation).meta({ id: 'PasswordConfirmation' });

const role = z.enum(['user', 'administrator']);
const keyPrefix = z.string().describe('First characters of the key, to recognize it');
const language = z.enum(languages).describe('Language of notifications, mails and bot messages');
const emailConfirmed = z
  .boolean()
  .describe('False until a link of a mail to the address is used; the account then gets no mails but confirmation and recovery links');
const userResponse = z
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
export const accountBody = z.strictObject({ language }).meta({ id: 'AccountChanges' });
const impersonationResponse = z
  .object({
    administrator: z.object({ id, name: z.string(), email: z.string() }).describe('The administrator who acts in the account'),
    started_at: dateTimeResponse,
    expires_at: dateTimeResponse,
  })
  .meta({ id: 'Impersonation' });
const impersonation = impersonationResponse
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
export const captchaResponse = z
  .object({
    id: uuid,
    captcha_id: uuid.describe('Same as `id`, with the name of the field in the forms'),
    image: z.string().describe('PNG as a data URL'),
    expires_at: dateTimeResponse,
  })
  .meta({ id: 'Captcha' });
export const accountResponse = z
  .object({
    user: userResponse,
    role,
    scopes: z.array(z.enum(scopes)).describe(scopesText),
    by: z.enum(['session', 'key']).describe('How the caller is authenticated'),
    session: z
      .object({ id: uuid, created_at: dateTimeResponse, expires_at: dateTimeResponse })
      .nullable()
      .describe('Null for a caller with an API key'),
    key: z
      .object({ id, name: z.string(), prefix: keyPrefix })
      .nullable()
      .describe('The API key of the request; null for a browser session'),
    impersonation,
  })
  .meta({ id: 'Account' });
export const apiKeyResponse = z
  .object({
    id,
    name: z.string(),
    prefix: keyPrefix,
    scopes: z.array(z.enum(scopes)).describe(scopesText),
    created_at: dateTimeResponse,
    expires_at: dateTimeResponse,
    last_used_at: dateTimeResponse.nullable(),
  })
  .meta({ id: 'ApiKey' });
export const newApiKeyResponse = apiKeyResponse
  .extend({ key: z.string().describe('The key; it is not shown again') })
  .meta({ id: 'IssuedApiKey' });
const status = z.enum(['active', 'blocked']).describe('`blocked`: cannot sign in; its API keys are refused');
export const usersQuery = z.strictObject({
  q: line(200)
    .optional()
    .meta({
      examples: ['aigerim'],
      description: 'An id, beginnings of words of name and e-mail (all must match, in any order), or the beginning of a telephone number',
    }),
  role: role.optional(),
  status: status.optional(),
  ...paging,
});
export const userChangeBody = z
  .strictObject({
    role: role.optional(),
    status: status.optional(),
    ...confirmation,
  })
  .meta({ id: 'UserChange' });
export const listedUserResponse = userResponse
  .extend({
    status,
    created_at: dateTimeResponse,
    updated_at: versionResponse,
    sessions: z.int().min(0).describe('Valid browser sessions'),
    api_keys: z.int().min(0).describe('API keys that are neither revoked nor expired; the keys of a blocked account are refused'),
    last_seen_at: dateTimeResponse.nullable().describe('Last use of an existing browser session, to the minute'),
  })
  .meta({ id: 'ListedUser' });
export const answeredBody = z
  .strictObject({ note: note.nullable().optional().describe('How the message was answered, for the other administrators') })
  .prefault({})
  .meta({ id: 'ContactMessageAnswer' });
export const contactMessageResponse = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    message: z.string(),
    status: z.enum(['new', 'answered']).describe('`answered`: an administrator has marked it so'),
    created_at: dateTimeResponse,
    answered_at: dateTimeResponse.nullable(),
    answered_by: id.nullable().describe('The administrator who marked the message as answered'),
    note: z.string().nullable(),
  })
  .meta({ id: 'ReceivedContactMessage' });
export const contactResponse = z.object({ id, created_at: dateTimeResponse });
export const acceptedResponse = z.object({ accepted: z.literal(true) });
export const confirmEmailResponse = z.object({ email_confirmed: z.literal(true) });
export const resetResponse = z.object({ password_changed: z.literal(true) });

type ShownUser = Pick<User, 'id' | 'email' | 'name' | 'phone' | 'role' | 'language' | 'emailConfirmed' | 'secondFactor'>;

function presentUser({ id, email, name, phone, role, language, emailConfirmed, secondFactor }: ShownUser): z.input<typeof userResponse> {
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

function presentImpersonation({ administrator, startedAt, expiresAt }: Impersonation): z.input<typeof impersonationResponse> {
  const { id, email, name } = administrator;
  return { administrator: { id, name, email }, started_at: formatDateTime(startedAt), expires_at: formatDateTime(expiresAt) };
}

export function presentCaptcha({ id, expiresAt }: Readonly<Captcha>, png: Buffer): z.input<typeof captchaResponse> {
  return { id, captcha_id: id, image: `data:image/png;base64,${png.toString('base64')}`, expires_at: formatDateTime(expiresAt) };
}

/** Presents the caller and their scopes. */
export function presentAccount(principal: SignedIn): z.input<typeof accountResponse> {
  const { user, scopes, by } = principal;
  const impersonation = impersonationOf(principal);
  return {
    user: presentUser(user),
    role: user.role,
    scopes: [...scopes],
    by: by.kind,
    session:
      by.kind === 'session'
        ? { id: by.session.id, created_at: formatDateTime(by.session.createdAt), expires_at: formatDateTime(by.session.expiresAt) }
        : null,
    key: by.kind === 'key' ? { id: by.key.id, name: by.key.name, prefix: by.key.prefix } : null,
    impersonation: impersonation === null ? null : presentImpersonation(impersonation),
  };
}

export function presentApiKey(key: Readonly<ApiKey>): z.input<typeof apiKeyResponse> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: formatDateTime(key.createdAt),
    expires_at: formatDateTime(key.expiresAt),
    last_used_at: key.lastUsedAt === null ? null : formatDateTime(key.lastUsedAt),
  };
}

/** Presents an account to administrators. */
export function presentListedUser(user: ListedUser): z.input<typeof listedUserResponse> {
  return {
    ...presentUser(user),
    status: user.status,
    created_at: formatDateTime(user.createdAt),
    updated_at: formatVersion(user.updatedAt),
    sessions: user.sessions,
    api_keys: user.apiKeys,
    last_seen_at: user.lastSeenAt && formatDateTime(user.lastSeenAt),
  };
}

export function presentContactMessage(message: Readonly<ContactMessage>): z.input<typeof contactMessageResponse> {
  return {
    id: message.id,
    name: message.name,
    email: message.email,
    message: message.message,
    status: message.status,
    created_at: formatDateTime(message.createdAt),
    answered_at: message.answeredAt && formatDateTime(message.answeredAt),
    answered_by: message.answeredBy,
    note: message.answerNote,
  };
}
