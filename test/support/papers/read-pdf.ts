import { decodePDFRawStream, PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, type PDFPage, PDFRawStream } from '@cantoo/pdf-lib';
import { decodeQr } from './decode-qr.ts';

/** What a person sees on a PDF's pages, as far as our own renderer writes it. */
export interface ReadPdf {
  pages: number;
  /** Of the page, points. */
  size: { width: number; height: number };
  /** Pieces of text of the page, in the order they are drawn. */
  text: string;
  /** The same, apart: a line of one font is a piece. */
  pieces: string[];
  images: number;
  /** What the QR of the page holds; null without one. */
  qr: string | null;
  /** What was placed onto the page when it was done, in its order. */
  placed: PlacedMark[];
}

/** Millimetres, from the page's top left corner to the picture's. */
export interface PlacedMark {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** @param number of the page; -1 is the last */
export async function readPdf(bytes: Buffer, number = 0): Promise<ReadPdf> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const page = document.getPage(number < 0 ? document.getPageCount() + number : number);
  const drawing = contentOf(page);
  const pieces = readPieces(page, drawing);
  return {
    pages: document.getPageCount(),
    size: page.getSize(),
    text: pieces.join(''),
    pieces,
    images: [...drawing.matchAll(/\/I\d+ Do/g)].length,
    qr: readStrokes(drawing),
    placed: readPlaced(drawing, page.getHeight()),
  };
}

function contentOf(page: PDFPage): string {
  const content = page.node.Contents();
  const streams: (PDFObject | undefined)[] =
    content instanceof PDFArray ? Array.from({ length: content.size() }, (_, index) => content.lookup(index)) : content ? [content] : [];
  return streams
    .map((stream) => {
      if (stream instanceof PDFRawStream) return Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1');
      throw new Error('the page has a content that is no stream');
    })
    .join('\n');
}

/** Returns the JPEGs of the first page, as they lie in the file. */
export async function readImages(bytes: Buffer): Promise<Buffer[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const objects = document.getPage(0).node.Resources()?.lookup(PDFName.of('XObject'), PDFDict);
  return (objects?.keys() ?? []).flatMap((name) => {
    const image = objects?.lookup(name);
    return image instanceof PDFRawStream && image.dict.get(PDFName.of('Filter')) === PDFName.of('DCTDecode')
      ? [Buffer.from(image.getContents())]
      : [];
  });
}

/** A picture that was placed is moved and scaled by matrices, one after the other, between a `q` and its `Do`; each stands on a line. */
function readPlaced(drawing: string, pageHeight: number): PlacedMark[] {
  const millimetres = (points: number) => (points * 25.4) / 72;
  const placed: PlacedMark[] = [];
  let [scaleX, scaleY, moveX, moveY] = [1, 1, 0, 0];
  for (const line of drawing.split('\n')) {
    const words = line.split(' ');
    if (line === 'q') [scaleX, scaleY, moveX, moveY] = [1, 1, 0, 0];
    if (words.at(-1) === 'cm') {
      const [a = 1, , , d = 1, e = 0, f = 0] = words.map(Number);
      [moveX, moveY] = [moveX + e * scaleX, moveY + f * scaleY];
      [scaleX, scaleY] = [scaleX * a, scaleY * d];
    }
    if (line.startsWith('/Image-') && line.endsWith(' Do')) {
      const [width, height] = [millimetres(scaleX), millimetres(scaleY)];
      placed.push({ x: millimetres(moveX), y: millimetres(pageHeight - moveY - scaleY), width, height });
    }
  }
  return placed;
}

/** Texts are numbers of glyphs, four hex digits each; every font carries the way back to letters. */
function readPieces(page: PDFPage, drawing: string): string[] {
  const fonts = page.node.Resources()?.lookup(PDFName.of('Font'), PDFDict);
  const letters = new Map<string, Map<string, string>>();
  for (const [name] of fonts?.entries() ?? []) {
    const map = fonts?.lookup(name, PDFDict).lookup(PDFName.of('ToUnicode'));
    if (map instanceof PDFRawStream)
      letters.set(name.decodeText(), readLetters(Buffer.from(decodePDFRawStream(map).decode()).toString('latin1')));
  }
  const pieces: string[] = [];
  for (const [, font = '', glyphs = ''] of drawing.matchAll(/\/(F\d+) [\d.]+ Tf\n(?:[\d.]+ Tc\n)?\[(.*?)\] TJ/gs)) {
    const codes = [...glyphs.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    pieces.push(codes.map((code) => letters.get(font)?.get(code) ?? '�').join(''));
  }
  return pieces;
}

/** A font's table of letters: ranges of glyph numbers, each with the list of what they stand for in UTF-16. */
function readLetters(map: string): Map<string, string> {
  const letters = new Map<string, string>();
  for (const [, first = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/gs)) {
    [...list.matchAll(/<([0-9a-f ]+)>/g)].forEach(([, hex = ''], index) => {
      const code = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      letters.set(code, Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    });
  }
  return letters;
}

/** The QR is drawn as black strokes of one thickness: they are laid out as pixels and read like a photograph. */
function readStrokes(drawing: string): string | null {
  const [, thickness, path = ''] = /(?<![\d.])([\d.]+) w\n(?:.*\n){3}((?:[\d.]+ [\d.]+ m\n[\d.]+ [\d.]+ l\n){100,})/.exec(drawing) ?? [];
  if (thickness === undefined) return null;
  const unit = Number(thickness);
  const strokes = [...path.matchAll(/(?<![\d.])([\d.]+) ([\d.]+) m\n([\d.]+) /g)].map(([, from, y, to]) => ({
    from: Number(from),
    to: Number(to),
    y: Number(y),
  }));
  const [left, top] = [Math.min(...strokes.map(({ from }) => from)), Math.min(...strokes.map(({ y }) => y))];
  const [scale, quiet] = [4, 4];
  const column = (x: number) => (Math.round((x - left) / unit) + quiet) * scale;
  const width = column(Math.max(...strokes.map(({ to }) => to))) + quiet * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const { from, to, y } of strokes) {
    const row = (Math.round((y - top) / unit) + quiet) * scale;
    for (let line = row; line < row + scale; line += 1)
      for (let x = column(from); x < column(to); x += 1) pixels.fill(0, (line * width + x) * 4, (line * width + x) * 4 + 3);
  }
  return decodeQr(pixels, width, width)?.data ?? null;
}
