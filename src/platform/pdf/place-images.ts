import { PDFDocument } from '@cantoo/pdf-lib';

/** A picture on the last page of a document; millimetres, from the page's top left corner to its own. Its height follows from its shape. */
export interface PlacedImage {
  /** With its transparency. */
  png: Uint8Array;
  x: number;
  y: number;
  width: number;
}

const pointsPerMillimetre = 72 / 25.4;

/**
 * Puts pictures onto the last page of a PDF of ours, in their order, over what is there; which page that is only the finished document
 * says.
 * @returns the same bytes for the same document and pictures
 * @throws {Error} when one of them cannot be read
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
