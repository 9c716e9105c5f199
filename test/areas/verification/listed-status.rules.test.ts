import fc from 'fast-check';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { documentStatuses } from '../../../src/areas/documents/states.ts';
import { reviewStatuses } from '../../../src/areas/profiles/states.ts';
import { listedStatusOn } from '../../../src/areas/verification/read-listed-statuses.ts';
import { stateOn, type ValidityFacts } from '../../../src/areas/verification/validity.ts';
import { goodFacts, verificationCases } from '../../support/verification-cases.ts';

test.each(verificationCases.map((one) => [one.name, one] as const))('VER-12: %s', (_, { facts, day, state, listed }) => {
  expect(stateOn({ ...goodFacts, ...facts }, day)).toBe(state);
  expect(listedStatusOn({ ...goodFacts, ...facts }, day)).toBe(listed);
});

const day = fc
  .integer({ min: 0, max: 1100 })
  .map((offset) => new Date(Date.UTC(2025, 0, 1) + offset * 86_400_000).toISOString().slice(0, 10));
const reviewed = fc.record({ status: fc.constantFrom(...reviewStatuses), hasNote: fc.boolean() });
const facts: fc.Arbitrary<ValidityFacts> = fc
  .record({
    status: fc.constantFrom(...applicationStatuses, 'approved' as const, 'approved' as const),
    isPaid: fc.boolean(),
    isResubmissionDue: fc.boolean(),
    dates: fc.tuple(day, day).map((days) => days.toSorted()),
    profile: fc.oneof(fc.constant(goodFacts.profile), reviewed),
    photo: fc.oneof(
      fc.constant(null),
      fc.record({ status: fc.constantFrom(...reviewStatuses), hasNote: fc.boolean(), isPresent: fc.boolean() }),
    ),
    documents: fc.array(fc.record({ status: fc.constantFrom(...documentStatuses), expiresAt: fc.option(day) }), { maxLength: 3 }),
  })
  // An application closes only after its last day.
  .map(({ dates: [validFrom = '', validUntil = ''], ...rest }) => ({ ...rest, validFrom, validUntil }));

test('VER-12: dates of the credential and value of the list together say what the online answer says', () => {
  fc.assert(
    fc.property(facts, day, (given, on) => {
      fc.pre(given.status !== 'closed' || on > given.validUntil);
      const isWithinDates = given.validFrom <= on && on <= given.validUntil;
      expect(isWithinDates && listedStatusOn(given, on) === 0).toBe(stateOn(given, on) === 'valid');
    }),
    { numRuns: 5000 },
  );
});
