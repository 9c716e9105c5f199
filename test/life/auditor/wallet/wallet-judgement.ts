import { confirmed } from '../accounts/in-person.ts';
import type { Asked } from '../area.ts';
import { isLiving } from '../applications/ends.ts';
import { type Judgement, refuse, refuseWith } from '../judgement.ts';
import type { Model } from '../model.ts';
import { judgeByMoney, judgeResolution } from './incidents.ts';
import type { Invoice } from './wallet-records.ts';

const leastInvoice = 10_000;
const mostInvoice = 500_000_000;
const mostOpen = 20;

/** What the rules say of a request about money, by `docs/rules/wallet.md`. */
export function judgeWallet(model: Model, asked: Asked, now: Date): Judgement | null {
  const { operation, params, body } = asked;
  switch (operation) {
    case 'POST /invoices':
      return judgeInvoice(model, asked, now);
    case 'POST /invoices/{id}/checkout':
      return judgeOwn(model, asked, (invoice) => (isOpen(invoice, now) ? 'accept' : refuse('invoice_not_open')));
    case 'POST /invoices/{id}/verify':
      return judgeOwn(model, asked, () => 'open');
    case 'POST /admin/ledger/corrections':
      return judgeCorrection(model, asked);
    case 'POST /admin/ledger/{entry_id}/reverse':
      return judgeReversal(model, asked);
    case 'POST /admin/incidents/{id}/resolve': {
      const { reason } = body as Confirmed;
      return isExplained(reason) ? judgeResolution(model, Number(params['id'])) : refuse('validation_failed');
    }
    default:
      return null;
  }
}

interface Confirmed {
  reason: string;
  incident_id?: number | null;
}

interface Correction extends Confirmed {
  user_id: number;
  amount: string;
  direction: 'credit' | 'debit';
}

/** Between 100.00 and 5,000,000.00; at most twenty open ones; one for each key (WAL-3, WAL-4). */
function judgeInvoice(model: Model, { body, by, key }: Asked, now: Date): Judgement {
  const { amount } = body as { amount: string };
  const tiyn = tiynOf(amount);
  if (tiyn < leastInvoice || tiyn > mostInvoice) return refuse('validation_failed');
  const earlier = key === null ? undefined : model.usedKeys.get(`${by.accountId}/POST /invoices/${key}`);
  if (earlier !== undefined)
    return tiynOf((earlier.body as { amount: string }).amount) === tiyn ? 'accept' : refuse('idempotency_key_conflict');
  const open = model.invoices.values().filter((invoice) => invoice.ownerId === by.accountId && isOpen(invoice, now));
  const count = [...open].length;
  // The bank may have closed one.
  if (count < mostOpen) return 'accept';
  return [...model.invoices.values()].some(({ ownerId, bankSays }) => ownerId === by.accountId && bankSays !== null)
    ? 'open'
    : refuseWith('too_many_open_invoices', { open: count, limit: mostOpen });
}

/** Only its owner checks it out and verifies it (WAL-15). */
function judgeOwn(model: Model, { params, by }: Asked, judgeIt: (invoice: Invoice) => Judgement): Judgement {
  const invoice = model.invoices.get(Number(params['id']));
  if (invoice?.ownerId !== by.accountId) return refuse('not_found');
  const isUnsettled = invoice.bankSays !== null && !invoice.isCredited && invoice.status !== 'mismatch';
  return isUnsettled ? 'open' : judgeIt(invoice);
}

function isOpen({ status, expiresAt }: Invoice, now: Date): boolean {
  return (status === 'created' || status === 'pending') && now < expiresAt;
}

const isExplained = (reason: string) => [...reason].length >= 5 && [...reason].length <= 3000;

/** The password, a reason, an amount above zero, and money that is there (WAL-2, WAL-10). */
function judgeCorrection(model: Model, { body, by, key }: Asked): Judgement {
  const { user_id: userId, amount, direction, reason, incident_id: incidentId = null } = body as Correction;
  const tiyn = tiynOf(amount);
  if (tiyn <= 0 || !isExplained(reason)) return refuse('validation_failed');
  const wrong = confirmed(model, { body, by });
  if (wrong !== null) return model.accounts.has(by.accountId) ? wrong : 'open';
  const earlier = key === null ? undefined : model.usedKeys.get(`${by.accountId}/POST /admin/ledger/corrections/${key}`);
  if (earlier !== undefined) return JSON.stringify(earlier.body) === JSON.stringify(body) ? 'accept' : refuse('idempotency_key_conflict');
  const account = model.accounts.get(userId);
  if (!account) return refuse('not_found');
  const isShort = direction === 'debit' && account.balance < tiyn;
  if (isShort)
    return isMoneyComing(model, userId) ? 'open' : refuseWith('insufficient_funds', { balance_minor: account.balance, amount_minor: tiyn });
  return incidentId === null ? 'accept' : judgeByMoney(model, incidentId);
}

/** Once; no reversal of a reversal; not of a living application's payment; and with money that is there (WAL-11). */
function judgeReversal(model: Model, { params, body, by }: Asked): Judgement {
  const { reason, incident_id: incidentId = null } = body as Confirmed;
  if (!isExplained(reason)) return refuse('validation_failed');
  const wrong = confirmed(model, { body, by });
  if (wrong !== null) return model.accounts.has(by.accountId) ? wrong : 'open';
  const entry = model.ledger.get(Number(params['entry_id']));
  if (!entry || entry.ownerId === null || incidentId !== null) return 'open';
  if (entry.reversalOf !== null) return refuse('invalid_state');
  if (entry.reversedBy !== null) return 'accept';
  const application = model.applications.get(entry.applicationId ?? 0);
  if (application)
    return isLiving(application) ? refuseWith('invalid_state', { application_id: application.id, status: application.status }) : 'accept';
  const balance = model.accounts.get(entry.ownerId)?.balance ?? 0;
  if (balance >= entry.amount) return 'accept';
  return isMoneyComing(model, entry.ownerId)
    ? 'open'
    : refuseWith('insufficient_funds', { balance_minor: balance, amount_minor: entry.amount });
}

/** Money may come from the bank at any time. */
export function isMoneyComing(model: Model, accountId: number): boolean {
  return model.invoices.values().some(({ ownerId, isCredited, bankSays }) => ownerId === accountId && !isCredited && bankSays !== null);
}

/** An amount of a request, tiyn. */
export function tiynOf(amount: string): number {
  return Number(amount.replace('.', ''));
}
