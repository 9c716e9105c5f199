import { UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { signingTexts } from './texts.ts';

export const marks = ['signature', 'stamp'] as const;
export type Mark = (typeof marks)[number];
type Layout = components['schemas']['FederationSigning']['layout'];
type Place = components['schemas']['MarkPlace'];

/** Millimetres: the page, and a mark at scale 1 (`MarkPlace` of the API). */
const paper = { width: 210, height: 297 };
const markWidths = { signature: 50, stamp: 40 };
export const leastScale = 0.1;
const mostScale = 3;

const arrows = new Map([
  ['ArrowLeft', { x: -1, y: 0 }],
  ['ArrowRight', { x: 1, y: 0 }],
  ['ArrowUp', { x: 0, y: -1 }],
  ['ArrowDown', { x: 0, y: 1 }],
]);

/** Where both marks lie. Each way to move one goes through `move`, which keeps it on the page. */
export function useMarks(first: Layout) {
  const [layout, setLayout] = useState(first);
  /** Height by width, once the image is seen. */
  const [shapes, setShapes] = useState({ signature: 0.5, stamp: 1 });
  const limitsOf = (mark: Mark, scale = layout[mark].scale): Place => {
    const [width, height] = [markWidths[mark], markWidths[mark] * shapes[mark]];
    return {
      x: roundDown(paper.width - width * scale, 10),
      y: roundDown(paper.height - height * scale, 10),
      scale: Math.min(mostScale, roundDown(paper.height / height, 100)),
    };
  };
  const move = (mark: Mark, changes: Partial<Place>) => {
    const wanted = { ...layout[mark], ...changes };
    const scale = between(leastScale, wanted.scale, limitsOf(mark).scale);
    const limits = limitsOf(mark, scale);
    const on = (axis: 'x' | 'y') => between(0, Math.round(wanted[axis] * 10) / 10, limits[axis]);
    setLayout({ ...layout, [mark]: { x: on('x'), y: on('y'), scale } });
  };
  return { layout, shapes, move, limitsOf, see: (mark: Mark, shape: number) => setShapes((old) => ({ ...old, [mark]: shape })) };
}

interface MarkedPageProps {
  marks: ReturnType<typeof useMarks>;
  files: Readonly<Record<Mark, string | null>>;
}

/** The last page of an agreement, on which the marks are dragged, or moved by arrow keys. */
export function MarkedPage({ marks: { layout, shapes, move, see }, files }: MarkedPageProps) {
  const { number } = useLanguage();
  const texts = useTexts(signingTexts);
  const page = useRef<HTMLDivElement>(null);
  /** From the corner of the mark to where it is held. */
  const held = useRef({ x: 0, y: 0 });
  const pointOf = ({ clientX, clientY }: PointerEvent) => {
    const { left, top, width } = page.current?.getBoundingClientRect() ?? { left: 0, top: 0, width: 1 };
    return { x: ((clientX - left) * paper.width) / width, y: ((clientY - top) * paper.width) / width };
  };
  const onKeyDown = (event: KeyboardEvent, mark: Mark) => {
    const arrow = arrows.get(event.key);
    if (arrow === undefined) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1;
    move(mark, { x: layout[mark].x + arrow.x * step, y: layout[mark].y + arrow.y * step });
  };
  return (
    <div ref={page} role="group" aria-label={texts.page} style={pageStyle}>
      {marks.map((mark) => {
        const { x, y, scale } = layout[mark];
        return (
          <UnstyledButton
            key={mark}
            aria-label={texts.placed(texts.marks[mark], number(x), number(y))}
            onKeyDown={(event) => onKeyDown(event, mark)}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              const point = pointOf(event);
              held.current = { x: point.x - x, y: point.y - y };
            }}
            onPointerMove={(event) => {
              if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
              const point = pointOf(event);
              move(mark, { x: point.x - held.current.x, y: point.y - held.current.y });
            }}
            style={{
              ...markStyle,
              left: `${(x / paper.width) * 100}%`,
              top: `${(y / paper.height) * 100}%`,
              width: `${((markWidths[mark] * scale) / paper.width) * 100}%`,
              aspectRatio: 1 / shapes[mark],
            }}
          >
            {files[mark] === null ? (
              texts.marks[mark]
            ) : (
              <img
                src={`/api/v1/files/${files[mark]}`}
                alt=""
                draggable={false}
                style={{ width: '100%', display: 'block' }}
                onLoad={({ currentTarget }) => see(mark, currentTarget.naturalHeight / currentTarget.naturalWidth)}
              />
            )}
          </UnstyledButton>
        );
      })}
    </div>
  );
}

/** Paper is white in the dark, too. */
const pageStyle = {
  position: 'relative',
  maxWidth: 460,
  aspectRatio: paper.width / paper.height,
  overflow: 'hidden',
  background: 'white',
  color: 'black',
  border: '1px solid var(--mantine-color-gray-5)',
} as const;
/** `touchAction`: a finger drags the mark, not the page. */
const markStyle = { position: 'absolute', outline: '1px dashed var(--mantine-color-blue-8)', cursor: 'move', touchAction: 'none' } as const;

function between(least: number, value: number, most: number): number {
  return Math.max(Math.min(value, most), least);
}

function roundDown(value: number, parts: number): number {
  return Math.floor(value * parts) / parts;
}
