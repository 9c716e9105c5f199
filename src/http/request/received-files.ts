import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../platform/logging/error-code.ts';

const notOurs = new Set(['EPERM', 'EACCES']);
const namePattern = /^registry-upload-(\d{1,10})-/;

/** Returns a path for a file that this process receives. Its name has the process's id. */
export function pathForReceiving(folder = tmpdir()): string {
  return join(folder, `registry-upload-${process.pid}-${randomUUID()}`);
}

/**
 * Deletes the files that killed processes were receiving. Call it before this process receives any: a file with its own id is then of a
 * former process, as in a container, where each has the same id.
 * @param folder of the received files
 */
export async function removeAbandonedFiles(folder = tmpdir()): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(namePattern.exec(name)?.[1] ?? 0);
    if (pid === 0 || (pid !== process.pid && isRunning(pid))) continue;
    // A file of another account cannot be deleted, and must not prevent the start.
    await rm(join(folder, name), { force: true }).catch((error: unknown) => {
      if (!notOurs.has(errorCode(error) ?? '')) throw error;
    });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another account runs too (EPERM).
    return errorCode(error) !== 'ESRCH';
  }
}
