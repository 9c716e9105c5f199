import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';

/** A portrait-like JPEG, different for each shade. */
export function makePhoto(shade = 120): Promise<Buffer> {
  return sharp({ create: { width: 450, height: 600, channels: 3, background: { r: shade, g: 140, b: 160 } } })
    .composite([
      {
        input: Buffer.from(
          '<svg width="450" height="600"><circle cx="225" cy="220" r="110" fill="#f2d3b6"/><rect x="95" y="350" width="260" height="250" rx="90" fill="#2b4a7a"/></svg>',
        ),
      },
    ])
    .jpeg()
    .toBuffer();
}

/** A PDF scan of so many pages. */
export async function makeScan(text: string, pages = 1): Promise<Buffer> {
  const document = await PDFDocument.create();
  for (let number = 1; number <= pages; number += 1)
    document.addPage([420, 595]).drawText(`${text}, page ${number}`, { x: 40, y: 500, size: 18 });
  return Buffer.from(await document.save());
}
