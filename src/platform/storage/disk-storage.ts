import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '../logging/error-code.ts';
import {
  assertByteRange,
  assertStorageKey,
  countedSource,
  type Storage,
  StorageObjectMissingError,
  StorageUnavailableError,
} from './storage.ts';

const abandonedAfterMs = 60 * 60_000;

/**
 * Stores objects as files under `root`, readable by this user only. Writes a temporary file, syncs and renames it, so that a file appears
 * only when complete. The next process deletes incomplete files of a killed process.
 */
export function createDiskStorage(options: { root: string }): Storage {
  const root = resolve(options.root);
  const temporary = join(root, '.tmp');
  let prepared: Promise<void> | null = null;

  const prepare = (): Promise<void> => {
    prepared ??= sweep(temporary).catch((error: unknown) => {
      prepared = null;
      throw new StorageUnavailableError('the storage folder is not usable; check its permissions', { cause: error });
    });
    return prepared;
  };
  const pathOf = (key: string): string => {
    assertStorageKey(key);
    return join(root, key);
  };

  return {
    async put(key, source, { size }) {
      const path = pathOf(key);
      // Attach first: the upload may be interrupted while the folder is prepared.
      const counted = countedSource(key, source, size);
      await prepare();
      const written = join(temporary, randomUUID());
      try {
        const file = await open(written, 'wx', 0o600);
        try {
          for await (const chunk of counted) await file.writeFile(chunk as Buffer);
          await file.sync();
        } finally {
          await file.close();
        }
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(written, path);
        await syncFolder(dirname(path));
      } catch (error) {
        await rm(written, { force: true }).catch(() => undefined);
        throw asOutage(error);
      }
    },

    async get(key, range) {
      const path = pathOf(key);
      // Open here, so that a missing object fails now and not in the middle of the response.
      const file = await open(path, 'r').catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') throw new StorageObjectMissingError(key, { cause: error });
        throw asOutage(error);
      });
      try {
        if (range) assertByteRange(range, (await file.stat()).size);
        return file.createReadStream(range ?? {}) satisfies Readable;
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    async stat(key) {
      try {
        return { size: (await stat(pathOf(key))).size };
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw asOutage(error);
      }
    },

    async delete(key) {
      await rm(pathOf(key), { force: true }).catch((error: unknown) => Promise.reject(asOutage(error)));
    },

    async check() {
      await prepare();
      try {
        await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (error) {
        throw new StorageUnavailableError('the storage folder is not usable; check its permissions', { cause: error });
      }
    },
  };
}

/** Errors of a disk that is full, read-only, broken or not mounted. */
const outages: ReadonlySet<string | undefined> = new Set(['EACCES', 'EDQUOT', 'EIO', 'EMFILE', 'ENOSPC', 'ENOTDIR', 'EROFS', 'ESTALE']);

/** Returns the outage of a disk as such, so that its callers answer 503 and retry; other errors unchanged. */
function asOutage(error: unknown): unknown {
  const code = errorCode(error);
  return outages.has(code) ? new StorageUnavailableError(`the storage folder is not usable (${code})`, { cause: error }) : error;
}

async function sweep(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const oldest = Date.now() - abandonedAfterMs;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const facts = await stat(path).catch(() => null);
    if (facts && facts.mtimeMs < oldest) await rm(path, { force: true });
  }
}

/** Syncs the folder, to make a rename durable. Some file systems refuse to sync folders; that is ignored. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (errorCode(error) !== 'EINVAL' && errorCode(error) !== 'EPERM') throw error;
  } finally {
    await folder.close();
  }
}
