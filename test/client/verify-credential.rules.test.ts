import { deflateSync } from 'node:zlib';
import { type KeySet, type Verdict, verifyCredential } from '../../client/src/index.ts';
import vectorFile from '../vectors/credentials.json' with { type: 'json' };
import { credentialClaims, listClaims, signingKey, signList, signToken, type TokenParts } from '../support/credentials/issuer.ts';
import {
  credentialOf,
  facts,
  issuer,
  linkTo,
  listUri,
  makeVectors,
  seconds,
  type Vectors,
  vectorKey,
} from '../support/credentials/vectors.ts';

const vectors = vectorFile as Vectors;
const at = new Date('2026-03-05T14:04:00+05:00');
const jwks: KeySet = { keys: [vectorKey.publicKey] };
const listFacts = { uri: listUri, issuedAt: seconds('2026-03-05T14:00:00+05:00'), statuses: { 1043: 2 } };
const list = signList(vectorKey, listClaims(listFacts));
const statusLists = { [listUri]: new Uint8Array(list) };

describe('the vectors: dates, statuses, age of the list (GAT-4, GAT-5, GAT-6)', () => {
  test('are what the issuer makes', () => {
    expect(makeVectors()).toEqual(vectors);
  });

  const lists = Object.fromEntries(
    Object.entries(vectors.status_lists).map(([uri, token]) => [uri, new Uint8Array(Buffer.from(token, 'base64url'))]),
  );
  test.each(vectors.cases)('$name: $verdict $reason', async ({ text, at: moment, verdict, reason, number, as_of: asOf }) => {
    const found = await verifyCredential(text, { jwks: vectors.jwks, statusLists: lists, at: new Date(moment) });
    expect(found).toMatchObject({ verdict, reason, asOf });
    expect(found.credential?.number ?? null).toBe(number);
  });
});

test('a valid credential has the signed facts, which name no person (GAT-3)', async () => {
  const found = await verify(credentialOf());
  expect(found).toEqual({
    verdict: 'valid',
    reason: null,
    credential: {
      issuer,
      number: facts.number,
      kind: 'national_certificate',
      category: 'master',
      discipline: 'boulder',
      validFrom: new Date('2026-01-01T00:00:00+05:00'),
      validUntil: new Date('2026-12-31T23:59:59+05:00'),
      issuedAt: new Date('2025-12-31T00:00:00+05:00'),
    },
    listIssuedAt: new Date('2026-03-05T14:00:00+05:00'),
    asOf: null,
  });
});

test('the last second lasts until its end (GAT-4)', async () => {
  const credential = credentialOf({ expires: seconds('2026-03-05T14:04:00+05:00') });
  expect(await verify(credential, { at: new Date('2026-03-05T14:04:00.999+05:00') })).toMatchObject({ verdict: 'valid' });
  expect(await verify(credential, { at: new Date('2026-03-05T14:04:01+05:00') })).toMatchObject({ reason: 'expired' });
});

test('dates that are over need no status list (GAT-4)', async () => {
  const credential = credentialOf({ expires: seconds('2026-03-01T00:00:00+05:00') });
  expect(await verify(credential, { statusLists: {} })).toMatchObject({ verdict: 'not_valid', reason: 'expired' });
});

describe('a signed credential outside the profile is forged (GAT-2, GAT-3)', () => {
  const claims = credentialClaims(facts);
  const without = (label: number) => new Map([...claims].filter(([key]) => key !== label));
  const cases: [string, TokenParts][] = [
    ['another algorithm', { claims, headers: new Map([[1, -7]]) }],
    ['no key id', { claims, headers: new Map([[4, undefined]]) }],
    [
      'a critical header',
      {
        claims,
        headers: new Map<number, unknown>([
          [2, [99]],
          [99, 1],
        ]),
      },
    ],
    ['a header outside the signature', { claims, unprotected: new Map([[4, new Uint8Array(4)]]) }],
    ['a status list of another host', { claims: credentialClaims({ ...facts, listUri: 'https://lists.example.com/status-lists/1' }) }],
    ['a status list at another port', { claims: credentialClaims({ ...facts, listUri: `${issuer}:8443/status-lists/1` }) }],
    ['a negative place', { claims: credentialClaims({ ...facts, place: -1 }) }],
    ['an issuer that is no address', { claims: new Map(claims).set(1, 'registry') }],
    ['dates as text', { claims: new Map(claims).set(4, '2026-12-31') }],
    ['a date beyond all dates', { claims: new Map(claims).set(4, Number.MAX_SAFE_INTEGER) }],
    ['an unknown kind', { claims: new Map(claims).set(-70_001, 'visa') }],
    ...[1, 2, 4, 5, 6, 65_535, -70_001].map((label): [string, TokenParts] => [`no claim ${label}`, { claims: without(label) }]),
  ];
  test.each(cases)('%s', async (_name, parts) => {
    expect(await verify(signToken(vectorKey, parts).toString('base64url'))).toMatchObject({ verdict: 'not_valid', reason: 'forged' });
  });
});

test('a CWT tag in front changes nothing (GAT-2)', async () => {
  const tagged = signToken(vectorKey, { claims: credentialClaims(facts), hasCwtTag: true }).toString('base64url');
  expect(await verify(tagged)).toMatchObject({ verdict: 'valid' });
});

