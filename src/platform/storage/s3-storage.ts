import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { errorName } from '../logging/error-code.ts';
import { withSilenceLimit, withinTime } from './silence.ts';
import {
  assertByteRange,
  assertStorageKey,
  countedSource,
  type Storage,
  StorageObjectMissingError,
  StorageSizeError,
  StorageUnavailableError,
} from './storage.ts';

export type S3StorageOptions = {
  /** address of S3-compatible storage; by default AWS */
  endpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** bucket in the path and not in the host name */
  forcePathStyle: boolean;
  timeouts?: S3Timeouts;
};

/** Time limits of the storage, milliseconds. */
export type S3Timeouts = {
  connectMs: number;
  /** from a request with its body to the start of the response */
  answerMs: number;
  /** between two chunks of an object */
  chunkMs: number;
  /** for an operation with its retries; for a stream, until it begins */
  operationMs: number;
  /** for storing an object of up to 20 MB; a larger one has proportionally more */
  putMs: number;
};

const defaultTimeouts: S3Timeouts = { connectMs: 5_000, answerMs: 10_000, chunkMs: 10_000, operationMs: 20_000, putMs: 60_000 };
/** One retry, for connections that close while in use. Callers retry when the storage is unavailable. */
const attempts = 2;
/** A client that reads nothing for this time loses its connection, because connections are limited. */
const stalledReaderMs = 60_000;

/** S3 requires parts of at least 5 MiB. One part at a time limits the memory of fifty uploads to a few hundred megabytes. */
const partBytes = 5 * 1024 * 1024;

/** After so many checks in a row without an answer, the storage counts as away. */
const leastUnansweredChecks = 2;

/** Size that must be stored within `putMs`. */
const usualBytes = 20 * 1024 * 1024;

/** Creates storage in an existing S3 bucket. */
export function createS3Storage(options: S3StorageOptions): Storage {
  const { bucket: Bucket, timeouts = defaultTimeouts } = options;
  const client = new S3Client({
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: options.forcePathStyle,
    ...(options.endpoint && { endpoint: options.endpoint }),
    // Some compatible servers do not support trailing checksums; they are sent where S3 requires one.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.answerMs,
      // Otherwise a time-out only writes a log line.
      throwOnRequestTimeout: true,
      socketTimeout: stalledReaderMs,
    },
  });
  const { operationMs } = timeouts;
  let unansweredChecks = 0;
  /** Refuses at once while the storage is away; otherwise each request waits for its time limit. */
  const requirePresence = () => {
    if (unansweredChecks >= leastUnansweredChecks) throw new StorageUnavailableError('the storage does not answer');
  };

  return {
    async put(Key, source, { contentType: ContentType, size }) {
      assertStorageKey(Key);
      requirePresence();
      if (Buffer.isBuffer(source)) {
        if (source.length !== size) throw new StorageSizeError(Key, size, source.length);
        const command = new PutObjectCommand({ Bucket, Key, Body: source, ContentType, ContentLength: size });
        await withinTime(timeouts.putMs, (abortSignal) => client.send(command, { abortSignal })).catch(refuse);
        return;
      }
      const body = countedSource(Key, source, size);
      let failure: Error | null = null;
      body.once('error', (error) => (failure = error));
      const upload = new Upload({ client, params: { Bucket, Key, Body: body, ContentType }, queueSize: 1, partSize: partBytes });
      try {
        // If a part fails, the upload is aborted and no object appears.
        await withinTime(timeouts.putMs * Math.max(1, size / usualBytes), (signal) => {
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
      requirePresence();
      if (range) assertByteRange(range);
      const command = new GetObjectCommand({ Bucket, Key, ...(range && { Range: `bytes=${range.start}-${range.end}` }) });
      try {
        const { Body } = await withinTime(operationMs, (abortSignal) => client.send(command, { abortSignal }));
        if (!(Body instanceof Readable)) throw new StorageUnavailableError('the storage answered without a body');
        return withSilenceLimit(Body, timeouts.chunkMs);
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
      requirePresence();
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
      requirePresence();
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
        unansweredChecks = 0;
      } catch (error) {
        // Keys that may not see the bucket are refused, and can still store objects.
        unansweredChecks = hasAnswered(error) ? 0 : unansweredChecks + 1;
        throw new StorageUnavailableError('the storage bucket is not usable; check S3_BUCKET and the keys', { cause: error });
      }
    },
  };
}

/** Converts other storage errors to `StorageUnavailableError`. */
function asUnavailable(error: unknown): StorageUnavailableError {
  return errorName(error) === 'StorageUnavailableError'
    ? (error as StorageUnavailableError)
    : new StorageUnavailableError('the storage is unavailable', { cause: error });
}

function refuse(error: unknown): never {
  throw asUnavailable(error);
}

function hasAnswered(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode !== undefined;
}

function isMissing(error: unknown): boolean {
  const name = errorName(error);
  return name === 'NoSuchKey' || name === 'NotFound';
}
