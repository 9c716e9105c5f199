import pdfmake from 'pdfmake';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/*
 * pdfkit parses each font again for every document. This file caches the parsed fonts and word layouts; the library does the rest, such as subsetting. The bytes of a PDF are the same with and without it. Processor time of one certificate, measured
 * with pdfmake 0.3.11 and pdfkit 0.19.1 in a warm process: 47 ms with the library alone, 14 ms with cached fonts, 11 ms with cached layouts too.
 *
 * Upstream:
 * - pdfkit accepts a parsed font since 0.20 (foliojs/pdfkit, pull request 1776). When pdfmake depends on that version, remove the format in `readFontOnce`.
 * - Remove `separateCodePoints` after foliojs/fontkit, pull request 387 (issue 154).
 * - To propose to pdfkit: a bounded cache of layouts for all documents of a font. Its own serves one document and is unbounded (foliojs/pdfkit, issue 1527).
 */

/** The used part of fontkit, which has no types. */
interface FontReader {
  create(bytes: Buffer): Font;
  registerFormat(format: { probe(bytes: Uint8Array): boolean; new (): object }): void;
}
interface Font {
  getGlyph(id: number, codePoints?: number[]): Glyph;
  layout(text: string, features?: unknown): GlyphRun;
}
/** `codePoints` are its letters. A PDF stores them, so that its text can be searched and copied. */
interface Glyph {
  codePoints: number[];
}
/** The glyphs of a word with their positions. The width is a getter that adds up `positions`. */
interface GlyphRun {
  positions: object[];
}

// The instance of fontkit that pdfmake's own pdfkit uses: a format is registered with it below.
const requireAsPdfmake = createRequire(createRequire(import.meta.url).resolve('pdfmake'));
const reader = createRequire(requireAsPdfmake.resolve('pdfkit'))('fontkit') as FontReader;

// The types of pdfmake do not name its virtual file system, where pdfmake looks for a font before it looks on the disk.
const { virtualfs } = pdfmake as unknown as { virtualfs: { writeFileSync(name: string, content: Buffer): void } };

/**
 * Parses a font once for all documents of this process.
 * @returns its name in document definitions and `setFonts`
 * @throws {Error} when the file is unreadable or not a font
 */
export function readFontOnce(path: string): string {
  const font = reader.create(readFileSync(path));
  separateCodePoints(font);
  cacheLayouts(font);
  // pdfkit accepts only bytes here: a "format" recognizes this marker and returns the font.
  const marker = Buffer.alloc(0);
  reader.registerFormat(
    class {
      static probe(bytes: Uint8Array): boolean {
        return bytes === marker;
      }
      constructor() {
        return font;
      }
    },
  );
  virtualfs.writeFileSync(path, marker);
  return path;
}

/**
 * fontkit caches one object for each glyph, with the code points of the first request. Subsetting requests parts of a letter without code
 * points: after a document with an `й`, the `и` of the next one would lose its letter.
 */
function separateCodePoints(font: Font): void {
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints) => {
    const glyph = getGlyph(id, codePoints);
    if (codePoints === undefined || codePoints.join() === glyph.codePoints.join()) return glyph;
    return Object.assign(Object.create(glyph) as Glyph, { codePoints });
  };
}

/** More than the words in the labels of all documents. */
const maxCachedWords = 4000;

/** Caches layouts of words, because most words of a document are labels. */
function cacheLayouts(font: Font): void {
  const layOut = font.layout.bind(font);
  const runs = new Map<string, GlyphRun>();
  font.layout = (text, features) => {
    if (features !== undefined) return layOut(text, features);
    const run = runs.get(text) ?? layOut(text);
    if (runs.size >= maxCachedWords) runs.clear();
    runs.set(text, run);
    // pdfkit scales the positions in place, so each document gets its own.
    return Object.assign(Object.create(run) as GlyphRun, { positions: run.positions.map((position) => ({ ...position })) });
  };
}
