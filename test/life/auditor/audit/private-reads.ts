import type { Exchange } from '../exchange.ts';
import { ownerOfRecord } from '../accounts/records.ts';
import type { Model } from '../model.ts';

/** The records that the first part of a path shows, by the audit's names; null for what shows nothing private. */
const kinds: Readonly<Record<string, string | null>> = {
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
  profiles: 'profile',
  services: null,
  session: null,
  wallet: 'wallet',
  webhooks: 'webhook',
};

/** Kinds of records of owners, which an administrator may read by their routes (AUD-4). */
const ofOwners: ReadonlySet<string> = new Set([
  'application',
  'contract',
  'document',
  'event',
  'file',
  'invoice',
  'profile',
  'registration',
]);

/** Open to everybody, or only of the reader's own records. */
const showsNothing: ReadonlySet<string> = new Set([
  'GET /events/public',
  'GET /events/public.ics',
  'GET /events/public/{id}',
  'GET /events/public/{id}/documents/regulations',
  'GET /events/public/{id}/documents/results',
  'GET /events/public/{id}/documents/additional/{document_id}',
  'GET /contracts/verify/{token}',
  'GET /contracts/verify/{token}/pdf',
]);

/** Their rows may have another name, or come once for each try: files of agreements and certificates, exports. */
const isFile = (operation: string) => /\/(?:preview|original|pdf|certificate|qr|credential|export|template\.xlsx)$/.test(operation);

/**
 * The rows that an answered read leaves: `<kind>.read kind/id`, without the record for a list of an impersonated account.
 * @returns null where the rules do not name the row
 */
export function privateReadsOf(model: Model, { operation, params, query, by, status }: Exchange): string[] | null {
  if (status !== 200 || showsNothing.has(operation)) return [];
  if (isFile(operation)) return null;
  const [, family = '', second = ''] = operation.slice('GET '.length).split('/');
  const kind = kinds[family];
  const isRecord = second === '{id}' || second === '{uuid}';
  const id = params['uuid'] ?? params['id'] ?? '';
  if (by.administratorId !== null) {
    if (kind === undefined) return null;
    return kind === null ? [] : [isRecord ? `${kind}.read ${kind}/${id}` : `${kind}.read`];
  }
  if (model.accounts.get(by.accountId)?.role !== 'administrator') return [];
  const [, ofRecord] = /^GET \/admin\/records\/(\w+|\{kind\})\/\{id\}$/.exec(operation) ?? [];
  if (ofRecord !== undefined) {
    const shown = String(ofRecord === '{kind}' ? params['kind'] : ofRecord);
    // One's own record is no read of another account (AUD-4).
    return ownerOfRecord(model, shown, Number(id)) === by.accountId ? [] : [`${shown}.read ${shown}/${id}`];
  }
  if (operation === 'GET /admin/ledger') {
    const account = /user_id=(\d+)/.exec(query)?.[1];
    return account === undefined ? [] : [`ledger.read user/${account}`];
  }
  if (operation === 'GET /admin/chats') return ['chat.read chat/list'];
  if (operation === 'GET /admin/chats/{user_id}')
    return Number(params['user_id']) === by.accountId ? [] : [`chat.read chat/${params['user_id']}`];
  if (operation === 'GET /admin/users/{id}' || operation === 'GET /admin/users/{id}/sessions')
    return Number(id) === by.accountId ? [] : [`user.read user/${id}`];
  if (operation === 'GET /admin/contact-messages/{id}') return [`contact_message.read contact_message/${id}`];
  if (operation === 'GET /admin/users/{id}/requests') return [`user.read user/${id}`];
  if (operation === 'GET /admin/profiles/{id}/owner/preview')
    return ownerOfRecord(model, 'profile', Number(id)) === by.accountId ? [] : [`profile.read profile/${id}`];
  if (family === 'admin' || family === 'changes') return openToAll.has(operation) ? [] : null;
  if (typeof kind !== 'string' || !ofOwners.has(kind) || !isRecord || operation === 'GET /events/{id}/registration-options') return [];
  const ownerId = kind === 'file' ? model.files.get(String(id).toLowerCase())?.ownerId : ownerOfRecord(model, kind, Number(id));
  if (ownerId === undefined || ownerId === null) return null;
  return ownerId === by.accountId ? [] : [`${kind}.read ${kind}/${id}`];
}

/**
 * The record on which an answered read of a file leaves a row, as `kind/id`: an export for each reader (REG-17), and files of agreements and
 * applications of another account for administrators (AUD-4, AGR-16).
 * @returns null where no row is owed
 */
export function fileReadOf(model: Model, { operation, params, by, status }: Exchange): string | null {
  if (status !== 200 || !isFile(operation)) return null;
  const id = Number(params['id']);
  const isExport = operation === 'GET /events/{id}/registrations/export' || operation === 'GET /events/{id}/participants/template.xlsx';
  if (isExport) return `event/${id}`;
  const kind = kinds[operation.split('/')[1] ?? ''];
  const isAdministrator = by.administratorId === null && model.accounts.get(by.accountId)?.role === 'administrator';
  if (!isAdministrator || (kind !== 'contract' && kind !== 'application')) return null;
  const ownerId = ownerOfRecord(model, kind, id) ?? by.accountId;
  return ownerId === by.accountId ? null : `${kind}/${id}`;
}

/** What administrators read of the registry, and of no account alone. */
const openToAll: ReadonlySet<string> = new Set([
  'GET /admin/audit',
  'GET /admin/catalog',
  'GET /admin/incidents/{id}',
  'GET /admin/overview',
  'GET /admin/processes',
  'GET /admin/queue',
  'GET /admin/search',
  'GET /changes',
]);
