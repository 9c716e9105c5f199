import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import type { Invoice } from './wallet-records.ts';

const right: ReadonlySet<string> = new Set(['paid', 'twice', 'late']);

/** Reads an invoice, and follows what the bank's word has made of it. */
export async function askInvoice({ model, asAdministrator, same }: Inquiry, invoice: Invoice, now: Date): Promise<void> {
  const { data } = await asAdministrator('GET /invoices/{id}', { params: { id: invoice.id } });
  observe(model, invoice, data.status, now);
  same(`invoice ${invoice.id} has its amount (WAL-3)`, invoice.amount, data.amount_minor);
  if (now.getTime() > invoice.expiresAt.getTime() + 1000)
    same(`invoice ${invoice.id} is not open after 24 hours (WAL-3)`, false, ['created', 'pending'].includes(data.status));
  if (isFoundByNow(invoice, now))
    same(`invoice ${invoice.id} is found paid within a day, until seven days after its end (WAL-7, WAL-8)`, 'paid', data.status);
}

/** The bank was asked since its only word, and answers: daily, and at last seven days after the end (WAL-7). */
function isFoundByNow({ bankSaid, isCheckedOut, expiresAt, unanswered }: Invoice, now: Date): boolean {
  const [said, ...others] = bankSaid;
  if (!said || others.length > 0 || !isMoney(said.outcome) || !isCheckedOut || unanswered > 0) return false;
  return said.at.getTime() < expiresAt.getTime() + 7 * dayMs && now.getTime() > said.at.getTime() + 26 * 3_600_000;
}

/** Before any process has moved on, each list shows an invoice of more than 24 hours as open no longer (WAL-3, WAL-16). */
export async function askInvoicesByClock(inquiry: Inquiry): Promise<void> {
  const { model, now, people, same, asOwner } = inquiry;
  const isOpen = ({ status }: Pick<Invoice, 'status'>) => status === 'created' || status === 'pending';
  for (const person of people) {
    const own = [...model.invoices.values()].filter(({ ownerId }) => ownerId === person.accountId);
    const over = own.filter((invoice) => isOpen(invoice) && now.getTime() > invoice.expiresAt.getTime() + 1000).map(({ id }) => id);
    if (over.length === 0 || !inquiry.isActive(person) || inquiry.isSignedOut(person)) continue;
    const listed = async (status: string) => {
      const answer = await asOwner(person.accountId, 'GET /invoices', { query: `?limit=100${status}` });
      return ((answer.data ?? []) as Pick<Invoice, 'id' | 'status'>[]).filter(({ id }) => over.includes(id));
    };
    const shown = await listed('');
    const stillOpen = [...shown.filter(isOpen), ...(await listed('&status=pending')), ...(await listed('&status=created'))];
    same(
      `invoices of account ${person.accountId} end by the clock alone (WAL-3)`,
      [],
      stillOpen.map(({ id }) => id),
    );
    const expiredOf = (rows: typeof shown) => rows.filter(({ status }) => status === 'expired').map(({ id }) => id);
    const before = expiredOf(shown);
    const filtered = new Set(expiredOf(await listed('&status=expired')));
    // The bank may say meanwhile that one is paid. A question of its own: the answer to the first one is remembered.
    const after = new Set(expiredOf(await listed('&page=1')));
    const isLeftOut = before.some((id) => after.has(id) && !filtered.has(id));
    same(`the list of expired invoices of account ${person.accountId} has each of them (WAL-16)`, false, isLeftOut);
  }
}

/**
 * Takes over the status that an invoice shows. Only what the bank has said of it allows a step (WAL-5).
 * @throws {Finding} for a step that nothing allows
 */
