import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Scope } from '../../http/access/scopes.ts';
import type { Language } from '../../http/language.ts';
import { referenceTo } from '../../platform/database/reference.ts';

/** A person who can sign in. E-mails are kept in lower case, so that one address is one account. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.integer().primary().autoincrement(),
    email: p.string().length(254),
    passwordHash: p.string().length(255).hidden(),
    name: p.string().length(200),
    phone: p.string().length(40).strictNullable(),
    role: p.string().length(20).$type<UserRole>().default('user'),
    status: p.string().length(20).$type<UserStatus>().default('active'),
    // Language of notifications, mails and bot messages.
    language: p.string().length(2).$type<Language>().default('ru'),
    // Without it, mails other than links for this address are not sent (ACC-23).
    emailConfirmed: p.boolean().default(true),
    // Whether `second_factors` has a confirmed one: each request reads it with the account (ACC-28).
    secondFactor: p.boolean().default(false),
    // When the account last lost a right to read: a demotion, a transferred profile. In real time (API-6).
    rightsNarrowedAt: p.datetime().strictNullable(),
    // When the person was taken out of the account (PRV-3). It stays as a number, blocked for good.
    erasedAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'users_email_unique', properties: ['email'] }],
  // For the administrators' list and for notifications to all administrators.
  indexes: [
    { name: 'users_role_index', properties: ['role', 'id'] },
    { name: 'users_status_index', properties: ['status', 'id'] },
  ],
  checks: [
    { name: 'users_email_lower', expression: 'email = lower(email)' },
    { name: 'users_role_known', expression: "role in ('user', 'administrator')" },
    { name: 'users_status_known', expression: "status in ('active', 'blocked')" },
    { name: 'users_language_known', expression: "language in ('ru', 'kk', 'en')" },
  ],
});
export type User = InferEntity<typeof UserEntity>;
/** Recipient of a mail, with the language of the mail. */
export interface MailRecipient {
  email: string;
  language: Language;
  emailConfirmed: boolean;
  role: UserRole;
}
export type UserRole = 'user' | 'administrator';
export type UserStatus = 'active' | 'blocked';

/**
 * Search words of an account: the words of its name and e-mail and the digits of its telephone number. A trigger
 * (`guards.sql`) writes the row with the account, so no command can forget it.
 */
export const UserWordsEntity = defineEntity({
  name: 'UserWords',
  tableName: 'user_words',
  properties: {
    userId: () => referenceTo(UserEntity, 'user_id', 'user_words_user_fk').primary().deleteRule('cascade'),
    words: p.string().columnType('tsvector'),
  },
  indexes: [{ name: 'user_words_index', properties: ['words'], type: 'gin' }],
});

/**
 * A browser session. The cookie holds a random token; the database keeps only its SHA-256. `id` is safe to show in logs and process ids.
 * The person who signed in owns the session. Under impersonation it stays the administrator's, and `impersonatedUserId` names the user.
 */
export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary(),
    tokenHash: p.string().length(64).hidden(),
    userId: () => referenceTo(UserEntity, 'user_id', 'sessions_user_fk').strictNullable().deleteRule('cascade'),
    csrfToken: p.string().length(64).hidden(),
    createdAt: p.datetime(),
    lastSeenAt: p.datetime(),
    expiresAt: p.datetime(),
    // Client address and browser of the sign-in, to recognize the session.
    ip: p.string().length(64).strictNullable(),
    userAgent: p.string().length(200).strictNullable(),
    // Until the code is given, the session acts for no account and ends after five minutes (ACC-28).
    waitsForSecondFactor: p.boolean().default(false),
    impersonatedUserId: () =>
      referenceTo(UserEntity, 'impersonated_user_id', 'sessions_impersonated_user_fk').strictNullable().deleteRule('cascade'),
    impersonationStartedAt: p.datetime().strictNullable(),
    impersonationExpiresAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'sessions_token_unique', properties: ['tokenHash'] }],
  checks: [
    {
      name: 'sessions_impersonation_whole',
      expression: 'num_nulls(impersonated_user_id, impersonation_started_at, impersonation_expires_at) in (0, 3)',
    },
  ],
  // For "end all other sessions of this account" and for the retention sweep.
  indexes: [
    { name: 'sessions_user_index', properties: ['userId'] },
    { name: 'sessions_expiry_index', properties: ['expiresAt'] },
    { name: 'sessions_last_seen_index', properties: ['lastSeenAt'] },
    // To end the impersonations of one account, and the expired ones.
    { name: 'sessions_impersonated_user_index', properties: ['impersonatedUserId'], where: 'impersonated_user_id is not null' },
    { name: 'sessions_impersonation_expiry_index', properties: ['impersonationExpiresAt'], where: 'impersonation_expires_at is not null' },
  ],
});
export type Session = InferEntity<typeof SessionEntity>;

