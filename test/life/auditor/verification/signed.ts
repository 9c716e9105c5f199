import { decode, encode, Tag } from 'cbor2';
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Finding } from '../finding.ts';

/** Public keys by their name. */
export type Keys = ReadonlyMap<string, KeyObject>;

/** Claims and protected headers by their numbers. */
export interface Signed {
  headers: ReadonlyMap<unknown, unknown>;
  claims: ReadonlyMap<unknown, unknown>;
}

const signedTag = 18;
const [algorithm, keyName] = [1, 4];
const eddsa = -8;
const asMaps = { preferMap: true } as const;

/** Reads the key set. Each key has the thumbprint of RFC 7638 as its name (VER-9). @throws {Finding} */
export function readKeys(set: { keys: Record<string, string>[] }): Keys {
  const keys = new Map<string, KeyObject>();
  for (const jwk of set.keys) {
    const { kty = '', crv = '', x = '', kid = '' } = jwk;
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
    if (kid !== thumbprint) throw new Finding('a published key has its thumbprint as its name (VER-9)', thumbprint, kid);
    keys.set(kid, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }));
  }
  return keys;
}

/** Reads a COSE_Sign1 with EdDSA that a published key has signed (GAT-2). @throws {Finding} @param what for the finding */
export function readSigned(bytes: Buffer, keys: Keys, what: string): Signed {
  const message: unknown = decode(new Uint8Array(bytes), asMaps);
  const wrong = (expected: string, seen: unknown) => new Finding(`${what} is signed by a published key (VER-9, GAT-2)`, expected, seen);
  if (!(message instanceof Tag) || Number(message.tag) !== signedTag || !Array.isArray(message.contents))
    throw wrong('a tagged COSE_Sign1', message);
  const [head, open, payload, signature] = message.contents as unknown[];
  if (!(head instanceof Uint8Array) || !(payload instanceof Uint8Array) || !(signature instanceof Uint8Array))
    throw wrong('headers, claims and signature as bytes', message.contents);
  if (!(open instanceof Map) || open.size > 0) throw wrong('no header outside the signature', open);
  const headers = decode(head, asMaps);
  const claims = decode(payload, asMaps);
  if (!(headers instanceof Map) || !(claims instanceof Map)) throw wrong('maps', { headers, claims });
  if (headers.get(algorithm) !== eddsa) throw wrong('EdDSA', headers.get(algorithm));
  const name: unknown = headers.get(keyName);
  const key = name instanceof Uint8Array ? keys.get(Buffer.from(name).toString()) : undefined;
  if (!key) throw wrong('a key of the key set', name);
  const signedBytes = encode(['Signature1', head, new Uint8Array(), payload], { cde: true });
  if (!verify(null, signedBytes, key, signature)) throw wrong('a right signature', 'a wrong one');
  return { headers, claims };
}
