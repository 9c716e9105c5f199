import { inflateSync } from 'node:zlib';
import { type Decryptor, type ObjectId, openEncrypted } from './pdf-encryption.ts';
import { isDigit, isObjectHeader, isSpace, lex, type Lexed, MisplacedObjectError, type ScannedName } from './pdf-lexer.ts';
import type { Steps } from './pdf-steps.ts';
import { MalformedValueError, type PdfValue, readValue } from './pdf-values.ts';

/** One object, in any place of the file. */
export type PdfObject = {
  bytes: Buffer;
  /** offset of its value */
  start: number;
};

export type PdfObjects = {
  /** objects that name an action without a click */
  automaticActions: PdfObject[];
  /** all objects by number, in byte order, with earlier revisions and hidden ones */
  byNumber: ReadonlyMap<number, readonly PdfObject[]>;
  /** objects with an unreadable number */
  unnumbered: readonly PdfObject[];
  /** the last object of each number, in reading order */
  current: ReadonlyMap<number, PdfObject>;
  /** trailers and cross-reference streams, in that order */
  trailers: readonly PdfObject[];
};

/** The PDF is malformed. */
export class UnreadablePdfError extends Error {}

/** Limits of the unpacked object streams of one file. Object text shrinks at most to a twentieth. */
const unpackedPerByte = 50;
const unpackedAtLeast = 1024 * 1024;
const unpackedAtMost = 20 * 1024 * 1024;

/** Steps in addition to the bytes, for memory of an object and the start of unpacking. */
const stepsPerObject = 100;
const stepsPerUnpacking = 8000;
/** Steps of a cached value. */
const stepsPerLookUp = 8;

/**
 * Finds every object that a program could reach: each `N G obj` in the bytes and each object of an object stream. Includes earlier
 * revisions, objects outside the cross-reference table, and objects hidden in streams.
 * @throws {TooManyStepsError}
 * @throws {EncryptedPdfError} for a file that does not open without a password
 * @throws {UnreadablePdfError} for malformed or suspicious packing, after `found` received the words read until then
 */
export function findObjects(bytes: Buffer, steps: Steps, found: (words: Lexed) => void): PdfObjects {
  const automaticActions: PdfObject[] = [];
  const byNumber = new Map<number, PdfObject[]>();
  const unnumbered: PdfObject[] = [];
  const current = new Map<number, PdfObject>();
  const trailers: PdfObject[] = [];
  const packed: { words: Lexed; at: number; isInOrder: boolean; id: ObjectId | null }[] = [];
  /** Objects that name an encryption. */
  const holders: PdfObject[] = [];
  /** Offset of the current object of each number. */
  const places = new Map<number, number>();
  const endOfStream = findStreamEnds(bytes, steps);
  /** A sequential reader finds no object before this offset. */
  let readUntil = 0;

  const add = (object: PdfObject, number: number | null, at: number, isInOrder: boolean): void => {
    if (number === null) {
      unnumbered.push(object);
      return;
    }
    const others = byNumber.get(number);
    if (others) others.push(object);
    else byNumber.set(number, [object]);
    if (!isInOrder || at < (places.get(number) ?? 0)) return;
    current.set(number, object);
    places.set(number, at);
  };

  for (const { at, isTrailer } of objectOffsets(bytes, steps)) {
    steps.spend(stepsPerObject);
    const start = at + (isTrailer ? 'trailer'.length : 'obj'.length);
    const words = lex(bytes, start, steps);
    const object = { bytes, start };
    found(words);
    if (words.names.has('Encrypt')) holders.push(object);
    const isInOrder = at >= readUntil;
    if (isInOrder) readUntil = words.streamStart === null ? words.end : endOfStream(words.streamStart);
    const id = isTrailer ? null : idBefore(bytes, at);
    if (!isTrailer) add(object, id?.number ?? null, at, isInOrder);
    if (isInOrder && (isTrailer || words.names.has('XRef'))) trailers.push(object);
    if (hasAutomaticAction(words)) automaticActions.push(object);
    if (words.streamStart !== null && isObjectStream(words)) packed.push({ words, at, isInOrder, id });
  }
  // Names are never encrypted; strings and packed objects are.
  const decryptor = holders.length === 0 ? null : openEncrypted(holders, (number) => byNumber.get(number) ?? [], steps);
  if (decryptor) readStrings(bytes, decryptor, steps, found);

  let allowance = Math.min(unpackedAtMost, unpackedAtLeast + unpackedPerByte * bytes.length);
  for (const { words, at, isInOrder, id } of packed) {
    steps.spend(stepsPerUnpacking);
    const content = unpack(words, streamOf(bytes, words, { id, decryptor }, steps), allowance, steps);
    allowance -= content.length;
    const contained = objectsWithin(bytes, words, content, steps);
    const within = lexObjects(content, contained, steps);
    found(within);
    for (const { number, start } of contained) {
      const object = { bytes: content, start };
      add(object, number, at, isInOrder);
      if (hasAutomaticAction(within)) automaticActions.push(object);
    }
  }
  return { automaticActions, byNumber, unnumbered, current, trailers };
}

