import type { Steps } from './pdf-steps.ts';
import { decodeString, isLongEnough, isScriptAddress } from './pdf-strings.ts';

/** Names of active content: scripts, launching, sending, fetching, embedded files. */
const activeNames = [
  'JavaScript',
  'JS',
  'Launch',
  'SubmitForm',
  'ImportData',
  'GoToE',
  'XFA',
  'OnInstantiate',
  'EmbeddedFile',
  'EmbeddedFiles',
  'EF',
  'FileAttachment',
  'RichMedia',
  'RichMediaContent',
  'RichMediaExecute',
] as const;

/** Names that the scan searches; it ignores all others. */
const scannedNames = ['Encrypt', 'ObjStm', 'XRef', 'First', 'N', 'Filter', 'Predictor', 'OpenAction', 'AA', ...activeNames] as const;
export type ScannedName = (typeof scannedNames)[number];
const scanned: ReadonlySet<string> = new Set(scannedNames);
const shortFilters: ReadonlySet<string> = new Set(['Fl', 'LZW', 'A85', 'AHx', 'RL', 'Crypt']);

/** The words between an object's header and its end. */
export type Lexed = {
  /** count of each scanned name, `#xx` decoded, keys and values alike */
  names: ReadonlyMap<ScannedName, number>;
  /** the first names of filters */
  filters: readonly string[];
  /** whether a string is a script's address */
  hasScriptAddress: boolean;
  start: number;
  /** first byte of the following stream; null without one */
  streamStart: number | null;
  end: number;
};

const maxNameLength = 127 * 3;
const maxFilters = 4;
/** Steps in addition to its bytes. */
const stepsPerToken = 4;
/** Steps of a string that is decoded. */
const stepsPerString = 60;

const space = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) space[code] = 1;
const delimiter = new Uint8Array(256);
for (const char of '()<>[]{}/%') delimiter[char.charCodeAt(0)] = 1;

export function isSpace(byte: number | undefined): boolean {
  return byte !== undefined && space[byte] === 1;
}

export function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && space[byte] !== 1 && delimiter[byte] !== 1;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}

const maxCommentLength = 4096;

/**
 * Returns whether `obj` at this offset may end an object's header (`12 0 obj`): after a digit and white space, or after a line with a
 * comment. A false positive costs little; a missed header would hide an object. A very long line counts as a comment.
 */
export function isObjectHeader(bytes: Buffer, at: number, steps: Steps): boolean {
  let before = at - 1;
  let crossedLine = false;
  while (before >= 0 && isSpace(bytes[before])) {
    crossedLine ||= isLineEnd(bytes[before]);
    before -= 1;
  }
  steps.spend(at - before);
  if (isDigit(bytes[before])) return true;
  if (!crossedLine || before < 0) return false;
  const last = before;
  while (before >= 0 && !isLineEnd(bytes[before]) && bytes[before] !== 0x25 && last - before < maxCommentLength) before -= 1;
  steps.spend(last - before);
  return bytes[before] === 0x25 || last - before >= maxCommentLength;
}

/**
 * Reads words from `start` to a stream, the next object's header or the end. Works on words, not on parsed objects: programs disagree on
 * repeated keys, stray words and unclosed dictionaries, and the scan must find a word that any of them would obey.
 * @param objectStarts ascending offsets of objects, for unpacked object streams, which contain no headers or streams
 * @param readString decrypts the strings of an encrypted file
 * @throws {TooManyStepsError}
 * @throws {MisplacedObjectError} when an object begins within a token, a string, a dictionary or an array
 */
