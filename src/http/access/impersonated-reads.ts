import type { Route } from '../define-route.ts';
import { isClosedToImpersonation } from './access.ts';

/** What an administrator reads of the account that they impersonate (AUD-8). */
export interface ImpersonatedRead {
  /** The record of the path (`/profiles/:id`); a list and a record without an id belong to the account. */
  kind: string;
  recordParameter: string | null;
  /** The route's name. */
  operation: string;
}

/** The kind of record that signed-in callers read below the first segment of a path; null: it shows no private data. */
const readKinds: Readonly<Record<string, string | null>> = {
  account: 'account',
  applications: 'application',
  changes: 'change',
  chat: 'chat',
  'contract-templates': null,
  contracts: 'contract',
  documents: 'document',
  'event-registrations': 'registration',
  events: 'event',
  files: 'file',
  invoices: 'invoice',
  'messaging-bot': 'messaging_bot',
  messenger: 'messenger',
  notifications: 'notification',
  'participant-imports': 'import',
  profiles: 'profile',
  'registration-imports': 'import',
  services: null,
  wallet: 'wallet',
  webhooks: 'webhook',
};

/**
 * Returns what a route reads of an impersonated account; null for a route that is no such read: it changes something, is open without
 * sign-in, is closed to impersonation, audits its reads itself, or shows no private data.
 * @throws {Error} for a route of signed-in callers whose kind `readKinds` does not declare
 */
export function impersonatedReadOf(route: Pick<Route, 'name' | 'method' | 'path' | 'access' | 'auditsReads'>): ImpersonatedRead | null {
  const isOpen = ['public', 'session', 'impersonator'].includes(route.access.kind);
  if (route.method !== 'GET' || route.auditsReads || isOpen || isClosedToImpersonation(route.access)) return null;
  const [, family = '', second = ''] = route.path.split('/');
  const kind = readKinds[family];
  if (kind === undefined) throw new Error(`${route.name}: declare the kind of record that /${family} reads`);
  if (kind === null) return null;
  return { kind, recordParameter: second.startsWith(':') ? second.slice(1) : null, operation: route.name };
}