export function observe(model: Model, invoice: Invoice, shown: Invoice['status'], at: Date): void {
  const { id, status, bankSaid, ownerId } = invoice;
  if (shown === status) return;
  const said = bankSaid.find(({ outcome }) =>
    shown === 'paid' ? right.has(outcome) : shown === 'failed' ? outcome === 'failed' : isWrong(outcome),
  );
  const isOpen = status === 'created' || status === 'pending';
  const isAllowed = {
    created: false,
    pending: status === 'created',
    expired: isOpen && at >= invoice.expiresAt,
    // The clock shows it as expired before its process asks the bank for the last time.
    failed: (isOpen || status === 'expired') && said !== undefined,
    paid: (isOpen || status === 'failed' || status === 'expired') && said !== undefined,
    mismatch: (isOpen || status === 'failed' || status === 'expired') && said !== undefined,
  }[shown];
  if (!isAllowed)
    throw new Finding(
      `invoice ${id} goes from ${status} only where the bank's word and time lead (WAL-3, WAL-5, WAL-6, WAL-8)`,
      bankSaid,
      shown,
    );
  invoice.status = shown;
  // It may have been recorded as expired before the bank's word came, without being seen.
  if (isOpen && shown !== 'expired' && at >= invoice.expiresAt) mayExpire(model, invoice);
  switch (shown) {
    case 'expired':
      return expired(model, invoice);
    case 'failed':
      model.happened('invoice.failed', 'invoice', id);
      return model.expectNotified(ownerId, 'invoice.failed', id);
    case 'mismatch':
      model.happened('invoice.mismatched', 'invoice', id);
      model.incidents.raised.add(`bank_mismatch: invoice ${id}`);
      return model.expectNotified(ownerId, 'invoice.mismatch', id);
    case 'paid':
      return paid(model, invoice, said?.at ?? at, status);
    case 'created':
    case 'pending':
  }
}

/** Money after its day, or after a refusal, is credited too, flagged, and an incident (WAL-8). */
function paid(model: Model, invoice: Invoice, at: Date, before: Invoice['status']): void {
  const { id, ownerId } = invoice;
  invoice.isCredited = true;
  const account = model.accounts.get(ownerId);
  if (account) account.balance += invoice.amount;
  model.happened('invoice.paid', 'invoice', id);
  const wasRefused = invoice.bankSaid.some(({ outcome }) => outcome === 'failed');
  if (before !== 'failed' && (wasRefused || isPaidOnBothSides(invoice))) {
    // A refusal may have been recorded before the payment without being seen.
    if (wasRefused) {
      model.mayHappen('invoice.failed', 'invoice', id);
      model.notices.allow(ownerId, 'invoice.failed', id);
    }
    model.notices.allow(ownerId, 'invoice.paid', id);
    return model.notices.allow(ownerId, 'invoice.paid_late', id);
  }
  const isLate = before === 'failed' || at >= invoice.expiresAt;
  if (isLate) model.incidents.raised.add(`late_payment: invoice ${id}`);
  model.expectNotified(ownerId, isLate ? 'invoice.paid_late' : 'invoice.paid', id);
}

/** It is shown at once and recorded when its process asks the bank for the last time, which may find it paid (WAL-7). */
function expired(model: Model, { id, ownerId, bankSays }: Invoice): void {
  if (bankSays === null) {
    model.happened('invoice.expired', 'invoice', id);
    return model.expectNotified(ownerId, 'invoice.expired', id);
  }
  mayExpire(model, { id, ownerId });
}

function mayExpire(model: Model, { id, ownerId }: Pick<Invoice, 'id' | 'ownerId'>): void {
  model.mayHappen('invoice.expired', 'invoice', id);
  model.notices.allow(ownerId, 'invoice.expired', id);
}

/** The bank has told of payments before and after the last instant: either may be the one that was credited. */
function isPaidOnBothSides({ bankSaid, expiresAt }: Invoice): boolean {
  const sides = new Set(bankSaid.filter(({ outcome }) => right.has(outcome)).map(({ at }) => at >= expiresAt));
  return sides.size > 1;
}

const dayMs = 86_400_000;

/** Whether a word of the bank is a payment in order. */
export const isMoney = (outcome: string) => outcome === 'paid' || outcome === 'twice';

const isWrong = (outcome: string) => outcome.startsWith('wrong_');
