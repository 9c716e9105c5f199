import type { Invoice } from '../../../src/areas/wallet/entities.ts';
import { describeInvoice } from '../../../src/areas/wallet/invoices/process.ts';

const now = new Date('2026-03-01T12:00:00Z');
const expiresAt = new Date('2026-03-02T00:00:00Z');
const soon = new Date('2026-03-01T12:00:05Z');

const invoice: Invoice = {
  id: 42,
  ownerId: 7,
  number: '1000000042',
  amountMinor: 1_500_000,
  currency: 'KZT',
  status: 'pending',
  idempotencyKey: 'x',
  bankReference: null,
  late: false,
  paidAt: null,
  expiresAt,
  lastAskedAt: null,
  lastAnsweredAt: null,
  hintedAt: null,
  nextAskAt: soon,
  asked: 1,
  createdAt: now,
  updatedAt: now,
};

test.each<[string, Partial<Invoice>, unknown]>([
  [
    'created: its end is what comes next',
    { status: 'created', nextAskAt: expiresAt },
    { waitingFor: 'owner', next: { at: expiresAt, why: 'invoice expires' } },
  ],
  ['pending: the next query', {}, { waitingFor: 'bank', next: { at: soon, why: 'next query to the bank' } }],
  ['pending, the last query', { nextAskAt: expiresAt }, { waitingFor: 'bank', next: { at: expiresAt, why: 'invoice expires' } }],
  ['expired', { status: 'expired' }, { waitingFor: 'bank', next: { at: soon, why: 'query for late money' } }],
  ['failed', { status: 'failed' }, { waitingFor: 'bank', next: { at: soon, why: 'query for late money' } }],
  ['failed, for good', { status: 'failed', nextAskAt: null }, { waitingFor: 'none', isOver: true, next: null }],
  ['paid', { status: 'paid', nextAskAt: null }, { waitingFor: 'none', isOver: true, next: null }],
  ['mismatch', { status: 'mismatch', nextAskAt: null }, { waitingFor: 'administrator', isOver: true, next: null }],
])('%s', (_, change, state) => {
  const described = describeInvoice({ ...invoice, ...change }, now);
  expect(described).toMatchObject({ stage: change.status ?? 'pending', isOver: false, isDue: false, ...(state as object) });
  expect(described.details).toContain('1000000042');
});

test('a query is due from its planned instant on', () => {
  const isDueAt = (instant: Date) => describeInvoice(invoice, instant).isDue;
  expect([isDueAt(now), isDueAt(soon), isDueAt(expiresAt)]).toEqual([false, true, true]);
});
