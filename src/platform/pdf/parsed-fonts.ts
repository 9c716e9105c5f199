import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pdfmake from 'pdfmake';
import { FontSubset, SubsetFont } from './font-subset.ts';

/** The font reader, as far as it is used here. */
interface FontReader {
  create(bytes: Buffer): Font;
  registerFormat(format: FontFormat): void;
}
interface FontFormat {
  probe(bytes: Uint8Array): boolean;
  new (stream: { buffer: Uint8Array }): object;
}
interface Font {
  layout(text: string, features?: unknown): GlyphRun;
  createSubset(): Pick<FontSubset, 'includeGlyph' | 'encode'>;
}
/** The glyphs of a word and where each stands. Its width is worked out from the positions. */
interface GlyphRun {
  positions: object[];
}

// The very instance that pdfmake's own pdfkit uses: it is told below of a format.
const requireAsPdfmake = createRequire(createRequire(import.meta.url).resolve('pdfmake'));
const reader = createRequire(requireAsPdfmake.resolve('pdfkit'))('fontkit') as FontReader;

// Its types do not name it.
const { virtualfs } = pdfmake as unknown as { virtualfs: { writeFileSync(name: string, content: Buffer): void } };

const parsed = new Map<Uint8Array, Font>();

/**
 * A "format" whose bytes are only a name and whose font has been read before. Reading a font's tables and outlines anew takes
 * two thirds of the time of a page, and pdfkit does so for each document; it lets nobody hand it a font that is read already.
 */
class ParsedFont {
  static probe(bytes: Uint8Array): boolean {
    return parsed.has(bytes);
  }
  constructor(stream: { buffer: Uint8Array }) {
    const font = parsed.get(stream.buffer);
    if (!font) throw new Error('the font was not read before');
    return font;
  }
}
reader.registerFormat(ParsedFont);

/**
 * Reads a font once for all documents of this process.
 * @returns the name by which document definitions and `setFonts` refer to it
 */
export function readFontOnce(path: string): string {
  const name = `parsed:${path}`;
  const marker = Buffer.from(name);
  const bytes = readFileSync(path);
  const font = layingOutOnce(reader.create(bytes));
  const outlines = new SubsetFont(bytes);
  font.createSubset = () => new FontSubset(outlines);
  parsed.set(marker, font);
  virtualfs.writeFileSync(name, marker);
  return name;
}

/** More different words than the labels of all documents have; names come and go. */
const rememberedWords = 4000;

/**
 * Remembers how words are set. Choosing and placing the glyphs of a word costs more than drawing it, and most words of a document
 * are labels that stand in every one.
 */
function layingOutOnce(font: Font): Font {
  const layOut = font.layout.bind(font);
  const known = new Map<string, GlyphRun>();
  font.layout = (text, features) => {
    if (features !== undefined) return layOut(text, features);
    let run = known.get(text);
    if (!run) {
      if (known.size >= rememberedWords) known.clear();
      known.set(text, (run = layOut(text)));
    }
    // pdfkit scales the positions in place, so each document gets its own.
    return Object.assign(Object.create(run) as GlyphRun, { positions: run.positions.map((position) => ({ ...position })) });
  };
  return font;
}
