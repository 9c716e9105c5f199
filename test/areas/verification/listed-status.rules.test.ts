import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { verifyCredential } from '../../../client/src/index.ts';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { makeCredential } from '../../../src/areas/credentials/credential.ts';
import { makeEdition, StatusBits, statusListUri } from '../../../src/areas/credentials/status-list.ts';
import { documentStatuses } from '../../../src/areas/documents/states.ts';
import { reviewStatuses } from '../../../src/areas/profiles/states.ts';
import { listedStatusOn } from '../../../src/areas/verification/read-listed-statuses.ts';
import { stateOn, type ValidityFacts } from '../../../src/areas/verification/validity.ts';
import { goodFacts, verificationCases } from '../../support/credentials/verification-cases.ts';

test.each(verificationCases.map((one) => [one.name, one] as const))('VER-12: %s', (_, { facts, day, state, listed }) => {
  expect(stateOn({ ...goodFacts, ...facts }, day)).toBe(state);
  expect(listedStatusOn({ ...goodFacts, ...facts }, day)).toBe(listed);
});

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signer = { kid: 'key', privateKey };
const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'key', x: String(publicKey.export({ format: 'jwk' }).x) }] };
const siteUrl = 'https://registry.example.kz';

// Reasons are the same, but for those of suspended certificates, which a list does not tell.
test.each(verificationCases.map((one) => [one.name, one] as const))(
  'GAT-1: at the gate, %s',
  async (_, { facts: change, day, state, listed }) => {
    const { validFrom, validUntil } = { ...goodFacts, ...change };
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
