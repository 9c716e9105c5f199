import type { CanvasElement, Content, ContentText, TableCell } from 'pdfmake/interfaces.js';

/** Words, colours and parts that the federation's documents share. */

export const ink = '#1b2530';
export const navy = '#12355b';
export const grey = '#5b6673';
const pale = '#eef2f7';

/** Points. */
export const a4 = { width: 595.28, height: 841.89 };

/** A fixed text that fits one line; without wrapping the layout is faster. */
export function line(text: string, style: Partial<ContentText>): ContentText {
  return { text, noWrap: true, ...style };
}

/** A table of facts with striped rows. @param padding above and below the text of a row, points */
export function factsTable(rows: TableCell[][], widths: number[], padding: number): Content {
  return {
    table: { widths, body: rows },
    layout: {
      hLineWidth: () => 0.7,
      hLineColor: () => '#c9d3df',
      vLineWidth: () => 0,
      paddingTop: () => padding,
      paddingBottom: () => padding,
      fillColor: (index: number) => (index % 2 === 0 ? pale : null),
    },
    margin: [0, 0, 0, 6],
  };
}

/**
 * Creates lines for a canvas.
 * @param path in SVG syntax, coordinates in points
 */
export function strokes(path: string, lineWidth: number, lineColor: string): CanvasElement {
  // pdfmake draws paths, but its types omit them.
  return { type: 'path', d: path, lineColor, lineWidth } as unknown as CanvasElement;
}
