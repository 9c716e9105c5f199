import fc from 'fast-check';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { documentStatuses } from '../../../src/areas/documents/states.ts';
import { reviewStatuses } from '../../../src/areas/profiles/states.ts';
import { stateOn, type ValidityFacts, type VerificationState, verificationStates } from '../../../src/areas/verification/validity.ts';
import { dayOf, endOfDay } from '../../../src/platform/time/date-time.ts';
import { goodFacts as good } from '../../support/credentials/verification-cases.ts';

const photo = { status: 'approved', hasNote: false, isPresent: true } as const;

test.each<[string, Partial<ValidityFacts>, string, VerificationState]>([
  ['everything in order', {}, '2026-06-01', 'valid'],
  ['its first day', {}, '2026-03-01', 'valid'],
  ['the day before', {}, '2026-02-28', 'not_started'],
  ['its last day, documents without an end', { documents: [] }, '2026-12-31', 'valid'],
  ['the day after', { documents: [] }, '2027-01-01', 'expired'],
  ['the last day of a document', {}, '2026-08-15', 'valid'],
  ['the day after it', {}, '2026-08-16', 'under_correction'],
  ['the same when its lapse is marked', { documents: [{ status: 'expired', expiresAt: '2026-08-15' }] }, '2026-08-16', 'under_correction'],
  ['and when the application has gone back to its owner', { status: 'changes' }, '2026-08-16', 'under_correction'],
  [
    'a day before a marked lapse, in a closed year',
    { status: 'closed', documents: [{ status: 'expired', expiresAt: '2027-01-10' }] },
    '2026-05-01',
    'valid',
  ],
  ['a closed year', { status: 'closed' }, '2027-01-01', 'expired'],
  ['annulled', { status: 'cancelled' }, '2026-06-01', 'annulled'],
  ['annulled and past its dates', { status: 'cancelled' }, '2028-06-01', 'annulled'],
  ['submitted again after a correction', { status: 'submitted' }, '2026-06-01', 'under_review'],
  ['a draft', { status: 'draft' }, '2026-06-01', 'draft'],
  ['unpaid', { isPaid: false }, '2026-06-01', 'unpaid'],
  ['a document returned', { documents: [{ status: 'changes', expiresAt: null }] }, '2026-06-01', 'under_correction'],
  ['a document refused', { documents: [{ status: 'cancelled', expiresAt: null }] }, '2026-06-01', 'under_correction'],
  ['a document replaced by one not yet seen', { documents: [{ status: 'pending', expiresAt: null }] }, '2026-06-01', 'under_review'],
  [
    'one returned and one not yet seen',
    {
      documents: [
        { status: 'pending', expiresAt: null },
        { status: 'changes', expiresAt: null },
      ],
    },
    '2026-06-01',
    'under_correction',
  ],
  ['the photo returned', { photo: { ...photo, status: 'changes', hasNote: true } }, '2026-06-01', 'under_correction'],
  ['the photo returned and sent again', { photo: { ...photo, status: 'pending', hasNote: true } }, '2026-06-01', 'under_correction'],
  ['the photo changed by its owner', { photo: { ...photo, status: 'pending' } }, '2026-06-01', 'under_review'],
  ['no photo', { photo: { ...photo, status: 'draft', isPresent: false } }, '2026-06-01', 'incomplete'],
  ['documents replaced, not submitted yet', { isResubmissionDue: true }, '2026-06-01', 'under_correction'],
  [
    'the same while the new one waits for its review',
    { isResubmissionDue: true, documents: [{ status: 'pending', expiresAt: null }] },
    '2026-06-01',
    'under_correction',
  ],
  ['the same when it closed so', { status: 'closed', isResubmissionDue: true }, '2026-06-01', 'under_correction'],
  ['the same past its dates', { status: 'closed', isResubmissionDue: true }, '2027-01-01', 'expired'],
  ['the same when annulled', { status: 'cancelled', isResubmissionDue: true }, '2026-06-01', 'annulled'],
  ['an organizer, who needs none', { photo: null }, '2026-06-01', 'valid'],
  ['the profile refused', { profile: { status: 'cancelled', hasNote: true } }, '2026-06-01', 'under_correction'],
  ['the profile changed by its owner', { profile: { status: 'pending', hasNote: false } }, '2026-06-01', 'under_review'],
])('%s', (_, change, day, state) => {
  expect(stateOn({ ...good, ...change }, day)).toBe(state);
});

test('VER-1: a document expires at midnight UTC+5, to the second', () => {
  const midnight = endOfDay('2026-08-15').getTime();
  expect(new Date(midnight).toISOString()).toBe('2026-08-15T19:00:00.000Z');
  expect(stateOn(good, dayOf(new Date(midnight - 1)))).toBe('valid');
  expect(stateOn(good, dayOf(new Date(midnight)))).toBe('under_correction');
});

const day = fc
  .integer({ min: 0, max: 1100 })
  .map((offset) => new Date(Date.UTC(2025, 0, 1) + offset * 86_400_000).toISOString().slice(0, 10));
const reviewed = fc.record({ status: fc.constantFrom(...reviewStatuses), hasNote: fc.boolean() });
const facts: fc.Arbitrary<ValidityFacts> = fc.record({
  status: fc.constantFrom(...applicationStatuses, 'approved' as const, 'approved' as const),
  isPaid: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  isResubmissionDue: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
  validFrom: day,
  validUntil: day,
  profile: fc.oneof({ weight: 4, arbitrary: fc.constant(good.profile) }, reviewed),
  photo: fc.oneof(
    { weight: 4, arbitrary: fc.constant(photo) },
    fc.constant(null),
    fc.record({ status: fc.constantFrom(...reviewStatuses), hasNote: fc.boolean(), isPresent: fc.boolean() }),
  ),
  documents: fc.array(
    fc.record({
      status: fc.oneof({ weight: 4, arbitrary: fc.constant('approved' as const) }, fc.constantFrom(...documentStatuses)),
      expiresAt: fc.option(day),
    }),
    { maxLength: 4 },
  ),
});

test('VER-2: valid means approved, paid, submitted, within the dates, and every record behind it approved', () => {
  let seenValid = 0;
  fc.assert(
    fc.property(facts, day, (given, on) => {
      const state = stateOn(given, on);
      expect(verificationStates).toContain(state);
      const holds =
        (given.status === 'approved' || given.status === 'closed') &&
        given.isPaid &&
        !given.isResubmissionDue &&
        given.validFrom <= on &&
        on <= given.validUntil &&
        given.profile.status === 'approved' &&
        (given.photo === null || (given.photo.isPresent && given.photo.status === 'approved')) &&
        given.documents.every(
          ({ status, expiresAt }) =>
            (status === 'approved' || (status === 'expired' && expiresAt !== null)) && (expiresAt === null || expiresAt >= on),
        );
      if (holds) seenValid += 1;
      expect(state === 'valid').toBe(holds);
    }),
    { numRuns: 5000 },
  );
  expect(seenValid).toBeGreaterThan(50);
});

test('time alone never makes an invalid certificate valid again', () => {
  fc.assert(
    fc.property(facts, day, day, (given, one, other) => {
      const [early, late] = one < other ? [one, other] : [other, one];
      const before = stateOn(given, early);
      if (before !== 'valid' && before !== 'not_started') expect(stateOn(given, late)).not.toBe('valid');
    }),
    { numRuns: 2000 },
  );
});
