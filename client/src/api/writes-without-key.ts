/** Writes that take no `Idempotency-Key`; `test/client/package.test.ts` compares them with the OpenAPI document. */
export const writesWithoutKey: readonly string[] = [
  'POST /auth/register',
  'POST /auth/login',
  'POST /auth/logout',
  'POST /contact',
  'POST /auth/forgot',
  'POST /auth/reset',
  'POST /auth/password',
  'POST /auth/confirm-email',
  'POST /auth/second-factor',
  'POST /admin/impersonate',
  'POST /auth/impersonation/stop',
  'POST /bank/callback',
  'POST /contracts/verify-file',
  'POST /messaging-bot/webhook',
];
