/** Bytes that WebCrypto and streams accept. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The credential, its key or its status list is not what the registry issues. Never leaves this package. */
export class InvalidToken extends Error {}

/** Decodes base64url without padding. Refuses a second spelling of the same bytes, so a changed text never verifies. */
export function decodeBase64url(text: string): Bytes {
  if (!/^[\w-]*$/.test(text)) throw new InvalidToken('not base64url');
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  if (encodeBase64url(bytes) !== text) throw new InvalidToken('not the shortest base64url');
  return bytes;
}

function encodeBase64url(bytes: Bytes): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function joinBytes(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
