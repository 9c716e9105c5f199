import { isDigit, isRegular, isSpace, nameAt, skipRegular, skipString } from './pdf-lexer.ts';
import type { Steps } from './pdf-steps.ts';

/**
 * A value of a PDF as far as anybody here asks: strings are not kept, and of an array only what may lead to another object, since most of a
 * file's arrays are numbers.
 */
export type PdfValue =
  | { kind: 'name'; name: string }
  /** NaN when it is written so that readers disagree */
  | { kind: 'number'; number: number }
  | { kind: 'reference'; to: number }
  | { kind: 'array'; items: PdfValue[] }
  /** every entry as written: readers disagree on which of two equal keys counts */
  | { kind: 'dictionary'; entries: [key: string, value: PdfValue][] }
  | { kind: 'other' };

/** Not a value as the grammar has it: what a reader makes of it cannot be told. */
export class MalformedValueError extends Error {}

const deepest = 100;
/** Steps beyond its bytes. */
const stepsPerValue = 10;
/** What an array or a dictionary leaves in memory. */
const stepsPerContainer = 200;
const stepsPerEntry = 30;
const other: PdfValue = { kind: 'other' };
const longestNumber = 20;

/**
 * The value at `from`, and where it ends.
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
    if (byte === undefined || depth > deepest) throw new MalformedValueError();
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
      return other;
    }
    if (byte === 0x3c) {
      const close = bytes.indexOf(0x3e, at);
      if (close === -1) throw new MalformedValueError();
      at = close + 1;
      return other;
    }
    if (!isRegular(byte)) throw new MalformedValueError();
    at = skipRegular(bytes, at);
    const word = bytes.toString('latin1', start, Math.min(at, start + longestNumber));
    if (isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e) return { kind: 'number', number: Number(word) };
    if (word === 'null' || word === 'true' || word === 'false') return other;
    throw new MalformedValueError();
  };

  /** `12 0 R`, or the number alone. */
  const readReference = (first: PdfValue & { kind: 'number' }): PdfValue => {
    const afterFirst = at;
    skipBlank();
    const second = at;
    while (isDigit(bytes[at]) && at - second < longestNumber) at += 1;
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
    at += 1;
    for (;;) {
      skipBlank();
      if (bytes[at] === 0x5d) break;
      const item = read(depth + 1);
      if (item.kind === 'reference' || item.kind === 'array' || item.kind === 'dictionary') items.push(item);
    }
    at += 1;
    steps.spend(stepsPerContainer);
    return { kind: 'array', items };
  };

  const readDictionary = (depth: number): PdfValue => {
    const entries: [string, PdfValue][] = [];
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
    return { kind: 'dictionary', entries };
  };

  return { value: read(0), end: at };
}
