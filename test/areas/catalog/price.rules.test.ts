import fc from 'fast-check';
import { insuranceCoverage, quotePrice } from '../../../src/areas/catalog/price.ts';

/** A coefficient of at most four decimals, as a decimal string and in ten-thousandths. */
const coefficient = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.stringMatching(/^\d{0,4}$/)).map(([whole, fraction]) => ({
  text: fraction === '' ? String(whole) : `${whole}.${fraction}`,
  tenThousandths: BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0')),
}));
const mrpMinor = fc.integer({ min: 1, max: 10_000_000 });

/** Rounds digit by digit, independently of the implementation. */
function oracle(tenThousandths: bigint, mrp: number): number {
  const product = tenThousandths * BigInt(mrp);
  const whole = product / 10_000n;
  return Number(product % 10_000n >= 5_000n ? whole + 1n : whole);
}

test('CAT-1: a price is the coefficient times the MRP, rounded half up once', () => {
  fc.assert(
    fc.property(coefficient, mrpMinor, (tariff, mrp) => {
      const { amountMinor } = quotePrice({ mrpMinor: mrp, mrp: tariff.text, cisMrp: null, territory: 'KZ' });
      expect(amountMinor).toBe(oracle(tariff.tenThousandths, mrp));
    }),
  );
});

test('CAT-2: CIS adds its surcharge before rounding, and the lines sum to the amount', () => {
  fc.assert(
    fc.property(coefficient, coefficient, mrpMinor, (tariff, surcharge, mrp) => {
      const price = quotePrice({ mrpMinor: mrp, mrp: tariff.text, cisMrp: surcharge.text, territory: 'CIS' });
      expect(price.amountMinor).toBe(oracle(tariff.tenThousandths + surcharge.tenThousandths, mrp));
      expect(price.breakdown.map((line) => line.code)).toEqual(['tariff', 'cis_surcharge']);
      expect(price.breakdown.reduce((sum, line) => sum + line.amount_minor, 0)).toBe(price.amountMinor);
    }),
  );
});

test('trailing zeros of a stored coefficient change nothing', () => {
  fc.assert(
    fc.property(coefficient, mrpMinor, ({ text }, mrp) => {
      const [whole = '', fraction = ''] = text.split('.');
      const stored = `${whole}.${fraction.padEnd(4, '0')}`;
      const price = (value: string) => quotePrice({ mrpMinor: mrp, mrp: value, cisMrp: null, territory: 'KZ' }).amountMinor;
      expect(price(stored)).toBe(price(text));
    }),
  );
});

test.each([
  ['2.0000', 432_500, 865_000],
  ['3.5', 432_500, 1_513_750],
  ['1.3333', 432_500, 576_652],
  ['0.5', 1, 1],
  ['0.4999', 1, 0],
  ['0', 432_500, 0],
])('%s times %i tiyn is %i tiyn', (mrp, index, expected) => {
  expect(quotePrice({ mrpMinor: index, mrp, cisMrp: null, territory: 'KZ' }).amountMinor).toBe(expected);
});

test('a line has its coefficient without trailing zeros', () => {
  const { breakdown } = quotePrice({ mrpMinor: 432_500, mrp: '3.5000', cisMrp: '10.0000', territory: 'CIS' });
  expect(breakdown).toEqual([
    { code: 'tariff', coefficient: '3.5', mrp_minor: 432_500, amount_minor: 1_513_750 },
    { code: 'cis_surcharge', coefficient: '10', mrp_minor: 432_500, amount_minor: 4_325_000 },
  ]);
});

test('CIS is refused where the service does not sell it (CAT-2)', () => {
  expect(() => quotePrice({ mrpMinor: 432_500, mrp: '2', cisMrp: null, territory: 'CIS' })).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      details: { fields: [expect.objectContaining({ path: 'body.data.insurance_territory' })] },
    }),
  );
});

test.each(['', '-1', '1.23456', '1e3', '1,5', '.5', '1.'])('refuses %j as a coefficient', (mrp) => {
  const price = () => quotePrice({ mrpMinor: 432_500, mrp, cisMrp: null, territory: 'KZ' });
  expect(price).toThrow(RangeError);
});

test('the coverage is a whole number of MRP', () => {
  expect(insuranceCoverage(500, 432_500)).toBe(216_250_000);
  expect(insuranceCoverage(null, 432_500)).toBeNull();
});
