/** Bytes of a string that the scan reads: enough to recognize a script's address. */
const readLength = 256;
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const scriptAddress = 'javascript:';

/** Returns whether a string of this length, its brackets included, may hold a script's address. */
export function isLongEnough(length: number): boolean {
  return length > scriptAddress.length;
}

/**
 * Decodes the beginning of a string: a literal in round brackets, or hexadecimal digits in angle brackets.
 * @param raw with its brackets
 */
export function decodeString(raw: Buffer): Buffer {
  const inner = raw.toString('latin1', 1, Math.min(raw.length - 1, 4 * readLength));
  if (raw[0] === 0x3c) {
    const digits = inner.replaceAll(/[^0-9A-Fa-f]/g, '');
    return Buffer.from(digits.length % 2 === 1 ? `${digits}0` : digits, 'hex');
  }
  const decoded = inner
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\\(?:([0-7]{1,3})|([^0-7]))/g, (_, octal: string | undefined, char = '') =>
      octal === undefined ? (char === '\n' ? '' : (escapes[char] ?? char)) : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
    );
  return Buffer.from(decoded, 'latin1');
}

/**
 * Returns whether a decoded string begins with `javascript:` for the most tolerant program: one or two bytes a letter, white space removed
 * as in browsers.
 */
export function isScriptAddress(decoded: Buffer): boolean {
  const head = decoded.toString('latin1', 0, readLength).replaceAll(/[\0-\u0020\\\u00fe\u00ff]/g, '');
  return head.slice(0, scriptAddress.length).toLowerCase() === scriptAddress;
}
