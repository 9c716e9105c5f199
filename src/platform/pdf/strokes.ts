import type { CanvasElement } from 'pdfmake/interfaces.js';

/**
 * Lines for a canvas.
 * @param path as SVG writes it, coordinates in points
 */
export function strokes(path: string, lineWidth: number, lineColor: string): CanvasElement {
  // pdfmake draws paths though its types do not name them.
  return { type: 'path', d: path, lineColor, lineWidth } as unknown as CanvasElement;
}
