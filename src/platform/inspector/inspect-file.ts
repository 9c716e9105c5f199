import { fileTypeFromFile } from 'file-type';
import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { inspectImage } from './inspect-image.ts';
import { type AcceptedType, acceptedTypes, type Inspection, type InspectionRequest, refuse, type RefusalCode } from './inspection.ts';
import { type PdfFinding, scanPdf } from './pdf-scan.ts';

const refusals: Record<Exclude<PdfFinding['kind'], 'clean' | 'active'>, RefusalCode> = {
  encrypted: 'pdf_encrypted',
  unreadable: 'pdf_unreadable',
  expensive: 'pdf_too_complex',
};

/**
 * Refuses a PDF that needs a password, has active content or actions that leave the document without a click, has no pages, or is too
 * expensive to read. An accepted PDF is stored unchanged.
 */
async function inspectPdf(path: string): Promise<Inspection> {
  const bytes = await readFile(path);
  const finding = scanPdf(bytes);
  if (finding.kind === 'active') return refuse('pdf_active_content', finding.content);
  if (finding.kind !== 'clean') return refuse(refusals[finding.kind]);
  const { pages } = finding;
  return { ok: true, mime: 'application/pdf', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), pages, path };
}

/**
 * Detects the type of an upload and decides whether it is accepted. Run it in a process that can be killed: the bytes may be hostile. Calls
 * `onType` before decoding.
 * @throws {Error} when the machine fails (missing file, full disk), never because of the file's content
 */
export async function inspectFile(request: InspectionRequest, onType: (type: AcceptedType) => void = () => undefined): Promise<Inspection> {
  const { size } = await stat(request.path);
  if (size === 0) return refuse('file_empty');
  const detected = await detectType(request.path);
  const mime = acceptedTypes.find((type) => type === detected);
  if (!mime) return refuse('unsupported_type', detected !== null && heicTypes.has(detected) ? 'heic' : undefined);
  onType(mime);
  return mime === 'application/pdf' ? inspectPdf(request.path) : inspectImage(request, mime);
}

/** Photos of telephones (HEIC, HEIF) and of the same family (AVIF). */
const heicTypes: ReadonlySet<string> = new Set(['image/heic', 'image/heic-sequence', 'image/heif', 'image/heif-sequence', 'image/avif']);

async function detectType(path: string): Promise<string | null> {
  const detected = await fileTypeFromFile(path).catch(() => undefined);
  if (detected) return detected.mime;
  // A file that is truncated within its signature has no type either.
  return (await beginsLate(path)) ? 'application/pdf' : null;
}

/** Programs find the header of a PDF within these bytes: printers, mail programs and web servers put theirs before it. */
const bytesBeforeHeader = 1024;
/** What browsers take for a web page. */
const markup = /^\s*<[a-z!?]|<(?:script|html|svg|iframe|body|head|img|object|embed|!doctype|\?xml)/i;

/** Returns whether a PDF begins after a few other bytes, which are no page. */
async function beginsLate(path: string): Promise<boolean> {
  const header = '%PDF-';
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(bytesBeforeHeader - 1 + header.length), position: 0 });
    const head = buffer.toString('latin1', 0, bytesRead);
    const at = head.indexOf(header);
    return at !== -1 && !markup.test(head.slice(0, at));
  } finally {
    await file.close();
  }
}
