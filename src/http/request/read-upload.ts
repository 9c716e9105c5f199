import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MIMEType } from 'node:util';
import { DomainError, fieldProblem } from '../../errors.ts';
import { readPieces } from '../connections/bound-bodies.ts';
import { PartHeads } from './part-heads.ts';

/** At most 20 MB a file (service.md "Limits"). */
export const maxUploadBytes = 20 * 1024 * 1024;
const maxFields = 10;
const maxFieldBytes = 16 * 1024;
/** Of the head of one part. */
const maxPartHeadBytes = 8 * 1024;
const maxPartHeaders = 20;
const maxFieldNameLength = 100;
/** Longer than a file system lets a name be (255), with some folders before it, as old browsers send them. */
const maxFileNameLength = 1_000;
/** The whole request: the file, the fields, the heads of all parts, the lines between them. */
const maxRequestBytes = maxUploadBytes + (maxFields + 1) * (maxFieldBytes + maxPartHeadBytes);

/** Read in one go: a piece full of empty parts is refused at its end, after hundreds of them and not thousands. */
const pieceBytes = 16 * 1024;

/** An upload as it lies in a temporary file; removed when the request ends, whatever became of it. */
export interface UploadedFile {
  path: string;
  size: number;
  /** The name the client gave, at most 1000 characters: shown to its owner, believed by nobody. */
  originalName: string;
}

/** What is left of a file that was read and not kept. */
export interface FileDigest {
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** What a multipart request holds. */
export interface ReceivedUpload<File = UploadedFile> {
  /** The fields beside the file; one that was sent more than once is a list. */
  fields: Record<string, string | string[]>;
  file: File | null;
}

/** Takes the bytes of the file as they come in; gives up when `ended` is aborted. */
type TakeFile<File> = (stream: BusboyFileStream, originalName: string, ended: AbortSignal) => Promise<File>;

/**
 * Reads a multipart request: its one file goes to a temporary file as it comes in. Everything has its limit and is counted before
 * it is looked at: the request (as announced and as it comes), the head of each part, the number of parts, names, values.
 * @param work gets what came; the temporary file is there until it ends
 * @param folder where the temporary file lies
 * @throws {DomainError} payload_too_large, validation_failed (too many files or fields, names and values that are too long, what is not multipart)
 */
export async function withUpload<T>(request: IncomingMessage, work: (upload: ReceivedUpload) => Promise<T>, folder = tmpdir()): Promise<T> {
  const path = join(folder, `registry-upload-${randomUUID()}`);
  try {
    return await work(await receive(request, saveTo(path)));
  } finally {
    await rm(path, { force: true });
  }
}

function saveTo(path: string): TakeFile<UploadedFile> {
  return async (stream, originalName, signal) => {
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
    return { path, size: stream.bytesRead, originalName };
  };
}

/**
 * Reads a multipart request, within the same limits, for the SHA-256 of its file alone: each piece is forgotten as soon as it is counted in,
 * and nothing is written anywhere.
 * @throws {DomainError} what `withUpload` throws
 */
export function digestUpload(request: IncomingMessage): Promise<ReceivedUpload<FileDigest>> {
  return receive(request, async (stream, _originalName, signal) => {
    const hash = createHash('sha256');
    await pipeline(
      stream,
      async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) hash.update(piece);
      },
      { signal },
    );
    return { size: stream.bytesRead, sha256: hash.digest('hex') };
  });
}