describe('a status list that the registry did not issue counts as missing (GAT-5)', () => {
  const forger = { ...signingKey('forger'), publicKey: vectorKey.publicKey };
  const bomb = new Uint8Array(deflateSync(Buffer.alloc(30_000_000), { level: 9 }));
  const withList = (list: Record<string, unknown>) => new Map(listClaims(listFacts)).set(65_533, new Map(Object.entries(list)));
  const cases: [string, Buffer][] = [
    ['signed by another key', signList(forger, listClaims(listFacts))],
    ['signed by a key that is not published', signList(signingKey('unknown'), listClaims(listFacts))],
    ['of another address', signList(vectorKey, listClaims({ ...listFacts, uri: `${issuer}/status-lists/2` }))],
    ['of another issuer', signList(vectorKey, new Map(listClaims(listFacts)).set(1, 'https://registry.example.com'))],
    ['of another type', signList(vectorKey, listClaims(listFacts), new Map())],
    ['a credential in its place', signToken(vectorKey, { claims: credentialClaims(facts) })],
    ['of one bit a place', signList(vectorKey, withList({ bits: 1, lst: new Uint8Array(deflateSync(Buffer.alloc(32_768))) }))],
    ['larger than a list when inflated', signList(vectorKey, withList({ bits: 2, lst: bomb }))],
    ['larger than a token before it is inflated', signList(vectorKey, withList({ bits: 2, lst: new Uint8Array(50_000) }))],
    ['not compressed', signList(vectorKey, withList({ bits: 2, lst: new Uint8Array(32_768) }))],
    ['cut off', list.subarray(0, -1)],
    ['without an end', signList(vectorKey, new Map([...listClaims(listFacts)].filter(([label]) => label !== 4)))],
    ['too short for the place', signList(vectorKey, listClaims({ ...listFacts, statuses: {}, places: 1024 }))],
    ['empty', Buffer.alloc(0)],
  ];
  test.each(cases)('%s', async (_name, token) => {
    const found = await verify(credentialOf(), { statusLists: { [listUri]: new Uint8Array(token) } });
    expect(found).toMatchObject({ verdict: 'cannot_tell', reason: 'list_missing' });
  });

  test('its last second does not belong to it', async () => {
    const justBefore = await verify(credentialOf(), { at: new Date('2026-03-06T13:59:59.999+05:00') });
    expect(justBefore).toMatchObject({ verdict: 'valid', asOf: '2026-03-05 14:00' });
    const complete = (time: string) =>
      verify(credentialOf(), { at: new Date('2026-03-06T13:00:00+05:00'), completeUntil: { [listUri]: new Date(time) } });
    expect(await complete('2026-03-06T12:55:00+05:00')).toMatchObject({ verdict: 'valid', asOf: null });
    expect(await complete('2026-03-06T12:54:59+05:00')).toMatchObject({ verdict: 'valid', asOf: '12:54' });
    // A change from before the edition waits (GAT-6).
    expect(await complete('2026-03-05T13:00:00+05:00')).toMatchObject({ verdict: 'valid', asOf: '2026-03-05 13:00' });
    expect(await verify(credentialOf(), { at: new Date('2026-03-06T14:00:00+05:00') })).toMatchObject({ reason: 'list_expired' });
  });
});

describe('the key set', () => {
  const key = vectorKey.publicKey;
  test.each([
    ['empty', []],
    ['another curve', [{ ...key, crv: 'X25519' }]],
    ['for encryption', [{ ...key, use: 'enc' }]],
    ['another algorithm', [{ ...key, alg: 'ES256' }]],
    ['without the key', [{ kty: 'OKP', crv: 'Ed25519', kid: key.kid }]],
  ])('%s: the key is unknown (GAT-2)', async (_name, keys) => {
    expect(await verify(credentialOf(), { jwks: { keys } })).toMatchObject({ verdict: 'cannot_tell', reason: 'unknown_key' });
  });

  test('a browser whose WebCrypto lacks Ed25519 verifies with the library (GAT-2)', async () => {
    const importKey = () => Promise.reject(new DOMException('no Ed25519', 'NotSupportedError'));
    Object.defineProperty(crypto.subtle, 'importKey', { value: importKey, configurable: true });
    try {
      // A copy of the key: imported keys are kept by identity.
      const copy = { keys: [{ ...key }] };
      expect(await verify(credentialOf(), { jwks: copy })).toMatchObject({ verdict: 'valid' });
      const forged = credentialOf({}, { ...signingKey('forger'), publicKey: vectorKey.publicKey });
      expect(await verify(forged, { jwks: copy })).toMatchObject({ reason: 'forged' });
    } finally {
      Reflect.deleteProperty(crypto.subtle, 'importKey');
    }
  });
});

describe('a text without a credential (GAT-1)', () => {
  test.each([
    ['nothing', ''],
    ['spaces', ' \n '],
    ['words', 'Сертификат № 42'],
    ['one word', 'hello'],
    ['another site', 'https://example.com/'],
    ['another site with a fragment', 'https://example.com/#section'],
    ['a broken address', 'https://[#x'],
    ['a network', 'WIFI:S:gate;T:WPA;P:secret;;'],
    ['a long text', 'x'.repeat(5_000_000)],
    ['lone surrogates', '\ud800'.repeat(100)],
    ['padding', `${credentialOf()}=`],
  ])('%s', async (_name, text) => {
    expect(await verify(text)).toMatchObject({ verdict: 'cannot_tell', reason: 'no_credential' });
  });

  test('spaces around a pasted link are no part of it', async () => {
    expect(await verify(`  ${linkTo(credentialOf())}\n`)).toMatchObject({ verdict: 'valid' });
  });

  test('an invalid moment is a mistake of the caller', async () => {
    await expect(verify(credentialOf(), { at: new Date(Number.NaN) })).rejects.toThrow('`at` is not a valid date.');
  });
});

function verify(text: string, changes: Partial<Parameters<typeof verifyCredential>[1]> = {}): Promise<Verdict> {
  return verifyCredential(text, { jwks, statusLists, at, ...changes });
}
