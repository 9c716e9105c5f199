import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Inspection, type RefusalCode, refuse } from './inspection.ts';
import { type PdfFinding, scanPdf } from './pdf-scan.ts';

const refusals: Record<Exclude<PdfFinding['kind'], 'clean'>, RefusalCode> = {
  encrypted: 'pdf_encrypted',
  active: 'pdf_active_content',
  unreadable: 'pdf_unreadable',
  expensive: 'pdf_too_complex',
};

/**
 * Reads a PDF and refuses it when it is encrypted, does anything by itself, leads outside, has no pages, or is built to be expensive to
 * read. It is stored as it was sent.
 */
export async function inspectPdf(path: string): Promise<Inspection> {
  const bytes = await readFile(path);
  const finding = scanPdf(bytes);
  if (finding.kind !== 'clean') return refuse(refusals[finding.kind]);
  const { pages } = finding;
  return { ok: true, mime: 'application/pdf', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), pages, path };
}
