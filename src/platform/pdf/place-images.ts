import { PDFDocument } from '@cantoo/pdf-lib';

/** An image on the last page of a document; position of its top left corner, millimetres. Its height follows from its shape. */
export interface PlacedImage {
  /** May be transparent. */
  png: Uint8Array;
  x: number;
  y: number;
  width: number;
}

const pointsPerMillimetre = 72 / 25.4;

/**
 * Draws images over the last page of a finished PDF, in order.
 * @returns the same bytes for the same document and images
 * @throws {Error} when an image cannot be read
 */
export async function placeOnLastPage(pdf: Buffer, images: readonly PlacedImage[]): Promise<Buffer> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const page = document.getPage(document.getPageCount() - 1);
  for (const { png, x, y, width } of images) {
    const image = await document.embedPng(png);
    const size = { width: width * pointsPerMillimetre, height: (width * pointsPerMillimetre * image.height) / image.width };
    page.drawImage(image, { ...size, x: x * pointsPerMillimetre, y: page.getHeight() - y * pointsPerMillimetre - size.height });
  }
  return Buffer.from(await document.save({ useObjectStreams: false, addDefaultPage: false, updateFieldAppearances: false }));
}
