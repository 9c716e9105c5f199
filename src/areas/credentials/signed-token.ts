import { encode, Tag } from 'cbor2';
import { type KeyObject, sign } from 'node:crypto';

/** A private Ed25519 key with its published name. */
export interface Signer {
  kid: string;
  privateKey: KeyObject;
}

/** CBOR labels of claims and headers: integers, or texts inside a claim. */
export type ClaimValue = string | number | null | Uint8Array | ReadonlyMap<string, ClaimValue>;
export type Claims = ReadonlyMap<number, ClaimValue>;

const [algorithmHeader, keyIdHeader, typeHeader] = [1, 4, 16];
const eddsa = -8;
const sign1Tag = 18;

/**
 * Signs claims as a CWT in a tagged COSE_Sign1 (RFC 8392, RFC 9052). Deterministic: the same claims give the same bytes.
 * @param type media type for the header `typ`; null for none
 */
export function signCwt({ kid, privateKey }: Signer, claims: Claims, type: string | null = null): Buffer {
  const headers = new Map<number, unknown>([
    [algorithmHeader, eddsa],
    [keyIdHeader, plainBytes(Buffer.from(kid))],
    ...(type === null ? [] : [[typeHeader, type] as const]),
  ]);
  const [protectedHeaders, payload] = [toCbor(headers), toCbor(claims)];
  const signature = sign(null, toCbor(['Signature1', protectedHeaders, new Uint8Array(), payload]), privateKey);
  return Buffer.from(toCbor(new Tag(sign1Tag, [protectedHeaders, new Map(), payload, plainBytes(signature)])));
}

/** Signs claims as a compact JWS. @param type value of the header `typ` */
export function signJwt({ kid, privateKey }: Signer, claims: object, type: string): string {
  const signed = [{ alg: 'EdDSA', kid, typ: type }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** The encoder writes a `Buffer` as an array of numbers. */
export function plainBytes(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes);
}

function toCbor(value: unknown): Uint8Array {
  return encode(value, { cde: true });
}
