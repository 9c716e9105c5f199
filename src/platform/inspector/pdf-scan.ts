import { hasLeavingAction } from './pdf-actions.ts';
import { activeNames } from './pdf-lexer.ts';
import { EncryptedPdfError, findObjects, UnreadablePdfError } from './pdf-objects.ts';
import { countPages } from './pdf-pages.ts';
import { type Steps, stepsFor, TooManyStepsError } from './pdf-steps.ts';

export type PdfFinding = { kind: 'clean'; pages: number } | { kind: 'encrypted' | 'active' | 'unreadable' | 'expensive' };

/**
 * Decides whether a PDF is accepted, and counts its pages. Does not use a PDF library: on hostile files, libraries take minutes. `steps`
 * limits the work, so it is linear in the size of the file.
 */
export function scanPdf(bytes: Buffer, steps: Steps = stepsFor(bytes.length)): PdfFinding {
  let isActive = false;
  try {
    const objects = findObjects(bytes, steps, ({ names, hasScriptAddress }) => {
      // Links are harmless, except script addresses.
      isActive ||= hasScriptAddress || activeNames.some((name) => names.has(name));
    });
    if (isActive || hasLeavingAction(objects, steps)) return { kind: 'active' };
    const pages = countPages(objects, steps);
    return pages > 0 ? { kind: 'clean', pages } : { kind: 'unreadable' };
  } catch (error) {
    if (error instanceof EncryptedPdfError) return { kind: 'encrypted' };
    if (error instanceof TooManyStepsError) return { kind: isActive ? 'active' : 'expensive' };
    if (error instanceof UnreadablePdfError) return { kind: isActive ? 'active' : 'unreadable' };
    throw error;
  }
}
