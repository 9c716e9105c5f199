/** Control characters that no text has. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000e-\u001f]/;

/** Returns the text of a file, or null when its bytes are no text: UTF-8, UTF-16 with its mark, otherwise windows-1251. */
export function decodeText(bytes: Buffer): string | null {
  const text = decode(bytes);
  return text === null || control.test(text) ? null : text;
}

function decode(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeAs('utf-16le', bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeAs('utf-16be', bytes);
  // Programs in Russian and Kazakh write a CSV in the code page of the system unless asked for UTF-8.
  return decodeAs('utf-8', bytes) ?? decodeAs('windows-1251', bytes);
}

function decodeAs(encoding: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
