import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../../platform/logging/error-code.ts';
import { readChildren } from './children.ts';
import { EmbeddedError, messageOf } from './errors.ts';
import { endRemaining, isAlive } from './process-identity.ts';
import type { Progress } from './progress.ts';

const graceMs = 15_000;

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'it is a file',
};

/**
 * Makes the data directory and tries to write into it.
 * @throws {EmbeddedError} the reason why it cannot be used
 */
export function openDataDirectory(path: string): string {
  const directory = resolve(path);
  const probe = join(directory, `.write-probe-${process.pid}`);
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new EmbeddedError(
      `DATA_DIR ${directory} cannot be used: ${reasons[errorCode(error) ?? ''] ?? messageOf(error)}; set DATA_DIR to a folder of yours`,
      { cause: error },
    );
  }
  return directory;
}

/**
 * Takes a data directory for this process alone. After a killed supervisor, waits until its processes are gone and ends those that remain.
 * @returns releases it
 * @throws {EmbeddedError} when a living supervisor holds it
 */
export async function lockDataDirectory(dataDir: string, address: string, progress: Progress): Promise<() => void> {
  const release = takeLock(dataDir, `process ${process.pid}, since ${new Date().toISOString()}, ${address}`);
  const left = readChildren(dataDir).filter(isAlive);
  if (left.length > 0) {
    progress.say(`An earlier run was killed; waiting until its processes are gone (${left.map((child) => child.name).join(', ')}) ...`);
    await endRemaining(left, graceMs);
  }
  return release;
}

/** Node locks no files, SQLite does: the system releases the lock when the process ends, however it ends. */
function takeLock(dataDir: string, holder: string): () => void {
  const holderFile = join(dataDir, 'supervisor.txt');
  const lock = new DatabaseSync(join(dataDir, 'supervisor.sqlite'));
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (messageOf(error) !== 'database is locked') throw error;
    const found = existsSync(holderFile) ? readFileSync(holderFile, 'utf8') : 'another start';
    throw new EmbeddedError(`already running with DATA_DIR ${dataDir}: ${found}; stop it or set another DATA_DIR`);
  }
  writeFileSync(holderFile, holder, { mode: 0o600 });
  return () => lock.close();
}