/**
 * The second factor of an account: TOTP by RFC 6238 (ACC-27). Secrets are encrypted with `ENCRYPTION_KEY`. A new secret waits in
 * `pendingSecret`, and the one in force stays until the new one is confirmed.
 */
export const SecondFactorEntity = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factors',
  properties: {
    userId: () => referenceTo(UserEntity, 'user_id', 'second_factors_user_fk').primary().deleteRule('cascade'),
    secret: p.text().strictNullable().hidden(),
    pendingSecret: p.text().strictNullable().hidden(),
    // Time step of the last accepted code; an older code is refused, so that none counts twice.
    lastStep: p.integer().default(0),
    recoveryCodeHashes: p.array().hidden(),
    confirmedAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
  },
  checks: [{ name: 'second_factors_confirmed_whole', expression: 'num_nulls(secret, confirmed_at) in (0, 2)' }],
});
export type SecondFactor = InferEntity<typeof SecondFactorEntity>;

/** Why an administrator removed the second factor of an account; append-only. The audit row with the same request id lacks the reason. */
export const SecondFactorRemovalEntity = defineEntity({
  name: 'SecondFactorRemoval',
  tableName: 'second_factor_removals',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'second_factor_removals_user_fk'),
    reason: p.text(),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'second_factor_removals_user_index', properties: ['userId'] }],
});

/** A key for programs: shown once, stored as SHA-256 (ACC-7). */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'api_keys_user_fk'),
    name: p.string().length(100),
    prefix: p.string().length(12),
    keyHash: p.string().length(64).hidden(),
    scopes: p.array().$type<Scope[]>(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().strictNullable(),
    revokedAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'api_keys_hash_unique', properties: ['keyHash'] }],
  indexes: [{ name: 'api_keys_user_index', properties: ['userId'] }],
});
export type ApiKey = InferEntity<typeof ApiKeyEntity>;

/** A captcha: single use, bound to its session and form, valid for ten minutes (ACC-5). */
export const CaptchaEntity = defineEntity({
  name: 'Captcha',
  tableName: 'captchas',
  properties: {
    id: p.uuid().primary(),
    sessionId: () => referenceTo(SessionEntity, 'session_id', 'captchas_session_fk').deleteRule('cascade'),
    purpose: p.string().length(20).$type<CaptchaPurpose>(),
    answerHash: p.string().length(64).hidden(),
    expiresAt: p.datetime(),
    closedAt: p.datetime().strictNullable(),
    closedBy: p.string().length(20).$type<'use' | 'newer' | 'time'>().strictNullable(),
    createdAt: p.datetime(),
  },
  // A session has at most one open captcha: a newer one closes the older.
  uniques: [{ name: 'captchas_open_unique', properties: ['sessionId'], where: 'closed_at is null' }],
  indexes: [
    // For the cascade when a session is deleted.
    { name: 'captchas_session_index', properties: ['sessionId'] },
    // For the retention sweep: open captchas to close, and closed ones to delete.
    { name: 'captchas_expiry_index', properties: ['expiresAt'], where: 'closed_at is null' },
    { name: 'captchas_closed_index', properties: ['expiresAt'], where: 'closed_at is not null' },
  ],
});
export type Captcha = InferEntity<typeof CaptchaEntity>;
export type CaptchaPurpose = 'register' | 'forgot' | 'contact';

