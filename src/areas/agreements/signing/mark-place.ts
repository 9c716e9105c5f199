import type { FieldProblem } from '../../../errors.ts';
import type { MarkPlace } from '../entities.ts';

/** Width of a mark at scale 1, millimetres. */
export const markWidths = { signature: 50, stamp: 40 } as const;
/** The marks on an agreement; also the purposes of their uploads. */
export type Mark = keyof typeof markWidths;

/** The last page of an agreement (A4), millimetres. */
export const markPage = { width: 210, height: 297 } as const;
/** Millimetres that rounding may add. */
const tolerance = 0.01;

/**
 * Lists where a mark would leave the page (AGR-8). Its height follows from the shape of its image.
 * @param image pixels
 */
export function findPlaceProblems(mark: Mark, { x, y, scale }: MarkPlace, image: { width: number; height: number }): FieldProblem[] {
  const width = markWidths[mark] * scale;
  const height = (width * image.height) / image.width;
  const check = (axis: 'x' | 'y', start: number, length: number, side: number): FieldProblem[] => {
    if (start + length <= side + tolerance) return [];
    const rest = Math.floor((side - length) * 10) / 10;
    const advice = rest < 0 ? 'choose a smaller scale' : `${axis} is at most ${rest}`;
    const message = `the mark must lie wholly on the page: it is ${length.toFixed(1)} mm ${axis === 'x' ? 'wide' : 'high'}, so ${advice}`;
    return [{ path: `body.layout.${mark}.${axis}`, code: 'outside_page', message }];
  };
  return [...check('x', x, width, markPage.width), ...check('y', y, height, markPage.height)];
}
