import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorCode } from '../../platform/logging/error-code.ts';
import { readChildren } from './children.ts';
import { EmbeddedError, messageOf } from './errors.ts';
import { endRemaining, identify, isAlive, type ProcessIdentity } from './process-identity.ts';
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
  const path = join(dataDir, 'supervisor.lock');
  const content = JSON.stringify({ ...identify(process.pid), since: new Date().toISOString(), address });
  createLock(path, content, dataDir);
  const left = readChildren(dataDir).filter(isAlive);
  if (left.length > 0) {
    progress.say(`An earlier run was killed; waiting until its processes are gone (${left.map((child) => child.name).join(', ')}) ...`);
    await endRemaining(left, graceMs);
  }
  return () => {
    if (readText(path) === content) rmSync(path);
  };
}

function createLock(path: string, content: string, dataDir: string): void {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const found = readText(path);
    const holder = holderIn(found);
    if (holder && isAlive(holder)) {
      throw new EmbeddedError(
        `already running with DATA_DIR ${dataDir}: process ${holder.pid}, since ${holder.since}, ${holder.address}; stop it or set another DATA_DIR`,
      );
    }
    // Renaming lets only one of two starters take a dead supervisor's lock away. The other finds nothing to rename, or the lock that the
    // first has made meanwhile, which it puts back.
    const stale = `${path}.${process.pid}`;
    try {
      renameSync(path, stale);
      if (readText(stale) === found) rmSync(stale);
      else renameSync(stale, path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  throw new EmbeddedError(`another start is taking DATA_DIR ${dataDir} at this moment; try again`);
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Returns undefined for a file that a crash cut off. */
function holderIn(text: string | undefined): (ProcessIdentity & { since: string; address: string }) | undefined {
  try {
    return JSON.parse(text ?? '') as ReturnType<typeof holderIn>;
  } catch {
    return undefined;
  }
}
