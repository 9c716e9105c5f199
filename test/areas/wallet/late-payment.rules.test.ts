import { isLatePayment, paymentInstant } from '../../../src/areas/wallet/invoices/record-bank-response.ts';
import type { InvoiceStatus } from '../../../src/areas/wallet/invoices/states.ts';

const createdAt = new Date('2026-03-01T12:00:00Z');
const expiresAt = new Date('2026-03-02T12:00:00Z');
const now = new Date('2026-03-04T09:00:00Z');

// WAL-8
test.each<[string, string | null, Date]>([
  ['what it says', '2026-03-01T15:00:00Z', new Date('2026-03-01T15:00:00Z')],
  ['nothing: now', null, now],
  ['before the invoice: now', '2026-03-01T11:59:59.999Z', now],
  ['in the future: now', '2026-03-04T09:00:00.001Z', now],
])('the bank says %s', (_, said, expected) => {
  expect(paymentInstant({ createdAt }, said === null ? null : new Date(said), now)).toEqual(expected);
});

// WAL-8
test.each<[InvoiceStatus, string, boolean]>([
  ['pending', '2026-03-02T11:59:59.999Z', false],
  ['pending', '2026-03-02T12:00:00Z', true],
  ['expired', '2026-03-02T11:59:59.999Z', false],
  ['expired', '2026-03-02T12:00:00Z', true],
  ['failed', '2026-03-01T13:00:00Z', true],
])('an invoice that is %s, paid at %s: late is %s', (status, paidAt, expected) => {
  expect(isLatePayment({ status, expiresAt }, new Date(paidAt))).toBe(expected);
});
