import { encode, Tag } from 'cbor2';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { PublicKey } from '../../../client/src/index.ts';

/** A signing key of the tests and the key of the key set that verifies it. */
export interface SigningKey {
  privateKey: KeyObject;
  publicKey: PublicKey & { kid: string };
}

/** PKCS #8 of an Ed25519 key before its 32 bytes. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes the same key from the same name each time. */
export function signingKey(name: string): SigningKey {
  const seed = createHash('sha256').update(name).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { privateKey, publicKey: { kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig', kid: thumbprint } };
}

export type Claims = Map<number, unknown>;

/** The parts of a COSE_Sign1 that a test may spoil. */
export interface TokenParts {
  claims: Claims;
  headers?: Map<number, unknown>;
  unprotected?: Map<number, unknown>;
  /** True: with CBOR tag 61 in front. */
  hasCwtTag?: boolean;
}

/** Signs a CWT. `headers` are added to `alg` and `kid`, or replace them. */
export function signToken({ privateKey, publicKey }: SigningKey, { claims, headers, unprotected, hasCwtTag }: TokenParts): Buffer {
  const kid = new TextEncoder().encode(publicKey.kid);
  const protectedBytes = cbor(new Map<number, unknown>([[1, -8], [4, kid], ...(headers ?? [])]));
  const payload = cbor(claims);
  const signature = new Uint8Array(sign(null, cbor(['Signature1', protectedBytes, new Uint8Array(), payload]), privateKey));
  const message = new Tag(18, [protectedBytes, unprotected ?? new Map(), payload, signature]);
  return Buffer.from(cbor(hasCwtTag === true ? new Tag(61, message) : message));
}

/** The library writes a `Buffer` as its JSON: all bytes are plain ones. */
function cbor(value: unknown): Uint8Array {
  return encode(value, { cde: true });
}

export interface CredentialFacts {
  issuer: string;
  number: string;
  /** Seconds since 1970. */
  notBefore: number;
  expires: number;
  place: number;
  listUri: string;
}

export function credentialClaims({ issuer, number, notBefore, expires, place, listUri }: CredentialFacts): Claims {
  return new Map<number, unknown>([
    [1, issuer],
    [2, number],
    [4, expires],
    [5, notBefore],
    [6, notBefore - 86_400],
    [
      65_535,
      new Map([
        [
          'status_list',
          new Map<string, unknown>([
            ['idx', place],
            ['uri', listUri],
          ]),
        ],
      ]),
    ],
    [-70_001, 'national_certificate'],
    [-70_002, 'master'],
    [-70_003, 'boulder'],
  ]);
}

export interface ListFacts {
  uri: string;
  issuedAt: number;
  /** Two bits by place; all other places are 0. */
  statuses: Readonly<Record<number, number>>;
  places?: number;
}

export function listClaims({ uri, issuedAt, statuses, places = 131_072 }: ListFacts): Claims {
  const bits = Buffer.alloc(places / 4);
  for (const [place, status] of Object.entries(statuses)) {
    const at = Math.floor(Number(place) / 4);
    bits.writeUInt8(bits.readUInt8(at) | (status << ((Number(place) % 4) * 2)), at);
  }
  return new Map<number, unknown>([
    [2, uri],
    [4, issuedAt + 86_400],
    [6, issuedAt],
    [65_534, 300],
    [
      65_533,
      new Map<string, unknown>([
        ['bits', 2],
        ['lst', new Uint8Array(deflateSync(bits, { level: 9 }))],
      ]),
    ],
  ]);
}

export function signList(key: SigningKey, claims: Claims, headers: Map<number, unknown> = listHeaders): Buffer {
  return signToken(key, { claims, headers });
}

const listHeaders = new Map([[16, 'application/statuslist+cwt']]);
