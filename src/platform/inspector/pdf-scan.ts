import { hasLeavingAction } from './pdf-actions.ts';
import { EncryptedPdfError } from './pdf-encryption.ts';
import type { Lexed, ScannedName } from './pdf-lexer.ts';
import { findObjects, UnreadablePdfError } from './pdf-objects.ts';
import { countPages } from './pdf-pages.ts';
import { type Steps, stepsFor, TooManyStepsError } from './pdf-steps.ts';

/** Kinds of active content; of several, the first one is named in a refusal. */
const activeContents = ['script', 'form', 'attachment', 'action'] as const;
export type ActiveContent = (typeof activeContents)[number];

/** The names of active content, anywhere in the file. Clicked links to pages and other documents have none of them. */
const namesOf: Record<ActiveContent, readonly ScannedName[]> = {
  script: ['JavaScript', 'JS', 'OnInstantiate'],
  form: ['XFA', 'SubmitForm', 'ImportData'],
  attachment: ['EmbeddedFile', 'EmbeddedFiles', 'EF', 'FileAttachment', 'GoToE', 'RichMedia', 'RichMediaContent', 'RichMediaExecute'],
  action: ['Launch'],
};

export type PdfFinding =
  | { kind: 'clean'; pages: number }
  | { kind: 'active'; content: ActiveContent }
  | { kind: 'encrypted' | 'unreadable' | 'expensive' };

/**
 * Decides whether a PDF is accepted, and counts its pages. Does not use a PDF library: on hostile files, libraries take minutes. `steps`
 * limits the work, so it is linear in the size of the file.
 */
export function scanPdf(bytes: Buffer, steps: Steps = stepsFor(bytes.length)): PdfFinding {
  const contents = new Set<ActiveContent>();
  const note = ({ names, hasScriptAddress }: Lexed): void => {
    // Links are harmless, except script addresses.
    if (hasScriptAddress) contents.add('script');
    if (names.size === 0) return;
    for (const content of activeContents) if (namesOf[content].some((name) => names.has(name))) contents.add(content);
  };
  const finding = read(bytes, steps, note);
  const content = activeContents.find((each) => contents.has(each));
  return content === undefined || finding.kind === 'encrypted' ? finding : { kind: 'active', content };
}

function read(bytes: Buffer, steps: Steps, note: (words: Lexed) => void): PdfFinding {
  try {
    const objects = findObjects(bytes, steps, note);
    if (hasLeavingAction(objects, steps)) return { kind: 'active', content: 'action' };
    const pages = countPages(objects, steps);
    return pages > 0 ? { kind: 'clean', pages } : { kind: 'unreadable' };
  } catch (error) {
    if (error instanceof EncryptedPdfError) return { kind: 'encrypted' };
    if (error instanceof TooManyStepsError) return { kind: 'expensive' };
    if (error instanceof UnreadablePdfError) return { kind: 'unreadable' };
    throw error;
  }
}
