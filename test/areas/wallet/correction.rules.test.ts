import fc from 'fast-check';
import { correctionLegs } from '../../../src/areas/wallet/ledger/correct-ledger.ts';
import { movedWallet } from '../../../src/areas/wallet/ledger/lock-wallet.ts';

const userId = fc.integer({ min: 1, max: 2_147_483_647 });
const amountMinor = fc.integer({ min: 1, max: 999_999_999_999 });
const direction = fc.constantFrom('credit' as const, 'debit' as const);

test('a correction moves its amount into or out of one wallet, against the adjustments (WAL-1)', () => {
  fc.assert(
    fc.property(fc.record({ userId, amountMinor, direction }), (correction) => {
      const legs = correctionLegs(correction);
      expect(legs.map(({ account }) => account)).toEqual([`wallet:${correction.userId}`, 'adjustments']);
      expect(legs[0].amountMinor + legs[1].amountMinor).toBe(0);
      const change = correction.direction === 'credit' ? correction.amountMinor : -correction.amountMinor;
      expect(movedWallet(legs)).toEqual({ userId: correction.userId, amountMinor: change });
    }),
  );
});

test('a transaction between accounts of the federation has no wallet, only an amount', () => {
  const legs = [
    { account: 'bank:clearing', amountMinor: -700 },
    { account: 'adjustments', amountMinor: 500 },
    { account: 'insurance:premium', amountMinor: 200 },
  ];
  expect(movedWallet(legs)).toEqual({ userId: null, amountMinor: 700 });
});
