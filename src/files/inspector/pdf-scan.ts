import { inflateSync } from 'node:zlib';
import { isObjectHeader, isSpace, lex, type Lexed } from './pdf-lexer.ts';

/** Names that make a reader run, start, send or unpack something. */
const activeNames = new Set([
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
]);

/** What the object and cross-reference streams of one file may unpack to, together. */
const unpackedLimitBytes = 96 * 1024 * 1024;

export type ScanVerdict = 'clean' | 'encrypted' | 'active' | 'unreadable';

class UnreadableError extends Error {}

/**
 * Looks at every object a reader could ever be led to: each `N G obj` in the bytes, also in earlier revisions, outside
 * the cross-reference table, overwritten by a later object of the same number or hidden within another's stream, and
 * each object within an object stream.
 */
export function scanPdf(bytes: Buffer): ScanVerdict {
  const names = new Set<string>();
  const packed: Lexed[] = [];
  let hasScriptAddress = false;

  const take = (lexed: Lexed): void => {
    for (const name of lexed.names) names.add(name);
    // A link is harmless, unless its address is a script.
    hasScriptAddress ||= lexed.strings.some((text) => /^[\s\0]*javascript:/i.test(text));
    if (lexed.streamStart !== null && isPacked(lexed)) packed.push(lexed);
  };

  for (const at of occurrences(bytes, 'obj')) if (isObjectHeader(bytes, at)) take(lex(bytes, at + 3));
  for (const at of occurrences(bytes, 'trailer')) take(lex(bytes, at + 7));

  // Names are never encrypted, packed objects are: this must be known before they are unpacked.
  if (names.has('Encrypt')) return 'encrypted';
  try {
    let allowance = unpackedLimitBytes;
    for (const stream of packed) {
      const content = unpack(bytes, stream, allowance);
      allowance -= content.length;
      if (isObjectStream(stream)) take(lexObjectStream(bytes, stream, content));
    }
  } catch (error) {
    if (error instanceof UnreadableError) return isActive() ? 'active' : 'unreadable';
    throw error;
  }
  return isActive() ? 'active' : 'clean';

  function isActive(): boolean {
    return hasScriptAddress || [...activeNames].some((name) => names.has(name));
  }
}

function* occurrences(bytes: Buffer, word: string): Generator<number> {
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) yield at;
}

/** By what a reader uses of it, and not only by its declared type: cross-reference entries can lead to any stream. */
function isObjectStream({ names }: Lexed): boolean {
  return names.includes('ObjStm') || (names.includes('First') && names.includes('N'));
}

function isPacked(lexed: Lexed): boolean {
  return isObjectStream(lexed) || lexed.names.includes('XRef');
}

/**
 * The stream's content. Writers use deflate once or nothing here; anything else would serve only to get past a scanner or
 * to unpack to gigabytes, so it counts as unreadable.
 */
function unpack(bytes: Buffer, stream: Lexed, limit: number): Buffer {
  const start = stream.streamStart ?? bytes.length;
  const filters = stream.names.filter((name) => name.endsWith('Decode') || ['Fl', 'LZW', 'A85', 'AHx', 'RL', 'Crypt'].includes(name));
  if (filters.length > 1 || filters.some((name) => name !== 'FlateDecode' && name !== 'Fl')) throw new UnreadableError();
  if (isObjectStream(stream) && stream.names.includes('Predictor')) throw new UnreadableError();
  if (filters.length === 0) {
    if (stream.names.includes('Filter')) throw new UnreadableError();
    const end = bytes.indexOf('endstream', start);
    return bytes.subarray(start, end === -1 ? bytes.length : end);
  }
  try {
    // To the end of the deflated data, whatever the declared length. Readers show what they can of damaged data; here it is refused.
    return inflateSync(bytes.subarray(start), { maxOutputLength: Math.max(1, limit) });
  } catch {
    throw new UnreadableError();
  }
}

/**
 * `N` pairs of object number and offset, then, from `First` on, the objects. An offset that leads into the middle of
 * another object, where the words read differently, is a trick.
 */
function lexObjectStream(bytes: Buffer, stream: Lexed, content: Buffer): Lexed {
  const dictionary = bytes.toString('latin1', stream.start, stream.streamStart ?? stream.end);
  const first = onlyNumber(stream, dictionary, 'First');
  const count = onlyNumber(stream, dictionary, 'N');
  const lexed = lex(content, 0, { wholeInput: true });
  const head = content
    .toString('latin1', 0, first)
    .split(/[\s\0]+/)
    .filter((word) => word !== '');
  if (head.length < 2 * count) throw new UnreadableError();
  for (let index = 0; index < count; index += 1) {
    let at = first + Number(head[2 * index + 1]);
    while (isSpace(content[at])) at += 1;
    if (at < content.length && !lexed.tokenStarts.has(at)) throw new UnreadableError();
  }
  return lexed;
}

function onlyNumber(stream: Lexed, dictionary: string, name: 'First' | 'N'): number {
  const written = new RegExp(`/${name}[\\s\\0]+(\\d{1,9})(?![\\s\\0]+\\d+[\\s\\0]+R)`).exec(dictionary)?.[1];
  if (written === undefined || stream.names.filter((other) => other === name).length !== 1) throw new UnreadableError();
  return Number(written);
}