async function receive<File>(request: IncomingMessage, takeFile: TakeFile<File>): Promise<ReceivedUpload<File>> {
  if (Number(request.headers['content-length'] ?? 0) > maxRequestBytes) throw tooLarge();
  const parser = createParser(request);
  const heads = new PartHeads(boundaryOf(request), maxPartHeadBytes);
  const fields = new Map<string, string[]>();
  const ended = new AbortController();
  let file: File | null = null;
  let taken: Promise<void> = Promise.resolve();
  const refusal = Promise.withResolvers<never>();
  // Heard where the bytes are read; it may come while nobody waits for it.
  refusal.promise.catch(() => undefined);

  const take = async (stream: BusboyFileStream, originalName: string) => {
    stream.once('limit', () => refusal.reject(tooLarge()));
    file = await takeFile(stream, originalName, ended.signal);
  };
  parser.on('file', (name, stream, originalName) => {
    const problem = problemOfFile(name, originalName);
    if (problem) {
      stream.on('error', refusal.reject);
      refusal.reject(problem);
      return;
    }
    taken = take(stream, originalName ?? '');
    taken.catch(refusal.reject);
  });
  parser.on('field', (name, value, _isNameCut, isValueCut) => {
    const problem = problemOfName(name) ?? (isValueCut ? fieldProblem(`body.${name}`, 'too_long', 'is too long') : null);
    if (problem) refusal.reject(problem);
    else fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  const tooMany = `an upload has one file and at most ${maxFields} fields`;
  parser.once('filesLimit', () => refusal.reject(fieldProblem('body.file', 'too_many', 'one request takes one file')));
  parser.once('fieldsLimit', () => refusal.reject(fieldProblem('body', 'too_many', tooMany)));
  parser.once('partsLimit', () => refusal.reject(fieldProblem('body', 'too_many', tooMany)));
  parser.on('error', (error) => refusal.reject(malformed(error)));

  try {
    await Promise.race([feed(request, parser, heads, refusal.promise), refusal.promise]);
    await taken;
  } catch (error) {
    parser.destroy();
    ended.abort();
    // The temporary file is removed next: nothing may be written to it after that.
    await taken.catch(() => undefined);
    throw error;
  }
  return { fields: Object.fromEntries([...fields].map(([name, values]) => [name, single(values)])), file };
}

/** @throws {DomainError} validation_failed, for a content type without a usable boundary */
function createParser(request: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      // A part named "file" is the file, whether it has a name of its own or not.
      isPartAFile: (name, _type, fileName) => name === 'file' || fileName !== undefined,
      limits: {
        files: 1,
        fields: maxFields,
        parts: maxFields + 1,
        fileSize: maxUploadBytes,
        fieldSize: maxFieldBytes,
        headerPairs: maxPartHeaders,
        headerSize: maxPartHeadBytes,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
}

/** As the parser reads it, from a content type that it takes. @throws {DomainError} validation_failed */
function boundaryOf({ headers }: IncomingMessage): string {
  try {
    const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
    if (boundary !== null) return boundary;
  } catch (error) {
    throw malformed(error);
  }
  throw malformed(null);
}

/** Hands the request on piece by piece, each when the one before it was taken. */
async function feed(request: IncomingMessage, parser: BusboyInstance, heads: PartHeads, refusal: Promise<never>): Promise<void> {
  let received = 0;
  for await (const chunk of readPieces(request)) {
    received += chunk.length;
    if (received > maxRequestBytes) throw tooLarge();
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes);
      if (!heads.take(piece)) throw fieldProblem('body', 'too_long', `the head of each part has at most ${maxPartHeadBytes} bytes`);
      const taken = new Promise<void>((resolve) => parser.write(piece, () => resolve()));
      await Promise.race([taken, refusal]);
    }
  }
  // Not the callback of `end`, which comes before the last part is told.
  const finished = once(parser, 'finish');
  parser.end();
  await finished;
}

function single(values: string[]): string | string[] {
  const [first, ...others] = values;
  return first !== undefined && others.length === 0 ? first : values;
}

/** The name itself is not repeated in the answer: it may be anything. */
function problemOfName(name: string | undefined): DomainError | null {
  if (name !== undefined && name !== '' && name.length <= maxFieldNameLength) return null;
  return fieldProblem('body', 'malformed_upload', `each part has a name of at most ${maxFieldNameLength} characters`);
}

function problemOfFile(name: string | undefined, fileName: string | undefined): DomainError | null {
  if (fileName !== undefined && fileName.length > maxFileNameLength)
    return fieldProblem('body.file', 'too_long', `the name of a file has at most ${maxFileNameLength} characters`);
  if (name === 'file') return null;
  return problemOfName(name) ?? fieldProblem(`body.${name}`, 'unknown_field', 'there is no such field; the file goes into "file"');
}

function malformed(error: unknown): DomainError {
  return fieldProblem('body', 'malformed_upload', error instanceof Error ? error.message : 'is not multipart/form-data');
}

function tooLarge(): DomainError {
  return new DomainError('payload_too_large', { max_bytes: maxUploadBytes });
}
