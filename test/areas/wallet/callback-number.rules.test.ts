import fc from 'fast-check';
import { findCallbackNumber } from '../../../src/areas/wallet/invoices/payment-return-routes.ts';

test.each<[string, string, Record<string, unknown>, string | null]>([
  ['JSON', '{"invoice_number":"1000000042","state":"paid"}', {}, '1000000042'],
  ['JSON with a number', '{"invoice": 1000000042}', {}, '1000000042'],
  ['a form', 'order=1000000042&x=1', {}, '1000000042'],
  ['the address', '', { number: '1000000042' }, '1000000042'],
  ['nothing', '', {}, null],
  ['an array', '["1000000042"]', {}, null],
  ['too short', '{"invoice":"12345"}', {}, null],
  ['too long', '{"invoice":"1234567890123456"}', {}, null],
  ['no digits', '{"invoice":"abc; drop table"}', {}, null],
  ['a query given twice', '', { number: ['1000000042', '1'] }, null],
  ['a prototype', '{"__proto__":{"invoice":"1000000042"}}', {}, null],
])('%s', (_, body, query, number) => {
  expect(findCallbackNumber(body, query)).toBe(number);
});

test('accepts any text without failing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const number = findCallbackNumber(text, {});
      if (number !== null) expect(number).toMatch(/^[0-9]{6,15}$/);
    }),
  );
});
