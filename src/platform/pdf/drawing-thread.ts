import { parentPort } from 'node:worker_threads';
import type { PdfDefinition } from './render-pdf.ts';

/** A document to render: the module and function that describe it, and its data (`drawing.ts`). */
export interface DrawingJob {
  module: string;
  describe: string;
  data: unknown;
}

export type DrawingReply =
  | { kind: 'drawn'; pdf: Uint8Array }
  /** `isPageFault`: a retry fails too; otherwise the module or the fonts could not be loaded. */
  | { kind: 'failed'; isPageFault: boolean; reason: string };

async function draw({ module, describe, data }: DrawingJob): Promise<DrawingReply> {
  let isPageFault = false;
  try {
    const [{ renderPdf }, described] = await Promise.all([import('./render-pdf.ts'), import(module) as Promise<Record<string, unknown>>]);
    const layOut = described[describe];
    if (typeof layOut !== 'function') throw new TypeError(`${describe} is not a function of its module`);
    isPageFault = true;
    return { kind: 'drawn', pdf: await renderPdf((layOut as (data: unknown) => PdfDefinition)(data)) };
  } catch (error) {
    return { kind: 'failed', isPageFault, reason: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (job: DrawingJob) => {
  void draw(job).then((reply) => parentPort?.postMessage(reply, []));
});
