import { Readable } from 'node:stream';
import { query } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import { causeOf } from '../../../platform/logging/log.ts';
import type { Platform } from '../../../platform/platform.ts';

/** Shortest time between two writes, milliseconds; much shorter than the time after which a process counts as stuck. */
const pauseMs = 3000;
const bytesOfStep = 1_000_000;

/** Progress of an export in steps: one for each record, then one for each stored megabyte. */
export interface Progress {
  /** Reports the number of finished steps. */
  reach(steps: number): Promise<void>;
  /** Counts each megabyte read from a stream as a step after `steps`. */
  follow(content: Readable, steps: number): Readable;
}

/**
 * Records the progress of an export, so that a long export is not reported as overdue while it advances.
 *
 * Only progress beyond all earlier attempts counts, so an export that crashes repeatedly at the same record becomes overdue. Work shorter
 * than the pause writes nothing.
 */
export function trackProgress(platform: Platform, id: number): Progress {
  let notedAt = performance.now();
  const reach = async (steps: number) => {
    if (performance.now() - notedAt < pauseMs) return;
    notedAt = performance.now();
    try {
      await query(platform, (db, now) => advance(db, id, steps, now));
    } catch (error) {
      // The next write replaces this one.
      platform.log.warn({ export_id: id, cause: causeOf(error) }, 'Cannot record the progress of an export; the next step retries');
    }
  };
  return {
    reach,
    follow: (content, steps) =>
      Readable.from(
        followed(content, (bytes) => reach(steps + Math.floor(bytes / bytesOfStep))),
        { objectMode: false },
      ),
  };
}

async function* followed(content: Readable, taken: (bytes: number) => Promise<void>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    yield chunk;
    bytes += chunk.length;
    await taken(bytes);
  }
}

/** Stores new progress and restarts the time after which the export counts as overdue. */
async function advance(db: Database, id: number, progress: number, now: Date): Promise<void> {
  await db
    .updateTable('national_exports')
    .set({ progress, dueAt: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('progress', '<', progress)
    .execute();
}
