import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf, EmbeddedError, messageOf } from './errors.ts';

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
 * @throws {EmbeddedError} saying why not.
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
      `DATA_DIR ${directory} cannot be used: ${reasons[codeOf(error) ?? ''] ?? messageOf(error)}; set DATA_DIR to a folder of yours`,
      { cause: error },
    );
  }
  return directory;
}
