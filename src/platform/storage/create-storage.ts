import { join } from 'node:path';
import { createDiskStorage } from './disk-storage.ts';
import type { Storage } from './storage.ts';

/** The variables that configure file storage. */
export type StorageVariables = {
  STORAGE: 'disk' | 's3';
  DATA_DIR: string;
  S3_ENDPOINT?: string | undefined;
  S3_REGION: string;
  S3_BUCKET?: string | undefined;
  S3_ACCESS_KEY_ID?: string | undefined;
  S3_SECRET_ACCESS_KEY?: string | undefined;
  S3_FORCE_PATH_STYLE: boolean;
};

/**
 * Creates the configured storage: files under `DATA_DIR/files`, or an S3 bucket.
 * @throws {TypeError} when S3 has no bucket or keys
 */
export async function createStorage(config: StorageVariables): Promise<Storage> {
  if (config.STORAGE === 'disk') return createDiskStorage({ root: join(config.DATA_DIR, 'files') });
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (!bucket || !accessKeyId || !secretAccessKey)
    throw new TypeError('STORAGE=s3 requires S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  // The S3 client is large, so load it only when needed.
  const { createS3Storage } = await import('./s3-storage.ts');
  return createS3Storage({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket,
    accessKeyId,
    secretAccessKey,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
  });
}

const refuse = () => Promise.reject(new TypeError('This process uses no files; it was started without the storage.'));

/** The storage of a process that needs none (`process-needs.ts`). */
export const unusedStorage: Storage = { put: refuse, get: refuse, stat: refuse, delete: refuse, check: refuse };
