import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { MIMEType } from 'node:util';
import { DomainError, fieldProblem } from '../../errors.ts';
import { untilRefused } from '../connections/bound-bodies.ts';
import { pathForReceiving } from './received-files.ts';

/** At most 20 MB a file. */
export const maxUploadBytes = 20 * 1024 * 1024;
const maxFields = 10;
const maxFieldBytes = 16 * 1024;
/** Of the head of one part. */
const maxPartHeadBytes = 8 * 1024;
const maxPartHeaders = 20;
const maxFieldNameLength = 100;
/** Longer than a file system allows (255), because old browsers send folders too. */
const maxFileNameLength = 1_000;
/** The whole request: the file, the fields, all part heads and boundaries. */
const maxRequestBytes = maxUploadBytes + (maxFields + 1) * (maxFieldBytes + maxPartHeadBytes);

/** Bytes that the parser reads at once, so that a chunk of empty parts is refused after hundreds, not thousands. */
const pieceBytes = 16 * 1024;

/** An upload in a temporary file; deleted when the request ends. */
export interface UploadedFile {
  path: string;
  size: number;
  /** The client's file name, at most 1000 characters; shown to its owner only. */
  originalName: string;
}

/** Size and hash of a file that was not stored. */
export interface FileDigest {
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Contents of a multipart request. */
export interface ReceivedUpload<File = UploadedFile> {
  /** The other fields; a repeated one is a list. */
  fields: Record<string, string | string[]>;
  file: File | null;
}

/** Consumes the bytes of the file; stops when `ended` is aborted. */
type TakeFile<File> = (stream: BusboyFileStream, originalName: string, ended: AbortSignal) => Promise<File>;

/**
 * Reads a multipart request and streams its one file to a temporary file. Limits the request (announced and received bytes), part heads,
 * the number of parts, names and values.
 * @param work receives the upload; the temporary file exists until it ends
 * @param folder of the temporary file
 * @throws {DomainError} payload_too_large, validation_failed (too many files or fields, too long names and values, not multipart)
 */
export async function withUpload<T>(request: IncomingMessage, work: (upload: ReceivedUpload) => Promise<T>, folder?: string): Promise<T> {
  const path = pathForReceiving(folder);
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
 * Reads a multipart request, within the same limits, only for the SHA-256 of its file; writes nothing.
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
  // It may reject before anything awaits it.
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
  parser.once('filesLimit', () => refusal.reject(fieldProblem('body.file', 'too_many', 'a request has one file')));
  parser.once('fieldsLimit', () => refusal.reject(fieldProblem('body', 'too_many', tooMany)));
  parser.once('partsLimit', () => refusal.reject(fieldProblem('body', 'too_many', tooMany)));
  parser.on('error', (error) => refusal.reject(malformed(error)));

  try {
    await untilRefused(request, Promise.race([feed(request, parser, heads, refusal.promise), refusal.promise]));
    await taken;
  } catch (error) {
    parser.destroy();
    ended.abort();
    // The temporary file is deleted next: no write may follow.
    await taken.catch(() => undefined);
    throw error;
  }
  return { fields: Object.fromEntries([...fields].map(([name, values]) => [name, single(values)])), file };
}

/** @throws {DomainError} validation_failed for a content type without a usable boundary */
function createParser(request: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      // A part named "file" is the file, also without a file name.
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

/**
 * Returns the boundary as the parser reads it, from a content type that it accepts.
 * @throws {DomainError} validation_failed
 */
function boundaryOf({ headers }: IncomingMessage): string {
  try {
    const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
    if (boundary !== null) return boundary;
  } catch (error) {
    throw malformed(error);
  }
  throw malformed(null);
}

/** Feeds the request to the parser, each chunk after the previous one was consumed. */
async function feed(request: IncomingMessage, parser: BusboyInstance, heads: PartHeads, refusal: Promise<never>): Promise<void> {
  let received = 0;
  // Stopping early must not destroy the connection: the answer still needs it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > maxRequestBytes) throw tooLarge();
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes);
      if (!heads.take(piece)) throw fieldProblem('body', 'too_long', `the head of each part has at most ${maxPartHeadBytes} bytes`);
      const taken = new Promise<void>((resolve) => parser.write(piece, () => resolve()));
      await Promise.race([taken, refusal]);
    }
  }
  // Not the callback of `end`, which comes before the last part is reported.
  const finished = once(parser, 'finish');
  parser.end();
  await finished;
}

function single(values: string[]): string | string[] {
  const [first, ...others] = values;
  return first !== undefined && others.length === 0 ? first : values;
}

/** Does not quote the name, because it may contain anything. */
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

const headEnd = Buffer.from('\r\n\r\n');
const lineBreak = Buffer.from('\r\n');
const closing = Buffer.from('--');

/**
 * Measures the heads of a multipart body's parts. The parser truncates a long head and continues, so that the received fields would differ
 * silently from the sent ones.
 */
export class PartHeads {
  readonly #between: Buffer;
  readonly #mostBytes: number;
  /** A possible beginning of a boundary, or the head so far. The first boundary may have no line break before it. */
  #kept: Buffer = lineBreak;
  #where: 'body' | 'head' | 'end' = 'body';

  /**
   * @param boundary as the content type names it
   * @param mostBytes limit of a head
   */
  constructor(boundary: string, mostBytes: number) {
    this.#between = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#mostBytes = mostBytes;
  }

  /**
   * Takes the next bytes in linear time.
   * @returns false when a head is too long
   */
  take(piece: Buffer): boolean {
    if (this.#where === 'end') return true;
    const bytes = Buffer.concat([this.#kept, piece]);
    let at = 0;
    for (;;) {
      const next = bytes.indexOf(this.#between, at);
      if (this.#where === 'head') {
        if (bytes.subarray(at, at + closing.length).equals(closing)) {
          this.#where = 'end';
          return true;
        }
        // A boundary ends a head too, although it is not part of it.
        const head = bytes.subarray(at, next < 0 ? bytes.length : next);
        const length = head.indexOf(headEnd);
        // The last bytes of an unfinished head may begin its end.
        if ((length < 0 ? head.length - headEnd.length + 1 : length) > this.#mostBytes) return false;
        if (length >= 0) {
          this.#where = 'body';
          at += length + headEnd.length;
          continue;
        }
      }
      if (next < 0) break;
      at = next + this.#between.length;
      this.#where = 'head';
    }
    if (this.#where === 'body') at = Math.max(at, bytes.length - this.#between.length + 1);
    this.#kept = bytes.subarray(at);
    return true;
  }
}
