import { type Bytes, decodeBase64url, InvalidToken, joinBytes } from './bytes.ts';
import { type CborMap, decodeCbor, encodeHead } from './cbor.ts';

/** A public Ed25519 key of `/.well-known/jwks.json`. */
export interface PublicKey {
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
}

export interface KeySet {
  readonly keys: readonly PublicKey[];
}

/** A signed CWT before its signature is verified. */
export interface SignedToken {
  headers: CborMap;
  claims: CborMap;
  keyId: string;
  signature: Bytes;
  /** `Sig_structure` of RFC 9052 §4.4. */
  signedBytes: Bytes;
}

const algorithmHeader = 1;
const criticalHeader = 2;
const keyIdHeader = 4;
const eddsa = -8;

const byteString = 2;
const sign1Tag = 0xd2;
/** CBOR tag 61 (CWT) before the tag of COSE_Sign1. */
const cwtTag = [0xd8, 0x3d] as const;

/** Returns whether the bytes begin as a tagged COSE_Sign1, so that a person means them as a credential. */
export function isSign1(bytes: Bytes): boolean {
  return bytes[contentStart(bytes) - 1] === sign1Tag;
}

function contentStart(bytes: Bytes): number {
  return bytes[0] === cwtTag[0] && bytes[1] === cwtTag[1] ? 3 : 1;
}

/**
 * Reads a tagged CWT in COSE_Sign1 (RFC 8392, RFC 9052) of the registry's profile (GAT-2): EdDSA, a key id, no critical headers, and nothing
 * outside the signature.
 *
 * @throws {InvalidToken}
 */
export function readSign1(bytes: Bytes): SignedToken {
  if (!isSign1(bytes)) throw new InvalidToken('not a tagged COSE_Sign1');
  const parts = decodeCbor(bytes.subarray(contentStart(bytes)));
  if (!Array.isArray(parts) || parts.length !== 4) throw new InvalidToken('COSE_Sign1 has four parts');
  const [protectedBytes, unprotected, payload, signature] = parts;
  if (!isBytes(protectedBytes) || !isBytes(payload) || !isBytes(signature))
    throw new InvalidToken('a part of COSE_Sign1 is no byte string');
  if (!isMap(unprotected) || unprotected.size > 0) throw new InvalidToken('headers outside the signature');
  const headers = decodeCbor(protectedBytes);
  const claims = decodeCbor(payload);
  if (!isMap(headers) || !isMap(claims)) throw new InvalidToken('headers and claims are maps');
  if (headers.get(algorithmHeader) !== eddsa) throw new InvalidToken('not signed by EdDSA');
  if (headers.has(criticalHeader)) throw new InvalidToken('unknown critical headers');
  const keyId = headers.get(keyIdHeader);
  if (!isBytes(keyId)) throw new InvalidToken('no key id');
  return { headers, claims, keyId: decodeText(keyId), signature, signedBytes: signedBytesOf(protectedBytes, payload) };
}

/** Returns the key of a token; null when the key set does not have it. */
export function findKey({ keyId }: SignedToken, jwks: KeySet): PublicKey | null {
  return jwks.keys.find((key) => key.kid === keyId && isSigningKey(key)) ?? null;
}

function isSigningKey({ kty, crv, x = '', alg = 'EdDSA', use = 'sig' }: PublicKey): boolean {
  return kty === 'OKP' && crv === 'Ed25519' && alg === 'EdDSA' && use === 'sig' && /^[\w-]{43}$/.test(x);
}

/** Returns whether the key made the token's signature. */
export async function isSignedBy({ signature, signedBytes }: SignedToken, key: PublicKey): Promise<boolean> {
  if (signature.length !== 64) return false;
  const imported = await importOnce(key);
  if (imported) return crypto.subtle.verify('Ed25519', imported, signature, signedBytes);
  const { verifyAsync } = await import('@noble/ed25519');
  return verifyAsync(signature, signedBytes, decodeBase64url(key.x ?? ''), { zip215: false });
}

const importedKeys = new WeakMap<PublicKey, Promise<CryptoKey | null>>();

/** Imports a key; null in a browser whose WebCrypto lacks Ed25519 (Safari 16, Chrome 136). */
function importOnce(key: PublicKey): Promise<CryptoKey | null> {
  let imported = importedKeys.get(key);
  if (!imported) {
    imported = importKey(decodeBase64url(key.x ?? ''));
    importedKeys.set(key, imported);
  }
  return imported;
}

async function importKey(publicKey: Bytes): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') return null;
    throw error;
  }
}

const context = new TextEncoder().encode('Signature1');

/** Array of four: context, protected headers, no external data, payload. */
function signedBytesOf(protectedBytes: Bytes, payload: Bytes): Bytes {
  return joinBytes(
    encodeHead(4, 4),
    encodeHead(3, context.length),
    context,
    encodeHead(byteString, protectedBytes.length),
    protectedBytes,
    encodeHead(byteString, 0),
    encodeHead(byteString, payload.length),
    payload,
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Bytes): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidToken('the key id is not UTF-8');
  }
}

export function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array;
}

export function isMap(value: unknown): value is CborMap {
  return value instanceof Map;
}
