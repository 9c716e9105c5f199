import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { errorName } from '../error-code.ts';
import { countedSource } from './counted.ts';
import {
  assertByteRange,
  assertStorageKey,
  type Storage,
  StorageObjectMissingError,
  StorageSizeError,
  StorageUnavailableError,
} from './storage.ts';

export type S3StorageOptions = {
  /** address of S3-compatible storage; AWS when not given */
  endpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** bucket in the path and not in the host name */
  forcePathStyle: boolean;
};

/** S3 takes parts of at least 5 MiB; one at a time keeps fifty uploads within a few hundred megabytes. */
const partBytes = 5 * 1024 * 1024;

/** Objects in an S3 bucket that is there already. */
export function createS3Storage(options: S3StorageOptions): Storage {
  const { bucket: Bucket } = options;
  const client = new S3Client({
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: options.forcePathStyle,
    ...(options.endpoint && { endpoint: options.endpoint }),
    // Compatible servers do not all know the newer trailing checksums; where S3 demands one it is still sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, requestTimeout: 60_000 },
  });

  return {
    async put(Key, source, { contentType: ContentType, size }) {
      assertStorageKey(Key);
      if (Buffer.isBuffer(source)) {
        if (source.length !== size) throw new StorageSizeError(Key, size, source.length);
        await client.send(new PutObjectCommand({ Bucket, Key, Body: source, ContentType, ContentLength: size }));
        return;
      }
      const body = countedSource(Key, source, size);
      let failure: Error | null = null;
      body.once('error', (error) => (failure = error));
      const upload = new Upload({ client, params: { Bucket, Key, Body: body, ContentType }, queueSize: 1, partSize: partBytes });
      try {
        // A part fails before the whole is there: the upload is given up and nothing appears under the key.
        await upload.done();
      } catch (error) {
        throw failure ?? error;
      } finally {
        body.destroy();
      }
    },

    async get(Key, range) {
      assertStorageKey(Key);
      if (range) assertByteRange(range);
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket, Key, ...(range && { Range: `bytes=${range.start}-${range.end}` }) }),
        );
        if (!(Body instanceof Readable)) throw new StorageUnavailableError('the storage answered without a body');
        return Body;
      } catch (error) {
        if (isMissing(error)) throw new StorageObjectMissingError(Key, { cause: error });
        if (range && errorName(error) === 'InvalidRange') {
          throw new RangeError(`bytes ${range.start}-${range.end} are not within the object`, { cause: error });
        }
        throw error;
      }
    },

    async stat(Key) {
      assertStorageKey(Key);
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }));
        return { size: ContentLength ?? 0 };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    async delete(Key) {
      assertStorageKey(Key);
      try {
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },

    async check() {
      try {
        await client.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(3000) });
      } catch (error) {
        throw new StorageUnavailableError('the storage bucket cannot be used', { cause: error });
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  const name = errorName(error);
  return name === 'NoSuchKey' || name === 'NotFound';
}
