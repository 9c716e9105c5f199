import { type Bytes, InvalidToken } from './bytes.ts';
import { expiryClaim, issuedClaim, issuerClaim, readTime, subjectClaim } from './claims.ts';
import { findKey, isBytes, isMap, isSignedBy, type KeySet, readSign1 } from './cose.ts';

/** A status list whose signature was verified. */
export interface StatusList {
  issuedAt: Date;
  expiresAt: Date;
  /** Two bits a place. */
  bits: Bytes;
}

/** 131,072 places of two bits. */
const maxListBytes = 32_768;
/** A list that cannot be compressed, with its claims and signature. */
const maxTokenBytes = 40_000;

const typeHeader = 16;
const statusListClaim = 65_533;

/**
 * Opens a status list token (IETF Token Status List, `application/statuslist+cwt`), GAT-5.
 *
 * @param uri address that the credential names; the list must be issued for it
 * @returns null for a list that the registry did not issue for this address
 */
export async function openStatusList(token: Bytes, uri: string, issuer: string, jwks: KeySet): Promise<StatusList | null> {
  try {
    if (token.length > maxTokenBytes) return null;
    const signed = readSign1(token);
    const { headers, claims } = signed;
    if (headers.get(typeHeader) !== 'application/statuslist+cwt') return null;
    const key = findKey(signed, jwks);
    if (!key || !(await isSignedBy(signed, key))) return null;
    if (claims.get(subjectClaim) !== uri || (claims.get(issuerClaim) ?? issuer) !== issuer) return null;
    const list = claims.get(statusListClaim);
    const compressed = isMap(list) && list.get('bits') === 2 ? list.get('lst') : null;
    if (!isBytes(compressed)) return null;
    const [issuedAt, expiresAt] = [readTime(claims.get(issuedClaim)), readTime(claims.get(expiryClaim))];
    return { issuedAt, expiresAt, bits: await inflate(compressed) };
  } catch {
    return null;
  }
}

/** Returns when a list was issued, before its signature is verified; null for anything else. */
export function readListTime(token: Bytes): Date | null {
  try {
    return readTime(readSign1(token).claims.get(issuedClaim));
  } catch {
    return null;
  }
}

/** Returns the two bits of a place; null outside the list. */
export function statusAt({ bits }: StatusList, place: number): number | null {
  const byte = bits[Math.floor(place / 4)];
  return byte === undefined ? null : (byte >> ((place % 4) * 2)) & 3;
}

/** Inflates zlib data (RFC 1950). Stops at the size of a full list, so a small token cannot fill the memory. */
async function inflate(compressed: Bytes): Promise<Bytes> {
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const reader = stream.getReader();
  const bits = new Uint8Array(maxListBytes);
  let length = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (length + chunk.value.length > maxListBytes) {
      await reader.cancel();
      throw new InvalidToken('the list is too large');
    }
    bits.set(chunk.value, length);
    length += chunk.value.length;
  }
  return bits.subarray(0, length);
}
