import type { PdfDefinition } from '../../../src/platform/pdf/render-pdf.ts';

/** Documents for tests of the drawing thread, which loads this module. */
export function describeNote({ text, photo }: { text: string; photo?: Uint8Array }): PdfDefinition {
  return {
    title: text,
    createdAt: new Date('2026-03-01T00:00:00+05:00'),
    content: [{ text }, ...(photo ? [{ image: `data:image/jpeg;base64,${Buffer.from(photo).toString('base64')}` }] : [])],
  };
}

export function describeDeath(_data: { text: string }): PdfDefinition {
  process.exit(3);
}

export function describeMistake(_data: { text: string }): PdfDefinition {
  throw new TypeError('the description has a mistake');
}
