import type { CanvasElement } from 'pdfmake/interfaces.js';

/**
 * Creates lines for a canvas.
 * @param path in SVG syntax, coordinates in points
 */
export function strokes(path: string, lineWidth: number, lineColor: string): CanvasElement {
  // pdfmake draws paths, but its types omit them.
  return { type: 'path', d: path, lineColor, lineWidth } as unknown as CanvasElement;
}
