import {
  allowedActions,
  type InvoiceAction,
  invoiceActions,
  type InvoiceStatus,
  invoiceStatuses,
  isFinal,
  isOpen,
  nextStatus,
  statusAt,
  transition,
} from '../../../src/areas/wallet/invoices/states.ts';
import type { Locked } from '../../../src/platform/database/lock.ts';

const fromOpen = { checkout: 'pending', pay: 'paid', fail: 'failed', expire: 'expired', mismatch: 'mismatch' } as const;
const late = { pay: 'paid', mismatch: 'mismatch' } as const;
const expected: Record<InvoiceStatus, Partial<Record<InvoiceAction, InvoiceStatus>>> = {
  created: fromOpen,
  pending: fromOpen,
  failed: late,
  expired: late,
  paid: {},
  mismatch: {},
};
const pairs = invoiceStatuses.flatMap((status) => invoiceActions.map((action) => [status, action] as const));

test.each(pairs)('%s, %s: the next status, or an error that changes nothing', (status, action) => {
  // Only the type is a locked row: the test has no database.
  const invoice = { status } as Locked<{ status: InvoiceStatus }>;
  const next = expected[status][action];
  expect(nextStatus(status, action)).toBe(next ?? null);
  if (next) {
    transition(invoice, action);
    expect(invoice.status).toBe(next);
  } else {
    const details = { status, allowed: allowedActions(status) };
    expect(() => transition(invoice, action)).toThrow(expect.objectContaining({ code: 'invalid_state', details }));
    expect(invoice.status).toBe(status);
  }
});

test('only created and pending are open, only paid and mismatch are final', () => {
  expect(invoiceStatuses.filter(isOpen)).toEqual(['created', 'pending']);
  expect(invoiceStatuses.filter(isFinal)).toEqual(['paid', 'mismatch']);
});

test.each<[InvoiceStatus, number, InvoiceStatus]>([
  ['created', -1, 'created'],
  ['created', 0, 'expired'],
  ['pending', 0, 'expired'],
  ['paid', 0, 'paid'],
  ['failed', 1, 'failed'],
])('%s, %i ms after `expires_at`: %s', (status, ms, seen) => {
  const expiresAt = new Date('2026-03-02T00:00:00Z');
  expect(statusAt({ status, expiresAt }, new Date(expiresAt.getTime() + ms))).toBe(seen);
});
