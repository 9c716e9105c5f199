import { decode, encode } from 'cbor2';
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { type CertifiedFacts, makeCredential } from '../../../src/areas/credentials/credential.ts';
import type { Signer } from '../../../src/areas/credentials/signed-token.ts';
import { listedStatus, makeEdition, StatusBits } from '../../../src/areas/credentials/status-list.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const signer: Signer = { kid: randomBytes(32).toString('base64url'), privateKey };
const siteUrl = 'https://registry.federation.example.org.x';
const facts: CertifiedFacts = {
  kind: 'national_certificate',
  number: 'KZ-N-2026-000001',
  category: 'B',
  discipline: 'rally',
  validFrom: '2026-03-01',
  validUntil: '2026-12-31',
  listId: 1,
  place: 131_071,
};
const now = new Date('2026-03-01T12:00:00+05:00');

/** Checks the signature and returns headers and claims. */
function open(token: Buffer) {
  const { contents } = decode<{ contents: Uint8Array[] }>(token);
  // Copies: the decoder's bytes are of another realm in Jest.
  const [headers, , payload, signature] = contents.map((part) => new Uint8Array(part));
  if (!headers || !payload || !signature) throw new Error('no COSE_Sign1');
  const signed = encode(['Signature1', headers, new Uint8Array(), payload], { cde: true });
  expect(verify(null, signed, createPublicKey(privateKey), signature)).toBe(true);
  return { headers: decode<Map<number, unknown>>(headers), claims: decode<Map<number, unknown>>(payload) };
}

test('VER-10: a credential has the claims of the certificate, and no person', () => {
  const credential = Buffer.from(makeCredential(signer, siteUrl, facts, now), 'base64url');
  const { headers, claims } = open(credential);
  expect([...headers.keys()]).toEqual([1, 4]);
  expect(Buffer.from(headers.get(4) as Uint8Array).toString()).toBe(signer.kid);
  expect(Object.fromEntries(claims)).toEqual({
    1: siteUrl,
    2: 'KZ-N-2026-000001',
    4: Date.parse('2026-12-31T23:59:59+05:00') / 1000,
    5: Date.parse('2026-03-01T00:00:00+05:00') / 1000,
    6: now.getTime() / 1000,
    65535: { status_list: { idx: 131_071, uri: `${siteUrl}/status-lists/1` } },
    '-70001': 'national_certificate',
    '-70002': 'B',
    '-70003': 'rally',
  });
});

test('VER-10: the same claims give the same bytes', () => {
  expect(makeCredential(signer, siteUrl, facts, now)).toBe(makeCredential(signer, siteUrl, facts, now));
});

// A thumbprint of 43 characters and a signature of 64 bytes leave no room for more: the longest has 9 bytes more than others.
test.each<[string, Partial<CertifiedFacts>, number]>([
  ['a national certificate', { discipline: null }, 328],
  ['the same for the discipline with the longest code', { discipline: 'trophy_raid' }, 339],
  ['a licence', { kind: 'international_licence', number: 'KZ-I-2026-00001', category: 'C', discipline: 'karting' }, 335],
  [
    'a licence with the longest code',
    { kind: 'international_licence', number: 'KZ-I-2026-00001', category: 'C', discipline: 'trophy_raid' },
    339,
  ],
  ['a document', { kind: 'document', number: 'KZ-D-2026-000001', category: null, discipline: null }, 312],
])('VER-10: the size of %s', (_, change, bytes) => {
  const short = siteUrl.slice(0, 40);
  expect(Buffer.from(makeCredential(signer, short, { ...facts, ...change }, now), 'base64url').length).toBe(bytes);
});

test('VER-12: an edition has both forms with the same list, for its address', () => {
  const bits = new StatusBits();
  bits.set(0, listedStatus.suspended);
  bits.set(5, listedStatus.invalid);
  bits.set(131_071, listedStatus.suspended);
  const uri = `${siteUrl}/status-lists/1`;
  const lst = bits.compress();
  const { cwt, jwt } = makeEdition(signer, uri, lst, 1_800_000_000);
  const { headers, claims } = open(cwt);
  expect(headers.get(16)).toBe('application/statuslist+cwt');
  expect(claims.get(2)).toBe(uri);
  expect([claims.get(6), claims.get(4), claims.get(65_534)]).toEqual([1_800_000_000, 1_800_086_400, 300]);
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  expect(verify(null, Buffer.from(`${header}.${payload}`), createPublicKey(privateKey), Buffer.from(signature, 'base64url'))).toBe(true);
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: signer.kid, typ: 'statuslist+jwt' });
  const read = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(read).toEqual({
    sub: uri,
    iat: 1_800_000_000,
    exp: 1_800_086_400,
    ttl: 300,
    status_list: { bits: 2, lst: lst.toString('base64url') },
  });
  const bytes = inflateSync(Buffer.from(read.status_list.lst, 'base64url'));
  expect(bytes.length).toBe(32_768);
  expect([bytes[0], bytes[1], bytes[32_767]]).toEqual([2, 1 << 2, 2 << 6]);
});