export function lex(
  bytes: Buffer,
  start: number,
  steps: Steps,
  { objectStarts, readString }: { objectStarts?: Uint32Array; readString?: (raw: Buffer) => Buffer } = {},
): Lexed {
  const lexed: Lexed = { names: noNames, filters: noFilters, hasScriptAddress: false, start, streamStart: null, end: bytes.length };
  let depth = 0;
  let at = start;
  let nextObject = 0;
  const readAddress = (raw: Buffer): void => {
    steps.spend(stepsPerString);
    lexed.hasScriptAddress ||= isScriptAddress(readString?.(raw) ?? decodeString(raw));
  };
  while (at < bytes.length) {
    const byte = bytes[at];
    const from = at;
    if (isSpace(byte)) {
      at += 1;
      steps.spend(1);
      continue;
    }
    if (byte === 0x25) {
      while (at < bytes.length && !isLineEnd(bytes[at])) at += 1;
      steps.spend(at - from);
      continue;
    }
    if (objectStarts && (objectStarts[nextObject] ?? Infinity) <= at) {
      if (depth > 0 || objectStarts[nextObject] !== at) throw new MisplacedObjectError();
      while (objectStarts[nextObject] === at) nextObject += 1;
    }
    steps.spend(stepsPerToken);
    if (byte === 0x2f) {
      at = skipRegular(bytes, from + 1);
      if (mayBeScanned(bytes, from + 1, at)) {
        steps.spend(stepsPerString);
        countName(lexed, nameAt(bytes, from + 1, at));
      }
    } else if (byte === 0x28) {
      at = skipString(bytes, from + 1);
      if (readString ? isLongEnough(at - from) : mayBeAddress(bytes, from + 1, at)) readAddress(bytes.subarray(from, at));
    } else if (byte === 0x3c && bytes[at + 1] !== 0x3c) {
      const close = bytes.indexOf(0x3e, at);
      at = close === -1 ? bytes.length : close + 1;
      if (isLongEnough((at - from) / 2)) readAddress(bytes.subarray(from, at));
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
      at = skipRegular(bytes, from);
      steps.spend(at - from);
      if (!objectStarts) {
        if (endsWith(bytes, at, 'obj') && !endsWith(bytes, at, 'endobj') && isObjectHeader(bytes, at - 3, steps))
          return { ...lexed, end: from };
        if (depth === 0 && closingWords.some((word) => at - from === word.length && endsWith(bytes, at, word)))
          return { ...lexed, end: from, streamStart: endsWith(bytes, at, 'stream') ? skipLineEnd(bytes, at) : null };
      }
      continue;
    } else {
      at += 1;
    }
    steps.spend(at - from);
  }
  if (objectStarts && nextObject < objectStarts.length) throw new MisplacedObjectError();
  return lexed;
}

/** An object stream names an offset where no object can begin; programs would read it differently. */
export class MisplacedObjectError extends Error {}

const closingWords = ['stream', 'xref', 'trailer', 'startxref'] as const;

/** Shared by objects without names. */
const noNames: ReadonlyMap<ScannedName, number> = new Map();
const noFilters: readonly string[] = [];

function countName(lexed: Lexed, name: string): void {
  if (isScanned(name)) lexed.names = new Map(lexed.names).set(name, (lexed.names.get(name) ?? 0) + 1);
  if (lexed.filters.length < maxFilters && (name.endsWith('Decode') || shortFilters.has(name))) lexed.filters = [...lexed.filters, name];
}

const maxScannedLength = 17;
const firstLetters = new Uint8Array(256);
for (const name of [...scannedNames, ...shortFilters]) firstLetters[name.charCodeAt(0)] = 1;

/** Returns whether a name must be decoded. Excludes most names by their first letter, because a file may have millions. */
function mayBeScanned(bytes: Buffer, from: number, end: number): boolean {
  if (endsWith(bytes, end, 'Decode')) return true;
  if (end - from <= maxScannedLength && firstLetters[bytes[from] ?? 0] === 1) return true;
  for (let at = from; at < end && at < from + maxNameLength; at += 1) if (bytes[at] === 0x23) return true;
  return false;
}

/** Returns whether a string is long enough for a script's address, and begins like one or with ignored characters. */
function mayBeAddress(bytes: Buffer, from: number, end: number): boolean {
  const first = bytes[from] ?? 0;
  return isLongEnough(end - from) && (first <= 0x20 || first >= 0xfe || first === 0x5c || first === 0x6a || first === 0x4a);
}

function isScanned(name: string): name is ScannedName {
  return scanned.has(name);
}

function endsWith(bytes: Buffer, end: number, word: string): boolean {
  const from = end - word.length;
  for (let index = 0; index < word.length; index += 1) if (bytes[from + index] !== word.charCodeAt(index)) return false;
  return true;
}

export function skipRegular(bytes: Buffer, from: number): number {
  let at = from;
  while (isRegular(bytes[at])) at += 1;
  return at;
}

/**
 * Returns the offset after the closing bracket, given the one after the opening bracket. Brackets nest; a backslash escapes the next byte.
 */
export function skipString(bytes: Buffer, from: number): number {
  let nesting = 1;
  let at = from;
  while (at < bytes.length && nesting > 0) {
    const byte = bytes[at];
    if (byte === 0x5c) at += 1;
    else if (byte === 0x28) nesting += 1;
    else if (byte === 0x29) nesting -= 1;
    at += 1;
  }
  return Math.min(at, bytes.length);
}

function skipLineEnd(bytes: Buffer, from: number): number {
  if (bytes[from] === 0x0d && bytes[from + 1] === 0x0a) return from + 2;
  return isLineEnd(bytes[from]) ? from + 1 : from;
}

/** Returns the name that begins at `from`, after its slash, with `#xx` decoded. */
export function nameAt(bytes: Buffer, from: number, end: number): string {
  const raw = bytes.toString('latin1', from, Math.min(end, from + maxNameLength));
  return raw.includes('#') ? raw.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : raw;
}
