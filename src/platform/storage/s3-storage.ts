import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { errorName } from '../error-code.ts';
import { countedSource } from './counted.ts';
import { watchedObject, withinTime } from './silence.ts';
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
  patience?: S3Patience;
};

/** How long the storage may be silent, milliseconds; what it holds up is let go then. */
export type S3Patience = {
  connectMs: number;
  /** from a request until its answer begins, its body included */
  answerMs: number;
  /** Between two pieces of an object that a request waits for. */
  pieceMs: number;
  /** for an operation with its repeats; what is read as a stream counts until it begins */
  operationMs: number;
  /** for storing an object of up to 20 MB; a larger one has more time, in proportion */
  putMs: number;
};

const defaultPatience: S3Patience = { connectMs: 5_000, answerMs: 10_000, pieceMs: 10_000, operationMs: 20_000, putMs: 60_000 };
/** One repeat makes good a connection that was closed as it was used; a storage that is away is for the caller to repeat. */
const attempts = 2;
/** A reader that takes nothing for so long gives its connection back: there are only so many. */
const stalledReaderMs = 60_000;

/** S3 takes parts of at least 5 MiB; one at a time keeps fifty uploads within a few hundred megabytes. */
const partBytes = 5 * 1024 * 1024;

/** What is stored within `putMs`. */
const usualBytes = 20 * 1024 * 1024;

/** Objects in an S3 bucket that is there already. */
export function createS3Storage(options: S3StorageOptions): Storage {
  const { bucket: Bucket, patience = defaultPatience } = options;
  const client = new S3Client({
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: options.forcePathStyle,
    ...(options.endpoint && { endpoint: options.endpoint }),
    // Compatible servers do not all know the newer trailing checksums; where S3 demands one it is still sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: patience.connectMs,
      requestTimeout: patience.answerMs,
      // Without it the time-out is a line in the log and nothing more.
      throwOnRequestTimeout: true,
      socketTimeout: stalledReaderMs,
    },
  });
  const { operationMs } = patience;

  return {
    async put(Key, source, { contentType: ContentType, size }) {
      assertStorageKey(Key);
      if (Buffer.isBuffer(source)) {
        if (source.length !== size) throw new StorageSizeError(Key, size, source.length);
        const command = new PutObjectCommand({ Bucket, Key, Body: source, ContentType, ContentLength: size });
        await withinTime(patience.putMs, (abortSignal) => client.send(command, { abortSignal })).catch(refuse);
        return;
      }
      const body = countedSource(Key, source, size);
      let failure: Error | null = null;
      body.once('error', (error) => (failure = error));
      const upload = new Upload({ client, params: { Bucket, Key, Body: body, ContentType }, queueSize: 1, partSize: partBytes });
      try {
        // A part fails before the whole is there: the upload is given up and nothing appears under the key.
        await withinTime(patience.putMs * Math.max(1, size / usualBytes), (signal) => {
          signal.addEventListener('abort', () => void upload.abort());
          return upload.done();
        });
      } catch (error) {
        throw failure ?? asUnavailable(error);
      } finally {
        body.destroy();
      }
    },

    async get(Key, range) {
      assertStorageKey(Key);
      if (range) assertByteRange(range);
      const command = new GetObjectCommand({ Bucket, Key, ...(range && { Range: `bytes=${range.start}-${range.end}` }) });
      try {
        const { Body } = await withinTime(operationMs, (abortSignal) => client.send(command, { abortSignal }));
        if (!(Body instanceof Readable)) throw new StorageUnavailableError('the storage answered without a body');
        return watchedObject(Body, patience.pieceMs);
      } catch (error) {
        if (isMissing(error)) throw new StorageObjectMissingError(Key, { cause: error });
        if (range && errorName(error) === 'InvalidRange') {
          throw new RangeError(`bytes ${range.start}-${range.end} are not within the object`, { cause: error });
        }
        throw asUnavailable(error);
      }
    },

    async stat(Key) {
      assertStorageKey(Key);
      try {
        const command = new HeadObjectCommand({ Bucket, Key });
        const { ContentLength } = await withinTime(operationMs, (abortSignal) => client.send(command, { abortSignal }));
        return { size: ContentLength ?? 0 };
      } catch (error) {
        if (isMissing(error)) return null;
        throw asUnavailable(error);
      }
    },

    async delete(Key) {
      assertStorageKey(Key);
      try {
        const command = new DeleteObjectCommand({ Bucket, Key });
        await withinTime(operationMs, (abortSignal) => client.send(command, { abortSignal }));
      } catch (error) {
        if (!isMissing(error)) throw asUnavailable(error);
      }
    },

    async check() {
      try {
        const command = new HeadBucketCommand({ Bucket });
        await withinTime(Math.min(3000, operationMs), (abortSignal) => client.send(command, { abortSignal }));
      } catch (error) {
        throw new StorageUnavailableError('the storage bucket cannot be used', { cause: error });
      }
    },
  };
}

/** Whatever the storage says that no caller can act upon. */
function asUnavailable(error: unknown): StorageUnavailableError {
  return errorName(error) === 'StorageUnavailableError'
    ? (error as StorageUnavailableError)
    : new StorageUnavailableError('the storage cannot be used now', { cause: error });
}

function refuse(error: unknown): never {
  throw asUnavailable(error);
}

function isMissing(error: unknown): boolean {
  const name = errorName(error);
  return name === 'NoSuchKey' || name === 'NotFound';
}
