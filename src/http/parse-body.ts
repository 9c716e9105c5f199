import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Context } from 'koa';
import { DomainError, fieldProblem } from '../errors.ts';
import { errorCode } from '../platform/error-code.ts';
import { watchCrumbs } from './crumbs.ts';
import type { BodyKind } from './define-route.ts';
import { measureJson } from './measure-json.ts';
import { digestUpload, withUpload } from './read-upload.ts';
import type { FileDigest, UploadedFile } from './read-upload.ts';

const maxJsonBytes = 1024 * 1024;
/** Far above what any request holds. */
const maxJsonDepth = 100;
const maxJsonContainers = 10_000;
const maxRawBytes = 16 * 1024;
/** What may still come of a request after it was answered; enough for a photo far beyond the limit, whose sender is to read why. */
const maxUnreadBytes = 100 * 1024 * 1024;
/** Milliseconds between two pieces of the rest of a request for which its answer waits, where the connection closes with it. */
const mostSilenceMs = 5_000;

/** The file of a multipart body, in the form that the route takes it. */
export interface SentFile {
  upload: UploadedFile | null;
  digest: FileDigest | null;
}
const noFile: SentFile = { upload: null, digest: null };

/**
 * Reads the body as its route says, after the caller was let in: the bytes of anyone else are never read.
 * @throws {DomainError} malformed_json, unsupported_media_type, payload_too_large, validation_failed (see `withUpload`)
 */
export async function withBody<T>(
  ctx: Context,
  kind: BodyKind,
  mayHaveBody: boolean,
  work: (body: unknown, file: SentFile) => Promise<T>,
): Promise<T> {
  const hasBody = ctx.request.length !== undefined ? ctx.request.length > 0 : ctx.get('transfer-encoding') !== '';
  if (kind === 'ignored' || !mayHaveBody) return work(undefined, noFile);
  if (kind === 'raw') return work(await readRaw(ctx), noFile);
  if (kind === 'json') {
    if (!hasBody) return work(undefined, noFile);
    if (!ctx.is('application/json')) throw new DomainError('unsupported_media_type', { expected: ['application/json'] });
    return work(await readJson(ctx), noFile);
  }
  if (!ctx.is('multipart/form-data')) throw new DomainError('unsupported_media_type', { expected: ['multipart/form-data'] });
  try {
    if (kind === 'upload') return await withUpload(ctx.req, ({ fields, file }) => work(fields, { ...noFile, upload: file }));
    const { fields, file } = await digestUpload(ctx.req);
    return await work(fields, { ...noFile, digest: file });
  } finally {
    await leaveUnread(ctx.req);
  }
}

/**
 * Any JSON value; whether it is one the route takes is for its schema to say. JSON is UTF-8 and nothing else (RFC 8259 §8.1):
 * bytes that are not would otherwise be stored as replacement characters.
 */
async function readJson(ctx: Context): Promise<unknown> {
  const bytes = await decompress(ctx.get('content-encoding').toLowerCase(), await readBytes(ctx, maxJsonBytes));
  if (bytes === null) throw new DomainError('payload_too_large', { max_bytes: maxJsonBytes });
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new DomainError('malformed_json', undefined, 'The body is not valid JSON: it is not UTF-8.');
  const { depth, containers } = measureJson(bytes);
  if (depth > maxJsonDepth) throw fieldProblem('body', 'too_deep', 'is nested too deeply');
  if (containers > maxJsonContainers) throw fieldProblem('body', 'too_big', `has more than ${maxJsonContainers} objects and lists`);
  try {
    // It drops a byte order mark, which RFC 8259 lets a reader do.
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (error) {
    throw new DomainError('malformed_json', undefined, undefined, { cause: error });
  }
}

const decompressors: ReadonlyMap<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ['gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)],
  ['br', promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress)],
]);

/** @returns null for what is too long, packed or unpacked */
async function decompress(encoding: string, bytes: Buffer | null): Promise<Buffer | null> {
  if (bytes === null || encoding === '' || encoding === 'identity') return bytes;
  const unpack = decompressors.get(encoding);
  if (!unpack) throw new DomainError('unsupported_media_type', { expected_encodings: [...decompressors.keys()] });
  try {
    return await unpack(bytes, { maxOutputLength: maxJsonBytes });
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') return null;
    throw new DomainError('malformed_json', undefined, undefined, { cause: error });
  }
}

/** Takes whatever comes and refuses nothing; what is too long or no text is dropped. */
async function readRaw(ctx: Context): Promise<string> {
  const bytes = await readBytes(ctx, maxRawBytes);
  return bytes === null ? '' : bytes.toString('utf8').replaceAll('\u0000', '');
}

/** @returns null for a body of more than `maxBytes`, which is told from its announced length where it has one; and for one of crumbs */
async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = ctx.request.length ?? 0;
  let isCrumbs = false;
  if (length <= maxBytes) {
    length = 0;
    const comesInCrumbs = watchCrumbs(ctx.req);
    // Stopping early must not take the connection down: the answer still has to go out on it.
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      isCrumbs = comesInCrumbs(length);
      if (length > maxBytes || isCrumbs) break;
      chunks.push(chunk);
    }
  }
  await leaveUnread(ctx.req);
  return length > maxBytes || isCrumbs ? null : Buffer.concat(chunks);
}

/**
 * What was not read must leave the connection before the next request comes over it; who sends without end is cut off. Where the sender wants
 * the connection closed, as proxies do, Node closes it as soon as the answer is out: a rest under way would meet the end of it, and the
 * sender an error in place of the answer. So the answer waits for the rest as long as it comes; the server's `requestTimeout` ends the slowest.
 */
async function leaveUnread(request: IncomingMessage): Promise<void> {
  if (request.complete) return;
  let length = 0;
  const comesInCrumbs = watchCrumbs(request);
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxUnreadBytes || comesInCrumbs(length)) request.socket.destroy();
  });
  request.resume();
  if (/\bclose\b/i.test(request.headers.connection ?? '')) await endOrSilence(request);
}

async function endOrSilence(request: IncomingMessage): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), mostSilenceMs);
  const listen = (): void => void timer.refresh();
  request.on('data', listen);
  // Gone, cut off or silent: the answer goes out either way.
  await finished(request, { signal: silence.signal }).catch(() => undefined);
  request.off('data', listen);
  clearTimeout(timer);
}
