import { nationalExportUpdate } from '../../workflows/national-export.contract.ts';
import { isDomainError } from '../errors.ts';
import { query } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { refOf } from '../platform/workflows/define-process.ts';
import { findExport } from './export-queries.ts';
import type { ExportRecord } from './export-queries.ts';
import { nationalExportProcess } from './process.ts';

/** Proxies give up after a minute. */
const longestWaitMs = 45_000;
/** Questions that the process may leave unanswered, each for ten seconds at the most, before it is not waited for any more. */
const mostUnanswered = 2;

/**
 * Waits until an export has ended, while somebody listens. One that takes longer, and one whose process cannot be reached now, is given back
 * as it stands: it is made all the same.
 */
export async function awaitExport(platform: Platform, id: number, requestId: string, gone: AbortSignal): Promise<ExportRecord> {
  const until = performance.now() + longestWaitMs;
  let unanswered = 0;
  for (;;) {
    if (!(await ask(platform, id, requestId))) unanswered += 1;
    const record = await query(platform, (db) => findExport(db, id));
    if (record === null) throw new Error(`export ${id} vanished under its own request`);
    if (record.made.status !== 'pending' || unanswered >= mostUnanswered || gone.aborted || performance.now() > until) return record;
  }
}

/** @returns whether there was an answer */
async function ask(platform: Platform, id: number, requestId: string): Promise<boolean> {
  try {
    await platform.processes.ask(refOf(nationalExportProcess, id), nationalExportUpdate, requestId);
    return true;
  } catch (error) {
    if (isDomainError(error)) return false;
    throw error;
  }
}
