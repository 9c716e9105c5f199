import { Readable } from 'node:stream';
import { query } from '../../../platform/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import { causeOf } from '../../../platform/log.ts';
import type { Platform } from '../../../platform/platform.ts';

/** From one note to the next, milliseconds: several in the time after which a process that stands still counts as stuck. */
const pauseMs = 20_000;
const bytesOfStep = 1_000_000;

/** How far the making of an export's file has come, in steps: its records, one after the other, then the megabytes that are stored. */
export interface Progress {
  /** So many steps are done. */
  reach(steps: number): Promise<void>;
  /** Each megabyte that is taken of a stream is a step behind these. */
  follow(content: Readable, steps: number): Readable;
}

/**
 * Notes with an export how far it has come: one that is made for long and goes on is not overdue. What takes less than a note's time writes
 * nothing. That it lives says nothing: only what is further than any try of it has ever come counts, so that one which dies again and again at
 * the same place is found out.
 */
export function noteProgress(platform: Platform, id: number): Progress {
  let notedAt = performance.now();
  const reach = async (steps: number) => {
    if (performance.now() - notedAt < pauseMs) return;
    notedAt = performance.now();
    try {
      await query(platform, (db, now) => advance(db, id, steps, now));
    } catch (error) {
      // The next note says the same and more.
      platform.log.warn({ export_id: id, cause: causeOf(error) }, 'the progress of an export could not be noted');
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

/** It counts as due since it came so far. */
async function advance(db: Database, id: number, progress: number, now: Date): Promise<void> {
  await db
    .updateTable('national_exports')
    .set({ progress, dueAt: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('progress', '<', progress)
    .execute();
}
