import type { Caller } from '../exchange.ts';
import type { Model } from '../model.ts';
import type { Account } from './account-records.ts';

/** All permissions of keys (ACC-8); an ordinary account has those without `admin:`. */
export const allScopes = [
  'profiles:read',
  'profiles:write',
  'files:read',
  'files:write',
  'applications:read',
  'applications:write',
  'wallet:read',
  'wallet:write',
  'events:read',
  'events:write',
  'notifications:read',
  'notifications:write',
  'changes:read',
  'webhooks:write',
  'admin:read',
  'admin:write',
] as const;

const isAdministrators = (scope: string) => scope.startsWith('admin:');

/** Permissions that an account of this role may give to a key. */
export function scopesOf(role: Account['role']): string[] {
  return allScopes.filter((scope) => role === 'administrator' || !isAdministrators(scope));
}

/** Whether a request has the rights of an administrator: a key needs the permission for it (ADM-1). */
export function actsAsAdministrator(
  model: Model,
  { accountId, scopes }: Caller,
  scope: 'admin:read' | 'admin:write' = 'admin:write',
): boolean {
  return model.accounts.get(accountId)?.role === 'administrator' && (scopes === null || scopes.includes(scope));
}

/** Routes that no key may use (ACC-7, ACC-13, ACC-26, ACC-27). */
const browserOnly: ReadonlySet<string> = new Set([
  'GET /api-keys',
  'POST /api-keys',
  'DELETE /api-keys/{id}',
  'POST /auth/password',
  'PATCH /admin/users/{id}',
  'DELETE /admin/users/{id}/second-factor',
  'POST /admin/impersonate',
  'POST /admin/ledger/corrections',
  'POST /admin/ledger/{entry_id}/reverse',
  'GET /account/sessions',
  'DELETE /account/sessions',
  'DELETE /account/sessions/{id}',
  'POST /account/second-factor',
  'POST /account/second-factor/confirm',
  'DELETE /account/second-factor',
  'GET /notifications/stream',
  'POST /messaging-bot',
  'DELETE /messaging-bot',
]);

/** The permission that each route needs, by its method and the beginning of its path; the longest beginning counts. */
const needed: readonly [start: string, scope: string][] = [
  ['GET /profiles', 'profiles:read'],
  ['POST /profiles', 'profiles:write'],
  ['PATCH /profiles', 'profiles:write'],
  ['DELETE /profiles', 'profiles:write'],
  ['GET /documents', 'profiles:read'],
  ['POST /documents', 'profiles:write'],
  ['PATCH /documents', 'profiles:write'],
  ['GET /files', 'files:read'],
  ['POST /files', 'files:write'],
  ['DELETE /files', 'files:write'],
  ['GET /applications', 'applications:read'],
  ['POST /applications', 'applications:write'],
  ['PATCH /applications', 'applications:write'],
  ['PUT /applications', 'applications:write'],
  ['POST /applications/{id}/pay', 'wallet:write'],
  ['GET /wallet', 'wallet:read'],
  ['GET /invoices', 'wallet:read'],
  ['POST /invoices', 'wallet:write'],
  ['GET /events', 'events:read'],
  ['POST /events', 'events:write'],
  ['PATCH /events', 'events:write'],
  ['PUT /events', 'events:write'],
  ['DELETE /events', 'events:write'],
  ['GET /events/{id}/registration-options', 'applications:read'],
  ['POST /events/{id}/register', 'applications:write'],
  ['POST /events/{id}/registrations/batch', 'applications:write'],
  ['POST /events/{id}/registrations/import', 'applications:write'],
  ['GET /events/{id}/registrations/template.xlsx', 'applications:read'],
  ['GET /registration-imports', 'applications:read'],
  ['GET /participant-imports', 'events:read'],
  ['GET /event-registrations', 'applications:read'],
  ['POST /event-registrations', 'applications:write'],
  ['GET /contracts', 'events:read'],
  ['POST /contracts', 'events:write'],
  ['GET /notifications', 'notifications:read'],
  ['POST /notifications', 'notifications:write'],
  ['PUT /notifications', 'notifications:write'],
  ['PATCH /account', 'notifications:write'],
  ['GET /messenger', 'notifications:read'],
  ['POST /messenger', 'notifications:write'],
  ['GET /chat', 'notifications:read'],
  ['POST /chat', 'notifications:write'],
  ['GET /changes', 'changes:read'],
  ['GET /webhooks', 'webhooks:write'],
  ['POST /webhooks', 'webhooks:write'],
  ['PATCH /webhooks', 'webhooks:write'],
  ['DELETE /webhooks', 'webhooks:write'],
  ['GET /admin/', 'admin:read'],
  ['POST /admin/', 'admin:write'],
  ['PATCH /admin/', 'admin:write'],
  ['PUT /admin/', 'admin:write'],
];

/** Anybody may send these, with a key or without. */
const isPublic = (operation: string) => /^\w+ \/contracts\/verify/.test(operation);

/** What a route asks of a key: a permission; `browser` where no key is enough; null for what the list does not know. */
export function scopeFor(operation: string): string | null {
  if (browserOnly.has(operation)) return 'browser';
  if (isPublic(operation)) return null;
  const [found] = needed.filter(([start]) => operation.startsWith(start)).toSorted(([left], [right]) => right.length - left.length);
  return found?.[1] ?? null;
}
