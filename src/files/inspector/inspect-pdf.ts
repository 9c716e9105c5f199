import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PDFDocument } from '@cantoo/pdf-lib';
import { type Inspection, refuse } from './inspection.ts';
import { scanPdf } from './pdf-scan.ts';

/** Opens a PDF and refuses it when it is encrypted, does anything by itself, or has no pages. It is stored as it was sent. */
export async function inspectPdf(path: string): Promise<Inspection> {
  const bytes = await readFile(path);
  const verdict = scanPdf(bytes);
  if (verdict === 'encrypted') return refuse('pdf_encrypted');
  if (verdict === 'active') return refuse('pdf_active_content');
  if (verdict === 'unreadable') return refuse('pdf_unreadable');
  const pages = await countPages(bytes);
  if (pages < 1) return refuse('pdf_unreadable');
  return { ok: true, mime: 'application/pdf', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), pages, path };
}

/** 0 when it cannot be opened; runs only after the scan has bounded what the file unpacks to. */
async function countPages(bytes: Buffer): Promise<number> {
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
    return document.getPageCount();
  } catch {
    // Whatever the parser stumbles over, the answer to the sender is the same.
    return 0;
  }
}
