import type { CanvasElement } from 'pdfmake/interfaces.js';
import QRCode from 'qrcode';
import { strokes } from './page-style.ts';

/** Position of the code from the page's upper left corner, in points, and its maximum side. */
export interface QrPlace {
  x: number;
  y: number;
  side: number;
}

/**
 * Draws a QR code for the `background` of a page, as one path of strokes. pdfmake's own QR code, a rectangle for each module, takes a
 * quarter of a certificate's time. Leave a margin of four modules.
 */
export function drawQr(text: string, { x, y, side }: QrPlace): CanvasElement {
  // Byte mode only: the search for a better mix of modes takes as long as the rest.
  const { modules } = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], { errorCorrectionLevel: correctionLevelOf(text) });
  // Tenths of a point, because long coordinates would double the page's size.
  const unit = Math.floor((side / modules.size) * 10) / 10;
  const rows: string[] = [];
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      const first = column;
      while (column < modules.size && modules.get(row, column)) column += 1;
      if (column > first) rows.push(`M${round(x + first * unit)} ${round(y + (row + 0.5) * unit)}H${round(x + column * unit)}`);
    }
  }
  return strokes(rows.join(''), unit, '#000000');
}

/** Characters; level M then needs modules below 0.45 mm. */
const longText = 300;

/** Returns the error correction of a QR: less for a long text, because larger modules help a camera more. */
export function correctionLevelOf(text: string): 'L' | 'M' {
  return text.length > longText ? 'L' : 'M';
}

function round(points: number): number {
  return Math.round(points * 100) / 100;
}
