import type { Touched } from '../area.ts';
import type { Model } from '../model.ts';
import type { Account, Link } from './account-records.ts';
import { revokeAll } from './keys.ts';
import { endSessionsOf } from './own-sessions.ts';
import { isWeak } from './passwords.ts';

export interface LinkBody {
  token: string;
  password?: string;
}

export const hasWeakPassword = ({ password }: LinkBody) => password !== undefined && isWeak(password);

const linkMs = { 'confirm-email': 24 * 3_600_000, reset: 30 * 60_000 } as const;

/** A link works once, in its time, until a newer one replaces it (ACC-6, ACC-24). */
export function isInForce(model: Model, { token }: LinkBody, now: Date): boolean {
  const link = model.links.get(token);
  const sent = link && model.accounts.get(link.accountId)?.links[link.page];
  if (!link || !sent || sent.isClosed || link.number !== sent.sent) return false;
  if (model.accounts.get(link.accountId)?.status === 'blocked') return false;
  return now.getTime() < sent.sentAt.getTime() + linkMs[link.page];
}

export function sendLink(account: Account | undefined, page: Link['page'], at: Date): Touched[] {
  if (!account) return [];
  const links = account.links[page];
  account.links[page] = { sent: links.sent + 1, sentAt: at, isClosed: false };
  return touched(account);
}

/** A used link confirms the address; one of a recovery ends what the former password gave (ACC-18, ACC-24). */
export function followLink(model: Model, { token, password }: LinkBody): Touched[] {
  const link = model.links.get(token);
  const account = link && model.accounts.get(link.accountId);
  if (!account) return [];
  account.isConfirmed = true;
  account.links['confirm-email'].isClosed = true;
  if (link.page === 'reset' && password !== undefined) {
    account.links.reset.isClosed = true;
    account.password = password;
    endSessionsOf(model, account.id);
    return [...touched(account), ...revokeAll(model, account.id, {})];
  }
  return touched(account);
}

const touched = ({ id }: Account): Touched[] => [{ kind: 'account', id }];
