import { isDeepStrictEqual } from 'node:util';
import type { Area, Asked } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { compare, type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { readsAll } from '../webhooks/webhook-judgement.ts';
import { mayLeaveNoRow } from '../audit/audit.ts';
import { refusalOfKey } from './keys.ts';
import { ownerOfRecord } from './records.ts';
import { refusalOfBrowser } from './rights.ts';
import { scopeFor } from './scopes.ts';

/** For how long a key is good (API-6), less a day. */
export const keyMs = 29 * 86_400_000;

/** The registry keeps no longer answer, bytes. */
const longestKept = 60_000;

/** A write that was repeated with its key, and what the rules say of the repeat: `same` for the first answer. */
export interface Repeat {
  first: Exchange;
  judgement: Judgement | 'same';
}

/** Whether a route answers a repeat, by API-6: those that renew the session run again. */
export function isRepeatable({ operation, status, key, file, by }: Exchange): boolean {
  if (operation.startsWith('GET ') || operation.includes('/auth/') || operation === 'POST /admin/impersonate') return false;
  return status < 300 && key !== null && file === null && by.accountId !== 0;
}

/** Their mails go out with each run of the request, not with each effect (ACC-19, ACC-24). */
const mailing = /^\w+ \/(?:account|api-keys|webhooks)(?:\/|$)/;

/**
 * Whether a repeat may take effect again: the account has lost a right since, and the first request may have changed nothing (API-6). What
 * it would change now, the auditor cannot tell.
 */
export function mayRunAgain(model: Model, first: Exchange): boolean {
  const { operation, by, at } = first;
  const narrowedAt = model.rightsNarrowedAt.get(by.accountId);
  if (narrowedAt === undefined || at > narrowedAt || !(mayLeaveNoRow(operation) || mailing.test(operation))) return false;
  const ownerId = ownerOfWritten(model, first);
  return ownerId === null || ownerId === by.accountId;
}

/** By today's rights (API-6): the first answer, or after a loss of rights the record as far as it is still the caller's. */
export function judgeRepeat(model: Model, first: Exchange, asked: Asked, now: Date): Repeat['judgement'] {
  const { by, operation } = asked;
  const need = scopeFor(operation);
  if (by.scopes !== null && need === null) return 'open';
  const refusal = by.scopes === null ? refusalOfBrowser(model, asked) : refusalOfKey(model, asked, need ?? 'account', now);
  if (refusal !== null) return refusal;
  const narrowedAt = model.rightsNarrowedAt.get(by.accountId);
  if (narrowedAt === undefined || first.at > narrowedAt) return first.bytes.length < longestKept ? 'same' : 'open';
  const ownerId = ownerOfWritten(model, first);
  return ownerId === null || ownerId === by.accountId || readsAll(model, asked) ? 'open' : refuse();
}

/** @throws {Finding} when a repeat is answered in another way than the rules say */
export function compareRepeat({ first, judgement }: Repeat, exchange: Exchange): void {
  if (judgement !== 'same') return compare(judgement, exchange);
  const { operation, params, by, status, data, meta, error, headers } = exchange;
  const seen = { status, data: error ?? data, meta, isReplayed: headers.get('idempotent-replayed') === 'true' };
  const expected = { status: first.status, data: first.data, meta: first.meta, isReplayed: true };
  // A message that is sent again is there already.
  if (status === 200 && operation.startsWith('POST /messenger/')) seen.status = first.status;
  if (!isDeepStrictEqual(expected, seen))
    throw new Finding(
      `${operation} ${JSON.stringify(params)}, repeated by ${by.name} with its key, is answered as before (API-6)`,
      expected,
      seen,
    );
}

/** Follows when accounts lose a right to read: by another role, and with a profile that goes to another account. */
export const repeatsArea: Area = {
  saw(model, { operation, params, body, at }) {
    if (operation === 'PUT /admin/profiles/{id}/owner')
      model.rightsNarrowedAt.set((body as { current_user_id: number }).current_user_id, at);
    if (operation === 'PATCH /admin/users/{id}' && (body as { role?: string }).role === 'user')
      model.rightsNarrowedAt.set(Number(params['id']), at);
    return [];
  },
};

const kinds: Readonly<Record<string, string>> = {
  profiles: 'profile',
  documents: 'document',
  applications: 'application',
  invoices: 'invoice',
  events: 'event',
  contracts: 'contract',
};

/** The owner of the record that a write made or changed; null where the auditor cannot tell. */
export function ownerOfWritten(model: Model, { operation, params, data }: Exchange): number | null {
  // A deletion is answered without the record.
  if (operation.startsWith('DELETE ')) return null;
  const [, family = '', rest = ''] = /^\w+ \/(\w+)(\/\{id\}(?:\/.*)?)?$/.exec(operation) ?? [];
  const kind = kinds[family];
  // What athletes do at an event is theirs.
  if (kind === undefined || /\/register$|\/registrations\/(?:batch|import)$/.test(rest)) return null;
  return ownerOfRecord(model, kind, Number(rest === '' ? data?.id : params['id']));
}
