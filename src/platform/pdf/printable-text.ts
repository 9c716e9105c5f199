/**
 * Texts that documents can show. Lists the code points of the fonts, so that the API needs no font files;
 * `test/platform/files/printable-text.test.ts` compares both.
 */

/** Code points of Roboto, in all four styles: Latin, Cyrillic with the Kazakh letters, Greek, punctuation. */
const mainFont = codePointsOf(
  '20-7e a0-ac ae-17f 18f 192 1a0-1a1 1af-1b0 1f0 1fa-1ff 218-21b 237 259 2bc 2c6-2c7 2c9 2d8-2dd 2f3 300-301 303 309 30f 323 384-38a 38c ' +
    '38e-3a1 3a3-3ce 3d1-3d2 3d6 400-486 488-513 1e00-1e01 1e3e-1e3f 1e80-1e85 1e9e 1ea0-1ef9 1f4d 2000-200a 2010-2011 2013-2015 2017-201e ' +
    '2020-2022 2025-2027 2030 2032-2033 2039-203a 203c 2044 2070 2074-208e 20a3-20a4 20a6-20ac 20b1 20b9-20ba 20bc-20bd 20c1 2105 2113 2116 ' +
    '2122 2126 212e 215b-215e 2202 2206 220f 2211-2212 221a 221e 222b 2248 2260 2264-2265 25a0 25ca-25cb 25cf fb01-fb04',
);

/** Characters only in Noto Sans, in all four styles: the tenge and other currencies, and rarer Latin letters. */
const fallbackRanges =
  '180-18e 190-191 193-19f 1a2-1ae 1b1-1ef 1f1-1f9 200-217 21c-236 238-258 25a-2ba 2bd-2c5 2c8 2ca-2cc 2ce-2d7 2de-2f2 2f4-2ff 1d00-1dbf ' +
  '1e02-1e3d 1e40-1e7f 1e86-1e9d 1e9f 1efa-1eff 20a0-20a2 20a5 20ad-20b0 20b2-20b8 20bb 20be-20bf 2c60-2c7f a720-a7ca a7d0-a7d1 a7d3 ' +
  'a7d5-a7d9 a7f2-a7ff';
const fallbackFont = codePointsOf(fallbackRanges);
const ofFallbackFont = new RegExp(`([${fallbackRanges.replaceAll(/[0-9a-f]+/g, '\\u{$&}').replaceAll(' ', '')}]+)`, 'u');

/** Bidirectional controls change the visible order of a text (API-7). */
const bidiControl = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** More marks on a letter would overlap other lines. */
const maxMarks = 2;
const tooManyMarks = new RegExp(`\\p{M}{${maxMarks + 1},}`, 'gu');
/** Line and column separators of multi-line texts. */
const lineControls: ReadonlySet<string> = new Set(['\n', '\r', '\t']);

export interface TextProblem {
  /** The unprintable characters, each once, in text order. */
  characters: string[];
  message: string;
}

/**
 * Returns why a text cannot be printed in a document (API-7); null when it can.
 *
 * Checks the composed form (NFC), which requests have and a document prints.
 * @param isMultiline whether line breaks and tabs are allowed
 */
export function findTextProblem(text: string, isMultiline = false): TextProblem | null {
  const bidiControls = distinct(text.match(bidiControl) ?? []);
  if (bidiControls.length > 0)
    return { characters: bidiControls, message: `has characters that change the text direction: ${name(bidiControls)}` };
  const stacked = distinct((text.match(tooManyMarks) ?? []).flatMap((marks) => [...marks]));
  if (stacked.length > 0)
    return { characters: stacked, message: `has more than ${maxMarks} combining marks on one letter: ${name(stacked)}` };
  const unprintable = distinct(
    [...text.normalize()].filter((character) => !isPrintable(character) && !(isMultiline && lineControls.has(character))),
  );
  if (unprintable.length > 0)
    return { characters: unprintable, message: `has characters that documents cannot show: ${name(unprintable)}` };
  return null;
}

/** Splits a text at characters that only the fallback font has; these parts have odd indexes. */
export function splitByFont(text: string): string[] {
  return text.split(ofFallbackFont);
}

/** Code points of each font, for the test that compares them with the files. */
export const fontCoverage = { main: mainFont, fallback: fallbackFont } as const;

function isPrintable(character: string): boolean {
  const codePoint = character.codePointAt(0) ?? 0;
  return mainFont.has(codePoint) || fallbackFont.has(codePoint);
}

function distinct(characters: readonly string[]): string[] {
  return [...new Set(characters)];
}

/** Maximum characters in one message. */
const maxNamed = 20;

/** Formats `😀 (U+1F600)`; characters without a shape get only the number. */
function name(characters: readonly string[]): string {
  const named = characters.slice(0, maxNamed).map((character) => {
    const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return /[\p{C}\p{M}\p{Z}]/u.test(character) ? number : `${character} (${number})`;
  });
  return named.join(', ') + (characters.length > maxNamed ? ` and ${characters.length - maxNamed} more` : '');
}

/** @param ranges hexadecimal, separated by spaces */
function codePointsOf(ranges: string): ReadonlySet<number> {
  const codePoints = new Set<number>();
  for (const range of ranges.split(' ')) {
    const [first = 0, last = first] = range.split('-').map((bound) => Number.parseInt(bound, 16));
    for (let codePoint = first; codePoint <= last; codePoint += 1) codePoints.add(codePoint);
  }
  return codePoints;
}
