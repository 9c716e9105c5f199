import pdfmake from 'pdfmake';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/*
 * pdfkit parses each font again for every document. This file keeps what does not depend on the document and leaves the rest, such as
 * cutting the fonts, to the library. The bytes of a PDF are the same with and without it. Processor time of one certificate, measured
 * with pdfmake 0.3.11 and pdfkit 0.19.1 in a warm process: 47 ms as the library comes, 14 ms with the fonts parsed once, 11 ms with the
 * layout of the words kept as well.
 *
 * Upstream:
 * - pdfkit takes a parsed font since 0.20 (foliojs/pdfkit, pull request 1776). When pdfmake depends on that version, the font itself
 *   is written to its virtual file system and the format in `readFontOnce` goes.
 * - `keepLettersApart` goes with foliojs/fontkit, pull request 387 (issue 154).
 * - To be offered to pdfkit: a cache of layouts with a limit, for all documents of a font. Its own is for one document and has no limit
 *   (foliojs/pdfkit, issue 1527). `rememberLayouts` would go with it.
 */

/** fontkit, which has no types of its own, as far as it is used here. */
interface FontReader {
  create(bytes: Buffer): Font;
  registerFormat(format: { probe(bytes: Uint8Array): boolean; new (): object }): void;
}
interface Font {
  getGlyph(id: number, codePoints?: number[]): Glyph;
  layout(text: string, features?: unknown): GlyphRun;
}
/** `codePoints` are the letters it stands for. A PDF names them beside the glyph, so that its text can be searched and copied. */
interface Glyph {
  codePoints: number[];
}
/** The glyphs of a word and where each of them stands. The width is a getter that adds up `positions`. */
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
 * @returns the name by which document definitions and `setFonts` refer to it
 * @throws {Error} when the file cannot be read or is no font
 */
export function readFontOnce(path: string): string {
  const font = reader.create(readFileSync(path));
  keepLettersApart(font);
  rememberLayouts(font);
  // pdfkit takes only bytes here, so these stand for the font: a "format" that recognises them answers with it.
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
 * fontkit keeps one object for each glyph, with the code points of the first request. Cutting a font requests the parts of a letter with
 * none: after a document with an `й`, the `и` of the next one would be a drawing without a letter.
 */
function keepLettersApart(font: Font): void {
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints) => {
    const glyph = getGlyph(id, codePoints);
    if (codePoints === undefined || codePoints.join() === glyph.codePoints.join()) return glyph;
    return Object.assign(Object.create(glyph) as Glyph, { codePoints });
  };
}

/** More than the labels of all documents have; the words of names come and go. */
const rememberedWords = 4000;

/** Most words of a document are labels that stand in every document: their layout is kept. */
function rememberLayouts(font: Font): void {
  const layOut = font.layout.bind(font);
  const runs = new Map<string, GlyphRun>();
  font.layout = (text, features) => {
    if (features !== undefined) return layOut(text, features);
    const run = runs.get(text) ?? layOut(text);
    if (runs.size >= rememberedWords) runs.clear();
    runs.set(text, run);
    // pdfkit scales the positions in place, so each document gets its own.
    return Object.assign(Object.create(run) as GlyphRun, { positions: run.positions.map((position) => ({ ...position })) });
  };
}
