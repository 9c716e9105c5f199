import { sql } from 'kysely';
import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';

const personalUsers = personal(
  'users',
  'user',
  { account: 'id' },
  { passwordHash: 'secret', role: 'fact', language: 'fact', emailConfirmed: 'fact', secondFactor: 'fact', rightsNarrowedAt: 'technical' },
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
);

export const accountsRecords: readonly PersonalRecord[] = [
  personalUsers,
  personal('user_words', 'user_words', { account: 'userId' }, 'technical'),
  personalSessions,
  personal(
    'second_factors',
    'second_factor',
    { account: 'userId' },
    { secret: 'secret', pendingSecret: 'secret', lastStep: 'technical', recoveryCodeHashes: 'secret', confirmedAt: 'fact' },
  ),
  personal('second_factor_removals', 'second_factor_removal', { account: 'userId' }, {}),
  personal(
    'api_keys',
    'api_key',
    { account: 'userId' },
    { prefix: 'fact', keyHash: 'secret', scopes: 'fact', lastUsedAt: 'fact', revokedAt: 'fact' },
  ),
  personal('captchas', 'captcha', { column: 'sessionId', of: personalSessions }, 'technical'),
  personal('password_resets', 'password_reset', { account: 'userId' }, { closedBy: 'fact' }),
  personal('email_confirmations', 'email_confirmation', { account: 'userId' }, { closedBy: 'fact' }),
  personal(
    'contact_messages',
    'contact_message',
    { where: ({ userId }) => sql`contact_messages.email = (select email from users where id = ${userId})` },
    { message: 'personal', answeredAt: 'fact', answeredBy: 'technical', answerNote: 'personal' },
  ),
  personal(
    'request_records',
    'request_record',
    { account: 'userId' },
    { keyId: 'fact', method: 'fact', route: 'fact', code: 'fact', durationMs: 'fact' },
  ),
];

export const accountsImpersonalRecords: readonly ImpersonalRecord[] = [impersonal('attempt_counts', 'counters by a hash or a number')];
