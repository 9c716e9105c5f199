import { sql } from 'kysely';
import { cleared, nameWithheld, type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';

/** In place of an e-mail: unique, and no address that a registration could take or a mail could reach. */
const noAddress = sql`'erased-' || id`;

const personalUsers = personal(
  'users',
  'user',
  { account: 'id' },
  {
    passwordHash: 'secret',
    role: 'fact',
    language: 'fact',
    emailConfirmed: 'fact',
    secondFactor: 'fact',
    rightsNarrowedAt: 'technical',
    erasedAt: 'fact',
  },
  {
    keptFor: 'numbers',
    columns: { email: noAddress, passwordHash: sql`'erased'`, name: nameWithheld, phone: cleared },
  },
);

const personalSessions = personal(
  'sessions',
  'session',
  { account: 'userId' },
  {
    csrfToken: 'secret',
    lastSeenAt: 'fact',
    userAgent: 'personal',
    waitsForSecondFactor: 'technical',
    impersonatedUserId: 'fact',
    impersonationStartedAt: 'fact',
    impersonationExpiresAt: 'fact',
  },
  'deleted',
);

export const accountsRecords: readonly PersonalRecord[] = [
  personalUsers,
  personal('user_words', 'user_words', { account: 'userId' }, 'technical', 'derived'),
  personalSessions,
  personal(
    'second_factors',
    'second_factor',
    { account: 'userId' },
    { secret: 'secret', pendingSecret: 'secret', lastStep: 'technical', recoveryCodeHashes: 'secret', confirmedAt: 'fact' },
    'deleted',
  ),
  personal('second_factor_removals', 'second_factor_removal', { account: 'userId' }, {}, 'deleted'),
  personal(
    'api_keys',
    'api_key',
    { account: 'userId' },
    { prefix: 'fact', keyHash: 'secret', scopes: 'fact', lastUsedAt: 'fact', revokedAt: 'fact' },
    'deleted',
  ),
  personal('captchas', 'captcha', { column: 'sessionId', of: personalSessions }, 'technical', 'deleted'),
  personal('password_resets', 'password_reset', { account: 'userId' }, { closedBy: 'fact' }, 'deleted'),
  personal('email_confirmations', 'email_confirmation', { account: 'userId' }, { closedBy: 'fact' }, 'deleted'),
  personal(
    'contact_messages',
    'contact_message',
    { where: ({ userId }) => sql`contact_messages.email = (select email from users where id = ${userId})` },
    { message: 'personal', answeredAt: 'fact', answeredBy: 'technical', answerNote: 'personal' },
    'deleted',
  ),
  personal(
    'request_records',
    'request_record',
    { account: 'userId' },
    { keyId: 'fact', method: 'fact', route: 'fact', code: 'fact', durationMs: 'fact' },
    'deleted',
  ),
];

export const accountsImpersonalRecords: readonly ImpersonalRecord[] = [impersonal('attempt_counts', 'counters by a hash or a number')];