function hasAutomaticAction({ names }: Lexed): boolean {
  return names.has('OpenAction') || names.has('AA');
}

function lexObjects(content: Buffer, contained: readonly { start: number }[], steps: Steps): Lexed {
  try {
    return lex(content, 0, steps, { objectStarts: Uint32Array.from(contained, ({ start }) => start).toSorted() });
  } catch (error) {
    throw error instanceof MisplacedObjectError ? new UnreadablePdfError() : error;
  }
}

/** Yields the offsets of `obj` in each header and of each `trailer`, ascending. */
function* objectOffsets(bytes: Buffer, steps: Steps): Generator<{ at: number; isTrailer: boolean }> {
  steps.spend(bytes.length);
  let object = bytes.indexOf('obj');
  let trailer = bytes.indexOf('trailer');
  while (object !== -1 || trailer !== -1) {
    if (object !== -1 && (trailer === -1 || object < trailer)) {
      if (isObjectHeader(bytes, object, steps)) yield { at: object, isTrailer: false };
      steps.spend(1);
      object = bytes.indexOf('obj', object + 3);
    } else {
      yield { at: trailer, isTrailer: true };
      trailer = bytes.indexOf('trailer', trailer + 7);
    }
  }
}

/** Returns the number and the generation before this `obj`; null when they are unreadable. */
function idBefore(bytes: Buffer, at: number): ObjectId | null {
  const digitsBefore = (end: number): { from: number; to: number } => {
    let to = end;
    while (to > 0 && isSpace(bytes[to - 1])) to -= 1;
    let from = to;
    while (from > 0 && to - from < 10 && isDigit(bytes[from - 1])) from -= 1;
    return { from, to };
  };
  const generation = digitsBefore(at);
  const number = digitsBefore(generation.from);
  const isPlain = generation.to > generation.from && number.to > number.from && number.to < generation.from;
  const read = ({ from, to }: { from: number; to: number }) => Number(bytes.toString('latin1', from, to));
  return isPlain ? { number: read(number), generation: read(generation) } : null;
}

/** Returns a function that finds the end of the stream at an offset; call it with ascending offsets. */
function findStreamEnds(bytes: Buffer, steps: Steps): (from: number) => number {
  steps.spend(bytes.length);
  let next = 0;
  return (from) => {
    if (next < from) {
      const end = bytes.indexOf('endstream', from);
      next = end === -1 ? bytes.length : end;
    }
    return next;
  };
}

/** Checks the keys that programs use, not only the declared type: cross-reference entries can name any stream. */
function isObjectStream({ names }: Lexed): boolean {
  return names.has('ObjStm') || (names.has('First') && names.has('N'));
}

/** Reads the words of all objects of an encrypted file again, with its strings decrypted. */
function readStrings(bytes: Buffer, decryptor: Decryptor, steps: Steps, found: (words: Lexed) => void): void {
  for (const { at, isTrailer } of objectOffsets(bytes, steps)) {
    const id = isTrailer ? null : idBefore(bytes, at);
    if (id) found(lex(bytes, at + 'obj'.length, steps, { readString: (raw) => decryptor.readString(raw, id) }));
  }
}