/** A one-time link for a new password, valid for thirty minutes (ACC-6). */
export const PasswordResetEntity = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'password_resets_user_fk'),
    tokenHash: p.string().length(64).hidden(),
    expiresAt: p.datetime(),
    closedAt: p.datetime().strictNullable(),
    closedBy: p.string().length(20).$type<'use' | 'newer' | 'time'>().strictNullable(),
    createdAt: p.datetime(),
  },
  uniques: [
    { name: 'password_resets_token_unique', properties: ['tokenHash'] },
    { name: 'password_resets_open_unique', properties: ['userId'], where: 'closed_at is null' },
  ],
  // For the retention sweep: open links to close, and closed ones to delete.
  indexes: [
    { name: 'password_resets_expiry_index', properties: ['expiresAt'], where: 'closed_at is null' },
    { name: 'password_resets_closed_index', properties: ['expiresAt'], where: 'closed_at is not null' },
  ],
});
export type PasswordReset = InferEntity<typeof PasswordResetEntity>;

/** A one-time link that confirms the address of an account, valid for 24 hours (ACC-24). */
export const EmailConfirmationEntity = defineEntity({
  name: 'EmailConfirmation',
  tableName: 'email_confirmations',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => referenceTo(UserEntity, 'user_id', 'email_confirmations_user_fk'),
    tokenHash: p.string().length(64).hidden(),
    expiresAt: p.datetime(),
    closedAt: p.datetime().strictNullable(),
    closedBy: p.string().length(20).$type<'use' | 'newer' | 'time'>().strictNullable(),
    createdAt: p.datetime(),
  },
  uniques: [
    { name: 'email_confirmations_token_unique', properties: ['tokenHash'] },
    { name: 'email_confirmations_open_unique', properties: ['userId'], where: 'closed_at is null' },
  ],
  // For the retention sweep: open links to close, and closed ones to delete.
  indexes: [
    { name: 'email_confirmations_expiry_index', properties: ['expiresAt'], where: 'closed_at is null' },
    { name: 'email_confirmations_closed_index', properties: ['expiresAt'], where: 'closed_at is not null' },
  ],
});

/** A message of the contact form; it waits in the administrators' queue (ACC-16). */
export const ContactMessageEntity = defineEntity({
  name: 'ContactMessage',
  tableName: 'contact_messages',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.string().length(200),
    email: p.string().length(254),
    message: p.text(),
    status: p.string().length(20).$type<'new' | 'answered'>().default('new'),
    createdAt: p.datetime(),
    answeredAt: p.datetime().strictNullable(),
    answeredBy: () => referenceTo(UserEntity, 'answered_by', 'contact_messages_answerer_fk').strictNullable(),
    /** How the message was answered, for the other administrators. */
    answerNote: p.text().strictNullable(),
  },
  indexes: [
    { name: 'contact_messages_queue_index', properties: ['createdAt'], where: "status = 'new'" },
    // For the export of an account's data (PRV-2).
    { name: 'contact_messages_email_index', properties: ['email'] },
  ],
});
export type ContactMessage = InferEntity<typeof ContactMessageEntity>;

/**
 * A counter of attempts in the present window, shared by all API processes (ACC-15). The table also holds the addresses from which the
 * holders of accounts signed in (`rememberAddress`).
 */
export const AttemptCountEntity = defineEntity({
  name: 'AttemptCount',
  tableName: 'attempt_counts',
  properties: {
    key: p.string().length(150).primary(),
    count: p.integer(),
    resetsAt: p.datetime(),
  },
  indexes: [{ name: 'attempt_counts_reset_index', properties: ['resetsAt'] }],
});

/** An answered request of a signed-in caller, kept for seven days (ACC-33). Written aside, so it refers to no other row. */
export const RequestRecordEntity = defineEntity({
  name: 'RequestRecord',
  tableName: 'request_records',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    userId: p.integer(),
    keyId: p.integer().strictNullable(),
    requestId: p.string().length(64),
    method: p.string().length(10),
    route: p.string().length(120),
    status: p.smallint(),
    code: p.string().length(60).strictNullable(),
    durationMs: p.integer(),
    // Real time.
    at: p.datetime(),
  },
  indexes: [
    { name: 'request_records_user_index', properties: ['userId', 'id'] },
    { name: 'request_records_user_status_index', properties: ['userId', 'status', 'id'] },
    { name: 'request_records_key_index', properties: ['keyId', 'id'], where: 'key_id is not null' },
    { name: 'request_records_key_status_index', properties: ['keyId', 'status', 'id'], where: 'key_id is not null' },
    { name: 'request_records_at_index', properties: ['at'] },
    // For the search of administrators.
    { name: 'request_records_request_index', properties: ['requestId'] },
  ],
});
export type RequestRecordRow = InferEntity<typeof RequestRecordEntity>;
