import fc from 'fast-check';
import { evaluateBankResponse } from '../../../src/areas/wallet/invoices/record-bank-response.ts';
import type { BankResponse } from '../../../src/platform/bank/bank.ts';

const invoice = { number: '1000000042', amountMinor: 1_500_000, currency: 'KZT' };
const terminal = 'T1';
const right: BankResponse = {
  state: 'paid',
  invoiceNumber: '1000000042',
  amountMinor: 1_500_000,
  currency: 'KZT',
  terminal: 'T1',
  reference: 'RRN1',
  paidAt: null,
};

// WAL-5, WAL-6
test.each<[string, Partial<BankResponse>, unknown]>([
  ['paid, all as asked', {}, { kind: 'paid', reference: 'RRN1' }],
  ['pending', { state: 'pending', reference: null }, { kind: 'pending' }],
  ['pending with another amount', { state: 'pending', amountMinor: 1 }, { kind: 'pending' }],
  ['failed', { state: 'failed', reference: null }, { kind: 'failed' }],
  ['failed, but of another invoice', { state: 'failed', invoiceNumber: '1000000043' }, { kind: 'mismatch', fields: ['invoice'] }],
  ['another invoice', { invoiceNumber: '1000000043' }, { kind: 'mismatch', fields: ['invoice'] }],
  ['less money', { amountMinor: 1_499_900 }, { kind: 'mismatch', fields: ['amount'] }],
  ['more money', { amountMinor: 1_500_001 }, { kind: 'mismatch', fields: ['amount'] }],
  ['another currency', { currency: 'USD' }, { kind: 'mismatch', fields: ['currency'] }],
  ['currency in lower case', { currency: 'kzt' }, { kind: 'mismatch', fields: ['currency'] }],
  ['another terminal', { terminal: 'T2' }, { kind: 'mismatch', fields: ['terminal'] }],
  ['no reference', { reference: null }, { kind: 'mismatch', fields: ['reference'] }],
  ['an empty reference', { reference: '' }, { kind: 'mismatch', fields: ['reference'] }],
  ['a reference too long to keep', { reference: 'x'.repeat(101) }, { kind: 'mismatch', fields: ['reference'] }],
  [
    'everything wrong',
    { invoiceNumber: '', amountMinor: 0, currency: '', terminal: '', reference: null },
    { kind: 'mismatch', fields: ['invoice', 'amount', 'currency', 'terminal', 'reference'] },
  ],
])('%s', (_, change, verdict) => {
  expect(evaluateBankResponse(invoice, terminal, { ...right, ...change })).toEqual(verdict);
});

test('only a response that matches in every field is a payment (WAL-5)', () => {
  const responses = fc.record<BankResponse>({
    state: fc.constantFrom('pending', 'paid', 'failed'),
    invoiceNumber: fc.oneof(fc.constant(invoice.number), fc.string()),
    amountMinor: fc.oneof(fc.constant(invoice.amountMinor), fc.nat()),
    currency: fc.oneof(fc.constant('KZT'), fc.string()),
    terminal: fc.oneof(fc.constant(terminal), fc.string()),
    reference: fc.oneof(fc.constant(null), fc.string()),
    paidAt: fc.constant(null),
  });
  fc.assert(
    fc.property(responses, (response) => {
      const verdict = evaluateBankResponse(invoice, terminal, response);
      const fits =
        response.state === 'paid' &&
        response.invoiceNumber === invoice.number &&
        response.amountMinor === invoice.amountMinor &&
        response.currency === 'KZT' &&
        response.terminal === terminal &&
        response.reference !== null &&
        /^[!-~]{1,100}$/.test(response.reference);
      expect(verdict.kind === 'paid').toBe(fits);
      if (verdict.kind === 'mismatch') expect(verdict.fields.length).toBeGreaterThan(0);
    }),
  );
});
