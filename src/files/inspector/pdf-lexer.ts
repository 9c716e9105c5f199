/** What stands between an object's header and its end, by the words alone. */
export type Lexed = {
  /** every name in it, `#xx` decoded, in the order written, keys and values alike */
  names: string[];
  /** the beginning of each string in it */
  strings: string[];
  /** where each token begins that is not within a dictionary, an array or a string; kept for object streams only */
  tokenStarts: Set<number>;
  start: number;
  /** where the bytes of the stream that follows begin; null when none follows */
  streamStart: number | null;
  end: number;
};

const stringHeadLength = 64;
const longestName = 127 * 3;
const closingWords = new Set(['stream', 'xref', 'trailer', 'startxref']);

const space = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) space[code] = 1;
const delimiter = new Uint8Array(256);
for (const char of '()<>[]{}/%') delimiter[char.charCodeAt(0)] = 1;

export function isSpace(byte: number | undefined): boolean {
  return byte !== undefined && space[byte] === 1;
}

function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && space[byte] !== 1 && delimiter[byte] !== 1;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

const longestComment = 4096;
const mostComments = 8;

/**
 * Whether `obj` at this offset ends an object's header (`12 0 obj`): a digit stands before it, with white space and
 * comments between at most. A comment too long to look through counts as one, since a reader would skip it.
 */
export function isObjectHeader(bytes: Buffer, at: number, comments = 0): boolean {
  let before = at - 1;
  let crossedLine = false;
  while (before >= 0 && isSpace(bytes[before])) {
    crossedLine ||= bytes[before] === 0x0a || bytes[before] === 0x0d;
    before -= 1;
  }
  if (isDigit(bytes[before])) return true;
  if (!crossedLine || before < 0) return false;
  if (comments === mostComments) return true;
  const newline = Math.max(bytes.lastIndexOf(0x0a, before), bytes.lastIndexOf(0x0d, before));
  if (before - newline > longestComment) return true;
  const line = bytes.subarray(newline + 1, before + 1);
  for (let percent = line.indexOf(0x25); percent !== -1; percent = line.indexOf(0x25, percent + 1)) {
    const isFirst = line.subarray(0, percent).every((byte) => isSpace(byte));
    if (isFirst ? isObjectHeader(bytes, newline + 1 + percent, comments + 1) : endsInDigit(line.subarray(0, percent))) return true;
  }
  return false;
}

function endsInDigit(line: Buffer): boolean {
  let last = line.length - 1;
  while (last >= 0 && isSpace(line[last])) last -= 1;
  return isDigit(line[last]);
}

/**
 * Reads words from `start` to a stream's beginning, the next object's header or the end. It works on words and not on
 * parsed objects on purpose: readers disagree on repeated keys, stray words and unclosed dictionaries, and a word that
 * one of them would obey must be seen whatever stands around it. `wholeInput` is for unpacked object streams, which have
 * neither headers nor streams within.
 */
export function lex(bytes: Buffer, start: number, { wholeInput = false } = {}): Lexed {
  const lexed: Lexed = { names: [], strings: [], tokenStarts: new Set(), start, streamStart: null, end: bytes.length };
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (isSpace(byte)) {
      at += 1;
      continue;
    }
    if (byte === 0x25) {
      while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
      continue;
    }
    if (depth === 0 && wholeInput) lexed.tokenStarts.add(at);
    if (byte === 0x2f) {
      const from = at + 1;
      at = skipRegular(bytes, from);
      lexed.names.push(decodeName(bytes.toString('latin1', from, Math.min(at, from + longestName))));
    } else if (byte === 0x28) {
      const from = at + 1;
      at = skipString(bytes, from);
      lexed.strings.push(bytes.toString('latin1', from, Math.min(at, from + stringHeadLength)));
    } else if (byte === 0x3c && bytes[at + 1] !== 0x3c) {
      const close = bytes.indexOf(0x3e, at);
      const until = close === -1 ? bytes.length : close;
      const hex = bytes.toString('latin1', at + 1, Math.min(until, at + 4 * stringHeadLength)).replaceAll(/[^0-9A-Fa-f]/g, '');
      lexed.strings.push(Buffer.from(hex, 'hex').toString('latin1').slice(0, stringHeadLength));
      at = until + 1;
    } else if (byte === 0x3c) {
      depth += 1;
      at += 2;
    } else if (byte === 0x3e && bytes[at + 1] === 0x3e) {
      depth = Math.max(0, depth - 1);
      at += 2;
    } else if (byte === 0x5b || byte === 0x5d) {
      depth = byte === 0x5b ? depth + 1 : Math.max(0, depth - 1);
      at += 1;
    } else if (isRegular(byte)) {
      const from = at;
      at = skipRegular(bytes, from);
      if (wholeInput) continue;
      const word = at - from <= 64 ? bytes.toString('latin1', from, at) : '';
      if (word.endsWith('obj') && !word.endsWith('endobj') && isObjectHeader(bytes, at - 3)) return { ...lexed, end: from };
      if (depth === 0 && closingWords.has(word))
        return { ...lexed, end: from, streamStart: word === 'stream' ? skipLineEnd(bytes, at) : null };
    } else {
      at += 1;
    }
  }
  return lexed;
}

function skipRegular(bytes: Buffer, from: number): number {
  let at = from;
  while (isRegular(bytes[at])) at += 1;
  return at;
}

/** From after the opening bracket to after the closing one; brackets nest, a backslash takes the next byte along. */
function skipString(bytes: Buffer, from: number): number {
  let nesting = 1;
  let at = from;
  while (at < bytes.length && nesting > 0) {
    const byte = bytes[at];
    if (byte === 0x5c) at += 1;
    else if (byte === 0x28) nesting += 1;
    else if (byte === 0x29) nesting -= 1;
    at += 1;
  }
  return at;
}

function skipLineEnd(bytes: Buffer, from: number): number {
  if (bytes[from] === 0x0d && bytes[from + 1] === 0x0a) return from + 2;
  return bytes[from] === 0x0a || bytes[from] === 0x0d ? from + 1 : from;
}

function decodeName(raw: string): string {
  return raw.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
