import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { verifyCredential } from '../../../client/src/index.ts';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { makeCredential } from '../../../src/areas/credentials/credential.ts';
import { makeEdition, StatusBits, statusListUri } from '../../../src/areas/credentials/status-list.ts';
import { documentStatuses } from '../../../src/areas/documents/states.ts';
import { reviewStatuses } from '../../../src/areas/profiles/states.ts';
import { listedStatusOn } from '../../../src/areas/verification/read-listed-statuses.ts';
import { stateOn, type ValidityFacts, type VerificationState, verificationStates } from '../../../src/areas/verification/validity.ts';
import { dayOf, endOfDay } from '../../../src/platform/time/date-time.ts';
import { goodFacts as good, verificationCases } from '../../support/credentials/verification-cases.ts';

const photo = { status: 'approved', hasNote: false, isPresent: true } as const;
const [returned, fresh] = [{ status: 'changes', expiresAt: null } as const, { status: 'pending', expiresAt: null } as const];

test.each(verificationCases.map((one) => [one.name, one] as const))('VER-12: %s', (_, { facts, day, state, listed }) => {
  expect(stateOn({ ...good, ...facts }, day)).toBe(state);
  expect(listedStatusOn({ ...good, ...facts }, day)).toBe(listed);
});

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signer = { kid: 'key', privateKey };
const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'key', x: String(publicKey.export({ format: 'jwk' }).x) }] };
const siteUrl = 'https://registry.example.kz';

// Reasons are the same, but for those of suspended certificates, which a list does not tell.
test.each(verificationCases.map((one) => [one.name, one] as const))(
  'GAT-1: at the gate, %s',
  async (_, { facts: change, day, state, listed }) => {
    const { validFrom, validUntil } = { ...good, ...change };
    const at = new Date(`${day}T12:00:00+05:00`);
    const certified = { kind: 'national_certificate', number: 'KZ-N-2026-000001', category: 'B', discipline: null } as const;
    const credential = makeCredential(signer, siteUrl, { ...certified, validFrom, validUntil, listId: 1, place: 77 }, at);
    const bits = new StatusBits();
    bits.set(77, listed);
    const uri = statusListUri(siteUrl, 1);
    const { cwt } = makeEdition(signer, uri, bits.compress(), at.getTime() / 1000);
    const found = await verifyCredential(credential, { jwks, statusLists: { [uri]: new Uint8Array(cwt) }, at });
    const reasons: Partial<Record<string, string | null>> = {
      valid: null,
      not_started: 'not_yet',
      expired: 'expired',
      annulled: day > validUntil ? 'expired' : 'invalid',
    };
    const reason = reasons[state];
    expect([found.verdict, found.reason]).toEqual([state === 'valid' ? 'valid' : 'not_valid', reason === undefined ? 'suspended' : reason]);
  },
);

test.each<[string, Partial<ValidityFacts>, string, VerificationState]>([
  ['a day before a marked lapse', { status: 'closed', documents: [{ status: 'expired', expiresAt: '2027-01-10' }] }, '2026-05-01', 'valid'],
  ['a draft', { status: 'draft' }, '2026-06-01', 'draft'],
  ['a document refused', { documents: [{ status: 'cancelled', expiresAt: null }] }, '2026-06-01', 'under_correction'],
  ['one document returned and one not yet seen', { documents: [fresh, returned] }, '2026-06-01', 'under_correction'],
  ['the photo returned and sent again', { photo: { ...photo, status: 'pending', hasNote: true } }, '2026-06-01', 'under_correction'],
  ['the photo changed by its owner', { photo: { ...photo, status: 'pending' } }, '2026-06-01', 'under_review'],
  ['documents replaced by one not yet seen', { isResubmissionDue: true, documents: [fresh] }, '2026-06-01', 'under_correction'],
  ['documents replaced when it closed', { status: 'closed', isResubmissionDue: true }, '2026-06-01', 'under_correction'],
  ['documents replaced past its dates', { status: 'closed', isResubmissionDue: true }, '2027-01-01', 'expired'],
  ['documents replaced when annulled', { status: 'cancelled', isResubmissionDue: true }, '2026-06-01', 'annulled'],
  ['the profile refused', { profile: { status: 'cancelled', hasNote: true } }, '2026-06-01', 'under_correction'],
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

test('VER-12: dates of the credential and value of the list together say what the online answer says', () => {
  fc.assert(
    fc.property(facts, day, (given, on) => {
      const isWithinDates = given.validFrom <= on && on <= given.validUntil;
      // An application closes only after its last day.
      fc.pre(given.validFrom <= given.validUntil && (given.status !== 'closed' || on > given.validUntil));
      expect(isWithinDates && listedStatusOn(given, on) === 0).toBe(stateOn(given, on) === 'valid');
    }),
    { numRuns: 5000 },
  );
});
