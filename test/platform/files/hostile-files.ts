import { PDFDocument, PDFName, type PDFRef, PDFString } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { crc32, deflateSync } from 'node:zlib';

/** A photograph-like image with a place, a camera and a direction in its metadata. */
export function taggedPhoto(format: 'jpeg' | 'png' | 'webp', options: { orientation?: number } = {}): Promise<Buffer> {
  const noise = {
    create: { width: 320, height: 200, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  } as const;
  return sharp(noise)
    .withExif({ IFD0: { Make: 'SecretCamera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '43/1 14/1 0/1' } })
    .withMetadata({ orientation: options.orientation ?? 1 })
    .toFormat(format)
    .toBuffer();
}

/** A PNG of any size with equal pixels: a few kilobytes that decode to gigabytes. */
export function pixelBomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A usual scan: an image on each page. */
export async function scannedPdf(pages = 2): Promise<Buffer> {
  const document = await PDFDocument.create();
  const image = await document.embedJpg(await taggedPhoto('jpeg'));
  for (let index = 0; index < pages; index += 1) document.addPage([595, 842]).drawImage(image, { x: 50, y: 300, width: 400, height: 250 });
  return Buffer.from(await document.save());
}

/** One page, changed by `change` before it is written; by default with object streams. */
export async function pdfWith(change: (document: PDFDocument) => void | Promise<void>, useObjectStreams = true): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage();
  await change(document);
  return Buffer.from(await document.save({ useObjectStreams }));
}

/** Adds an action on opening the document. */
export function onOpen(document: PDFDocument, action: Record<string, unknown> | PDFRef): void {
  document.catalog.set(PDFName.of('OpenAction'), document.context.obj(action as never));
}

/** Adds a link with this action to the first page. */
export function addLink(document: PDFDocument, action: Record<string, unknown>, beside: Record<string, unknown> = {}): void {
  const link = document.context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 90, 90], A: action, ...beside } as never);
  document.getPage(0).node.addAnnot(document.context.register(link));
}

export const script = PDFString.of('app.alert(1)');

/**
 * A PDF from raw objects, with a correct cross-reference table. `objects` maps numbers to the text between `obj` and `endobj`; 1 is the
 * catalog. `offsets` replaces entries of the table.
 */
export function rawPdf(
  objects: Record<number, string | Buffer>,
  options: { trailer?: string; offsets?: Record<number, string> } = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets = new Map<number, number>();
  let length = parts[0]?.length ?? 0;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [number, content] of Object.entries(objects)) {
    offsets.set(Number(number), length);
    add(Buffer.concat([Buffer.from(`${number} 0 obj\n`), Buffer.from(content), Buffer.from('\nendobj\n')]));
  }
  const all = Buffer.concat(parts);
  for (const [number, marker] of Object.entries(options.offsets ?? {})) offsets.set(Number(number), all.indexOf(marker));
  const size = Math.max(...offsets.keys()) + 1;
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  add(
    Buffer.from(
      `xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${options.trailer ?? ''} >>\nstartxref\n${all.length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export const pageTree = {
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
};
export const harmlessCatalog = '<< /Type /Catalog /Pages 2 0 R >>';

/** A stream object's content. */
export function stream(dictionary: string, data: string | Buffer): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`), bytes, Buffer.from('\nendstream')]);
}
