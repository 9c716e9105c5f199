import { type PointerEvent, useRef } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { signingTexts } from './texts.ts';

export const marks = ['signature', 'stamp'] as const;
export type Mark = (typeof marks)[number];
export type Place = components['schemas']['MarkPlace'];

/** Millimetres: the page, and the width of a mark at scale 1 (`MarkPlace` of the API). */
const paper = { width: 210, height: 297 };
const markWidths = { signature: 50, stamp: 40 };

interface MarkedPageProps {
  layout: Readonly<Record<Mark, Place>>;
  files: Readonly<Record<Mark, string | null>>;
  onMove(mark: Mark, place: Pick<Place, 'x' | 'y'>): void;
}

/** The last page of an agreement, on which the marks are dragged. Without a mouse, numbers place them. */
export function MarkedPage({ layout, files, onMove }: MarkedPageProps) {
  const { texts } = useTexts(signingTexts);
  /** Pixels from the pointer to the corner of the mark. */
  const grip = useRef({ x: 0, y: 0 });
  const take = ({ currentTarget, pointerId, clientX, clientY }: PointerEvent) => {
    currentTarget.setPointerCapture(pointerId);
    const { left, top } = currentTarget.getBoundingClientRect();
    grip.current = { x: left - clientX, y: top - clientY };
  };
  const drag = ({ currentTarget, pointerId, clientX, clientY }: PointerEvent, mark: Mark) => {
    const page = currentTarget.parentElement?.getBoundingClientRect();
    if (page === undefined || !currentTarget.hasPointerCapture(pointerId)) return;
    const { width, height } = currentTarget.getBoundingClientRect();
    const millimetres = (start: number, most: number) =>
      Math.floor((Math.max(Math.min(start, most), 0) * 10 * paper.width) / page.width) / 10;
    const x = millimetres(clientX + grip.current.x - page.left, page.width - width);
    onMove(mark, { x, y: millimetres(clientY + grip.current.y - page.top, page.height - height) });
  };
  return (
    <div role="group" aria-label={texts.page} style={pageStyle}>
      {marks.map((mark) => (
        <div
          key={mark}
          onPointerDown={take}
          onPointerMove={(event) => drag(event, mark)}
          style={{
            ...markStyle,
            left: `${(layout[mark].x / paper.width) * 100}%`,
            top: `${(layout[mark].y / paper.height) * 100}%`,
            width: `${((markWidths[mark] * layout[mark].scale) / paper.width) * 100}%`,
          }}
        >
          {files[mark] === null ? texts.marks[mark] : <img src={`/api/v1/files/${files[mark]}`} alt={texts.marks[mark]} {...image} />}
        </div>
      ))}
    </div>
  );
}

/** Paper is white in the dark, too. An outline, as a border would move the marks. */
const pageStyle = {
  position: 'relative',
  maxWidth: 460,
  aspectRatio: paper.width / paper.height,
  overflow: 'hidden',
  background: 'white',
  color: 'black',
  userSelect: 'none',
  outline: '1px solid var(--mantine-color-gray-5)',
} as const;
/** `touchAction`: a finger drags the mark, not the page. */
const markStyle = { position: 'absolute', outline: '1px dashed var(--mantine-color-blue-8)', cursor: 'move', touchAction: 'none' } as const;
const image = { draggable: false, style: { width: '100%', display: 'block' } };
