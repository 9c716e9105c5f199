import type { CanvasElement } from 'pdfmake/interfaces.js';
import QRCode from 'qrcode';
import { strokes } from './strokes.ts';

/** Where the code stands on the page, from its upper left corner, points. It is at most `side` wide. */
export interface QrPlace {
  x: number;
  y: number;
  side: number;
}

/**
 * A QR for the `background` of a page. All of it is one path of strokes as thick as a module is high; a rectangle for each dark module, as
 * pdfmake draws it, is a quarter of the work of a whole certificate. Leave four modules of white around it.
 */
export function drawQr(text: string, { x, y, side }: QrPlace): CanvasElement {
  // An address is bytes from end to end; the search for a better mix of modes takes as long as the rest.
  const { modules } = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], { errorCorrectionLevel: 'M' });
  // In tenths of a point: coordinates with many digits would be half of the page.
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

function round(points: number): number {
  return Math.round(points * 100) / 100;
}
