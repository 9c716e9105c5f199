import { isDigit, isRegular, isSpace, nameAt, skipRegular, skipString } from './pdf-lexer.ts';
import type { Steps } from './pdf-steps.ts';

/** A value of a PDF, without data that the scan ignores: of arrays only references and containers. `start` and `end`: offsets. */
export type PdfValue =
  | { kind: 'name'; name: string }
  /** NaN when it is malformed */
  | { kind: 'number'; number: number }
  | { kind: 'reference'; to: number }
  /** with its brackets */
  | { kind: 'string'; start: number; end: number }
  | { kind: 'array'; items: PdfValue[]; start: number }
  /** all entries: programs disagree on repeated keys */
  | { kind: 'dictionary'; entries: [key: string, value: PdfValue][]; start: number }
  | { kind: 'false' }
  | { kind: 'other' };

/** The value violates the grammar; programs read it differently. */
export class MalformedValueError extends Error {}

const maxDepth = 100;
/** Steps in addition to its bytes. */
const stepsPerValue = 10;
/** For the memory of an array or a dictionary. */
const stepsPerContainer = 200;
const stepsPerEntry = 30;
const other: PdfValue = { kind: 'other' };
const isFalse: PdfValue = { kind: 'false' };
const maxNumberLength = 20;

/**
 * Reads the value at `from`. Returns it with the offset of its end.
 * @throws {MalformedValueError}
 * @throws {TooManyStepsError}
 */
export function readValue(bytes: Buffer, from: number, steps: Steps): { value: PdfValue; end: number } {
  let at = from;

  const skipBlank = (): void => {
    const start = at;
    for (;;) {
      while (isSpace(bytes[at])) at += 1;
      if (bytes[at] !== 0x25) break;
      while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
    }
    steps.spend(at - start);
  };

  const read = (depth: number): PdfValue => {
    skipBlank();
    const start = at;
    const byte = bytes[at];
    if (byte === undefined || depth > maxDepth) throw new MalformedValueError();
    if (byte === 0x3c && bytes[at + 1] === 0x3c) return readDictionary(depth);
    if (byte === 0x5b) return readArray(depth);
    const value = readSimple(byte);
    steps.spend(stepsPerValue + at - start);
    return value.kind === 'number' ? readReference(value) : value;
  };

  const readSimple = (byte: number): PdfValue => {
    const start = at;
    if (byte === 0x2f) {
      at = skipRegular(bytes, at + 1);
      return { kind: 'name', name: nameAt(bytes, start + 1, at) };
    }
    if (byte === 0x28) {
      at = skipString(bytes, at + 1);
      return { kind: 'string', start, end: at };
    }
    if (byte === 0x3c) {
      const close = bytes.indexOf(0x3e, at);
      if (close === -1) throw new MalformedValueError();
      at = close + 1;
      return { kind: 'string', start, end: at };
    }
    if (!isRegular(byte)) throw new MalformedValueError();
    at = skipRegular(bytes, at);
    const word = bytes.toString('latin1', start, Math.min(at, start + maxNumberLength));
    if (isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e) return { kind: 'number', number: Number(word) };
    if (word === 'false') return isFalse;
    if (word === 'null' || word === 'true') return other;
    throw new MalformedValueError();
  };

  /** Reads `12 0 R`, or the number alone. */
  const readReference = (first: PdfValue & { kind: 'number' }): PdfValue => {
    const afterFirst = at;
    skipBlank();
    const second = at;
    while (isDigit(bytes[at]) && at - second < maxNumberLength) at += 1;
    if (at > second) {
      skipBlank();
      if (bytes[at] === 0x52 && !isRegular(bytes[at + 1])) {
        at += 1;
        return { kind: 'reference', to: first.number };
      }
    }
    at = afterFirst;
    return first;
  };

  const readArray = (depth: number): PdfValue => {
    const items: PdfValue[] = [];
    const start = at;
    at += 1;
    for (;;) {
      skipBlank();
      if (bytes[at] === 0x5d) break;
      const item = read(depth + 1);
      if (item.kind === 'reference' || item.kind === 'array' || item.kind === 'dictionary') items.push(item);
    }
    at += 1;
    steps.spend(stepsPerContainer);
    return { kind: 'array', items, start };
  };

  const readDictionary = (depth: number): PdfValue => {
    const entries: [string, PdfValue][] = [];
    const start = at;
    at += 2;
    for (;;) {
      skipBlank();
      if (bytes[at] === 0x3e && bytes[at + 1] === 0x3e) break;
      const key = read(depth + 1);
      if (key.kind !== 'name') throw new MalformedValueError();
      entries.push([key.name, read(depth + 1)]);
      steps.spend(stepsPerEntry);
    }
    at += 2;
    steps.spend(stepsPerContainer);
    return { kind: 'dictionary', entries, start };
  };

  return { value: read(0), end: at };
}
