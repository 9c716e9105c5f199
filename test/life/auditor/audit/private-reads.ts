import type { Exchange } from '../exchange.ts';
import type { Model } from '../model.ts';

/** The records that the first part of a path shows, by the audit's names; null for what shows nothing private. */
const kinds: Readonly<Record<string, string | null>> = {
  account: 'account',
  applications: 'application',
  changes: 'change',
  chat: 'chat',
  contracts: 'contract',
  documents: 'document',
  'event-registrations': 'registration',
  events: 'event',
  files: 'file',
  invoices: 'invoice',
  'messaging-bot': 'messaging_bot',
  messenger: 'messenger',
  notifications: 'notification',
  profiles: 'profile',
  services: null,
  session: null,
  wallet: 'wallet',
  webhooks: 'webhook',
};

/** Single records of owners, which an administrator may read by their own routes (AUD-4). */
const ofOwners: ReadonlySet<string> = new Set(['application', 'document', 'profile', 'invoice']);

/**
 * The rows that an answered read leaves: `<kind>.read kind/id`, without the record for a list of an impersonated account.
 * @returns null where the rules do not name the row
 */
export function privateReadsOf(model: Model, { operation, params, query, by, status }: Exchange): string[] | null {
  if (status !== 200) return [];
  const [, family = '', second = ''] = operation.slice('GET '.length).split('/');
  const id = String(params['id'] ?? '');
  if (by.administratorId !== null) {
    const kind = kinds[family];
    if (kind === undefined) return null;
    return kind === null ? [] : [second === '{id}' ? `${kind}.read ${kind}/${id}` : `${kind}.read`];
  }
  if (model.accounts.get(by.accountId)?.role !== 'administrator') return [];
  if (operation === 'GET /admin/records/{kind}/{id}') return [`${params['kind']}.read ${params['kind']}/${id}`];
  if (operation === 'GET /admin/ledger') {
    const account = /user_id=(\d+)/.exec(query)?.[1];
    return account === undefined ? [] : [`ledger.read user/${account}`];
  }
  if (operation === 'GET /admin/chats') return ['chat.read chat/list'];
  if (operation === 'GET /admin/chats/{user_id}') return [`chat.read chat/${params['user_id']}`];
  if (family === 'admin' || family === 'changes') return openToAll.has(operation) ? [] : null;
  const kind = kinds[family];
  return typeof kind === 'string' && ofOwners.has(kind) && second === '{id}' ? [`${kind}.read ${kind}/${id}`] : null;
}

/** What administrators read of the registry, and of no account alone. */
const openToAll: ReadonlySet<string> = new Set([
  'GET /admin/audit',
  'GET /admin/catalog',
  'GET /admin/overview',
  'GET /admin/processes',
  'GET /admin/queue',
  'GET /changes',
]);
