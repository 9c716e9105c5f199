import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FontSubset, SubsetFont } from '../../src/platform/pdf/font-subset.ts';

interface Font {
  glyphForCodePoint(codePoint: number): Glyph;
  getGlyph(id: number): Glyph;
  numGlyphs: number;
}
interface Glyph {
  id: number;
  advanceWidth: number;
  path: { toSVG(): string };
}

const require = createRequire(import.meta.url);
const pdfkit = createRequire(require.resolve('pdfmake')).resolve('pdfkit');
const fontkit = createRequire(pdfkit)('fontkit') as { create(bytes: Buffer): Font };
const folder = join(dirname(require.resolve('pdfmake/package.json')), 'fonts', 'Roboto');

describe('a subset of a font', () => {
  // Many of these are put together from a letter and a mark.
  it.each(['Roboto-Regular.ttf', 'Roboto-Medium.ttf', 'Roboto-Italic.ttf'])(
    'shows each letter of %s as the font does, of the same width',
    (name) => {
      const bytes = readFileSync(join(folder, name));
      const font = fontkit.create(bytes);
      const subset = new FontSubset(new SubsetFont(bytes));
      const letters = [...'ӘәҒғҚқҢңӨөҰұҮүҺһІіЁёЙйÄÖÜéñşğ Aa №·–«»0123'].map((letter) => font.glyphForCodePoint(letter.codePointAt(0) ?? 0));
      const places = letters.map(({ id }) => subset.includeGlyph(id));
      const written = fontkit.create(subset.encode());
      expect(places.map((place) => shown(written.getGlyph(place)))).toEqual(letters.map(shown));
      expect(written.numGlyphs).toBeLessThan(2 * new Set(letters.map(({ id }) => id)).size);
    },
  );

  it('gives a glyph one number, however often it comes up', () => {
    const subset = new FontSubset(new SubsetFont(readFileSync(join(folder, 'Roboto-Regular.ttf'))));
    expect([40, 41, 40, 0].map((id) => subset.includeGlyph(id))).toEqual([1, 2, 1, 0]);
  });

  it('is refused of a font that draws its letters in another way', () => {
    const empty = Buffer.alloc(12);
    expect(() => new SubsetFont(empty)).toThrow('the font has no table glyf');
  });
});

function shown({ advanceWidth, path }: Glyph): object {
  return { advanceWidth, path: path.toSVG() };
}