/** Returns the bytes of a stream, or those and what follows, decrypted. */
function streamOf(
  bytes: Buffer,
  { names, streamStart }: Lexed,
  { id, decryptor }: { id: ObjectId | null; decryptor: Decryptor | null },
  steps: Steps,
): Buffer {
  const start = streamStart ?? bytes.length;
  if (!decryptor) return bytes.subarray(start);
  // A cross-reference stream is never encrypted, and no program packs objects into one.
  if (id === null || names.has('XRef')) throw new UnreadablePdfError();
  const end = bytes.indexOf('endstream', start);
  const data = bytes.subarray(start, end === -1 ? bytes.length : end);
  steps.spend(data.length);
  return decryptor.readStream(data, id);
}

/** Returns the content of a stream. Valid files use deflate once or no filter; everything else is refused as unreadable. */
function unpack({ filters, names }: Lexed, stream: Buffer, limit: number, steps: Steps): Buffer {
  if (filters.length > 1 || filters.some((name) => name !== 'FlateDecode' && name !== 'Fl')) throw new UnreadablePdfError();
  if (names.has('Predictor')) throw new UnreadablePdfError();
  if (filters.length === 0) {
    if (names.has('Filter')) throw new UnreadablePdfError();
    const end = stream.indexOf('endstream');
    const content = stream.subarray(0, end === -1 ? stream.length : end);
    steps.spend(content.length);
    return content;
  }
  const { buffer, engine } = inflate(stream, limit);
  steps.allow(buffer.length);
  // Long deflated data may contain little.
  steps.spend(engine.bytesWritten + buffer.length);
  return buffer;
}

/** Unpacks to the end of the deflated data, whatever the declared length. Refuses damaged data. */
function inflate(packed: Buffer, limit: number): { buffer: Buffer; engine: { bytesWritten: number } } {
  try {
    // With `info` it returns this; the types declare only the buffer.
    return inflateSync(packed, { maxOutputLength: Math.max(1, limit), info: true }) as unknown as ReturnType<typeof inflate>;
  } catch {
    throw new UnreadablePdfError();
  }
}

/** Reads the `N` pairs of object number and offset; the objects begin at `First`. */
function objectsWithin(bytes: Buffer, words: Lexed, content: Buffer, steps: Steps): { number: number; start: number }[] {
  const dictionary = valueAt({ bytes, start: words.start }, steps);
  const first = onlyNumber(dictionary, words, 'First');
  const count = onlyNumber(dictionary, words, 'N');
  if (first > content.length) throw new UnreadablePdfError();
  const objects: { number: number; start: number }[] = [];
  let at = 0;
  const next = (): number => {
    const from = at;
    while (at < first && isSpace(content[at])) at += 1;
    const start = at;
    while (at < first && isDigit(content[at]) && at - start < 10) at += 1;
    steps.spend(at - from);
    if (at === start) throw new UnreadablePdfError();
    return Number(content.toString('latin1', start, at));
  };
  while (objects.length < count) {
    const number = next();
    let start = first + next();
    while (start < content.length && isSpace(content[start])) {
      start += 1;
      steps.spend(1);
    }
    steps.spend(stepsPerObject);
    if (start < content.length) objects.push({ number, start });
  }
  return objects;
}

function onlyNumber(dictionary: PdfValue | null, { names }: Lexed, name: ScannedName): number {
  if (dictionary?.kind !== 'dictionary' || names.get(name) !== 1) throw new UnreadablePdfError();
  const value = dictionary.entries.find(([key]) => key === name)?.[1];
  if (value?.kind !== 'number' || !Number.isInteger(value.number) || value.number < 0) throw new UnreadablePdfError();
  return value.number;
}

/** Returns an object's value; null when it is malformed. */
function valueAt({ bytes, start }: PdfObject, steps: Steps): PdfValue | null {
  try {
    return readValue(bytes, start, steps).value;
  } catch (error) {
    if (error instanceof MalformedValueError) return null;
    throw error;
  }
}

/** Creates a reader that parses each object once and caches its value. */
export function createReader(steps: Steps): (object: PdfObject) => PdfValue | null {
  const read = new Map<PdfObject, PdfValue | null>();
  return (object) => {
    steps.spend(stepsPerLookUp);
    const known = read.get(object);
    if (known !== undefined) return known;
    const value = valueAt(object, steps);
    read.set(object, value);
    return value;
  };
}
