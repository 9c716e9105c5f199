import { leadsOutside } from './pdf-actions.ts';
import type { WatchedName } from './pdf-lexer.ts';
import { EncryptedPdfError, findObjects, UnreadablePdfError } from './pdf-objects.ts';
import { countPages } from './pdf-pages.ts';
import { type Steps, stepsFor, TooManyStepsError } from './pdf-steps.ts';

/** Names that make a reader run, start, send, fetch or unpack something, wherever in the file they stand. */
const activeNames: readonly WatchedName[] = [
  'JavaScript',
  'JS',
  'Launch',
  'SubmitForm',
  'ImportData',
  'GoToE',
  'GoToR',
  'XFA',
  'OnInstantiate',
  'EmbeddedFile',
  'EmbeddedFiles',
  'EF',
  'FileAttachment',
  'RichMedia',
  'RichMediaContent',
  'RichMediaExecute',
];

export type PdfFinding = { kind: 'clean'; pages: number } | { kind: 'encrypted' | 'active' | 'unreadable' | 'expensive' };

/**
 * Reads a PDF as far as one must to say whether it may be kept, and how many pages it has. No library is given the bytes: those that read
 * PDFs look for what is missing from each place anew, and take minutes for a file that is built so. The work is counted in `steps` and ends
 * where they do, so it is linear in the size of the file.
 */
export function scanPdf(bytes: Buffer, steps: Steps = stepsFor(bytes.length)): PdfFinding {
  let isActive = false;
  try {
    const objects = findObjects(bytes, steps, ({ names, hasScriptAddress }) => {
      // A link is harmless, unless its address is a script.
      isActive ||= hasScriptAddress || activeNames.some((name) => names.has(name));
    });
    if (isActive || leadsOutside(objects, steps)) return { kind: 'active' };
    const pages = countPages(objects, steps);
    return pages > 0 ? { kind: 'clean', pages } : { kind: 'unreadable' };
  } catch (error) {
    if (error instanceof EncryptedPdfError) return { kind: 'encrypted' };
    if (error instanceof TooManyStepsError) return { kind: isActive ? 'active' : 'expensive' };
    if (error instanceof UnreadablePdfError) return { kind: isActive ? 'active' : 'unreadable' };
    throw error;
  }
}
