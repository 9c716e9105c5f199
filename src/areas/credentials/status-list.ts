import { deflateSync } from 'node:zlib';
import { type ClaimValue, plainBytes, type Signer, signCwt, signJwt } from './signed-token.ts';

/** Places of a list (VER-11). */
export const placesOfList = 131_072;
const bits = 2;
const placesOfByte = 8 / bits;

/** Values of a place (VER-12). */
export const listedStatus = { valid: 0, invalid: 1, suspended: 2 } as const;
export type ListedStatus = (typeof listedStatus)[keyof typeof listedStatus];

/** Seconds for which an edition is valid, and after which a verifier asks for the next one. */
export const editionSeconds = 24 * 3600;
export const refreshSeconds = 300;

export const statusListTypes = { cwt: 'application/statuslist+cwt', jwt: 'application/statuslist+jwt' } as const;

/** @param siteUrl public address without a trailing slash */
export function statusListUri(siteUrl: string, listId: number): string {
  return `${siteUrl}/status-lists/${listId}`;
}

/** The statuses of a list, two bits a place; places without a certificate count as valid (VER-11). */
export class StatusBits {
  readonly #bytes = Buffer.alloc(placesOfList / placesOfByte);

  /** Sets a place once. */
  set(place: number, status: ListedStatus): void {
    const byte = Math.floor(place / placesOfByte);
    this.#bytes.writeUInt8(this.#bytes.readUInt8(byte) | (status << ((place % placesOfByte) * bits)), byte);
  }

  /** Compresses the list by zlib. */
  compress(): Buffer {
    return deflateSync(this.#bytes, { level: 9 });
  }
}

/** An edition of a list in both forms. */
export interface Edition {
  cwt: Buffer;
  jwt: string;
}

/** Signs an edition of a list as Status List Tokens (IETF Token Status List). */
export function makeEdition(signer: Signer, uri: string, lst: Buffer, issuedAt: number): Edition {
  const [expiresAt, ttl] = [issuedAt + editionSeconds, refreshSeconds];
  const list = new Map<string, number | Uint8Array>([
    ['bits', bits],
    ['lst', plainBytes(lst)],
  ]);
  const claims = new Map<number, ClaimValue>([
    [2, uri],
    [4, expiresAt],
    [6, issuedAt],
    [65_533, list],
    [65_534, ttl],
  ]);
  return {
    cwt: signCwt(signer, claims, statusListTypes.cwt),
    jwt: signJwt(
      signer,
      { sub: uri, iat: issuedAt, exp: expiresAt, ttl, status_list: { bits, lst: lst.toString('base64url') } },
      'statuslist+jwt',
    ),
  };
}
