import { decodePDFRawStream, PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, PDFRawStream } from '@cantoo/pdf-lib';
import pdfmake from 'pdfmake';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readFontOnce } from '../../../src/platform/pdf/parsed-fonts.ts';
import { type PdfDefinition, renderPdf } from '../../../src/platform/pdf/render-pdf.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';

interface Font {
  glyphForCodePoint(codePoint: number): Glyph;
  getGlyph(id: number): Glyph;
  numGlyphs: number;
  unitsPerEm: number;
}
interface Glyph {
  id: number;
  advanceWidth: number;
  path: { toSVG(): string };
}

const require = createRequire(import.meta.url);
const pdfkit = createRequire(require.resolve('pdfmake')).resolve('pdfkit');
const fontkit = createRequire(pdfkit)('fontkit') as { create(bytes: Uint8Array): Font };
const folder = join(dirname(require.resolve('pdfmake/package.json')), 'fonts', 'Roboto');
// The types of pdfmake do not contain it.
const { virtualfs } = pdfmake as unknown as { virtualfs: { writeFileSync(name: string, content: Buffer): void } };

describe('the fonts of a PDF', () => {
  // Many of these are composed of a letter and a mark.
  it.each([
    ['Roboto-Regular.ttf', {}],
    ['Roboto-Medium.ttf', { bold: true }],
    ['Roboto-Italic.ttf', { italics: true }],
    ['Roboto-MediumItalic.ttf', { bold: true, italics: true }],
  ])('show each letter of %s as the font does, of the same width', async (name, style) => {
    const text = 'ӘәҒғҚқҢңӨөҰұҮүҺһІіЁёЙйÄÖÜéñşğ Aa №·–«»0123';
    const font = fontkit.create(readFileSync(join(folder, name)));
    const letters = [...text].map((letter) => font.glyphForCodePoint(letter.codePointAt(0) ?? 0));
    const pdf = await renderPdf(onePage({ text, noWrap: true, ...style }));
    const { codes, written, widths } = await readFont(pdf);
    expect((await readPdf(pdf)).text).toBe(text);
    expect(codes.map((code) => shown(written.getGlyph(code)))).toEqual(letters.map(shown));
    // Widths are in thousandths of the font's size.
    const advanceWidths = codes.map((code) => Math.round(((widths[code] ?? 0) * font.unitsPerEm) / 1000));
    expect(advanceWidths).toEqual(letters.map(({ advanceWidth }) => advanceWidth));
    expect(written.numGlyphs).toBeLessThan(2 * new Set(letters.map(({ id }) => id)).size);
  });

  it('have one number for each letter, and 0 for a missing one', async () => {
    expect((await readFont(await renderPdf(onePage({ text: 'ҚәҚ漢' })))).codes).toEqual([1, 2, 1, 0]);
  });

  it('do not mix the letters of two documents', async () => {
    // The second document uses glyph numbers that meant other letters, or a part of one, in the first.
    const texts = ['Ёлка · Йод · \ufb01 · \u2126', 'Е · и · fi · \u03a9'];
    const read = async (text: string) => (await readPdf(await renderPdf(onePage({ text, noWrap: true })))).text;
    for (const text of [...texts, ...texts]) expect(await read(text)).toBe(text);
  });

  it('give the same bytes as fonts that the library parses for each document', async () => {
    const files = { normal: 'Roboto-Regular.ttf', bold: 'Roboto-Medium.ttf', italics: 'Roboto-Italic.ttf' };
    for (const name of Object.values(files)) virtualfs.writeFileSync(name, readFileSync(join(folder, name)));
    pdfmake.addFonts({ FreshlyParsed: files });
    const words = 'Ұлттық сертификат · Национальный сертификат · AVATAR';
    const definition = (): PdfDefinition =>
      onePage([words, { text: words, fontSize: 19, bold: true }, { text: words, fontSize: 8, italics: true }, words]);
    const fresh = await renderPdf({ ...definition(), defaultStyle: { font: 'FreshlyParsed' } });
    expect((await renderPdf(definition())).equals(fresh)).toBe(true);
    // Now with cached layouts of the words.
    expect((await renderPdf(definition())).equals(fresh)).toBe(true);
  });

  it('refuse a file that is no font', () => {
    expect(() => readFontOnce(require.resolve('pdfmake/package.json'))).toThrow('Unknown font format');
  });
});

function onePage(content: PdfDefinition['content']): PdfDefinition {
  return { title: 'Letters', createdAt: new Date('2026-03-01T00:00:00+05:00'), content };
}

function shown({ advanceWidth, path }: Glyph): object {
  return { advanceWidth, path: path.toSVG() };
}

/** The only font of a document: its glyph numbers in drawing order, the font file and the widths. */
async function readFont(pdf: Buffer): Promise<{ codes: number[]; written: Font; widths: number[] }> {
  const page = (await PDFDocument.load(pdf)).getPage(0);
  const drawn = [
    ...decode(page.node.Contents())
      .toString('latin1')
      .matchAll(/\[([^[\]]*)\] TJ/g),
  ].flatMap(([, text = '']) => [...text.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []));
  const fonts = page.node.Resources()?.lookup(PDFName.of('Font'), PDFDict);
  const [name, ...others] = fonts?.keys() ?? [];
  if (!fonts || !name || others.length > 0) throw new Error('the page has not exactly one font');
  const descendant = fonts.lookup(name, PDFDict).lookup(PDFName.of('DescendantFonts'), PDFArray).lookup(0, PDFDict);
  const program = descendant.lookup(PDFName.of('FontDescriptor'), PDFDict).lookup(PDFName.of('FontFile2'));
  return {
    codes: drawn.map((code) => Number.parseInt(code, 16)),
    written: fontkit.create(decode(program)),
    // `0 [width of glyph 0, width of glyph 1, …]`
    widths: descendant.lookup(PDFName.of('W'), PDFArray).lookup(1, PDFArray).asArray().map(Number),
  };
}

function decode(stream: PDFObject | undefined): Buffer {
  if (!(stream instanceof PDFRawStream)) throw new Error('this is no stream');
  return Buffer.from(decodePDFRawStream(stream).decode());
}
