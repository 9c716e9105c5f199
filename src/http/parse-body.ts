import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import type { File } from 'formidable';
import { DomainError, fieldProblem } from '../errors.ts';
import { errorCode } from '../platform/error-code.ts';
import type { BodyKind } from './define-route.ts';

/** At most 20 MB a file (service.md "Limits"). */
export const maxUploadBytes = 20 * 1024 * 1024;
const maxJsonBytes = 1024 * 1024;
const maxRawBytes = 16 * 1024;

/** An upload as it lies in a temporary file; removed when the request ends, whatever became of it. */
export interface UploadedFile {
  path: string;
  size: number;
  /** The name the client gave: shown to its owner, believed by nobody. */
  originalName: string;
}

const parseUpload = koaBody({
  json: false,
  text: false,
  urlencoded: false,
  multipart: true,
  patchNode: false,
  formidable: {
    uploadDir: tmpdir(),
    filename: () => `registry-upload-${randomUUID()}`,
    maxFiles: 1,
    maxFields: 10,
    maxFieldsSize: 16 * 1024,
    maxFileSize: maxUploadBytes,
    maxTotalFileSize: maxUploadBytes,
    allowEmptyFiles: true,
    minFileSize: 0,
  },
});

/**
 * Reads the body as its route says, after the caller was let in: a stranger's bytes are never read.
 * @throws {DomainError} malformed_json, unsupported_media_type, payload_too_large, validation_failed (more than one file)
 */
export async function withBody<T>(
  ctx: Context,
  kind: BodyKind,
  mayHaveBody: boolean,
  work: (body: unknown, upload: UploadedFile | null) => Promise<T>,
): Promise<T> {
  const hasBody = ctx.request.length !== undefined ? ctx.request.length > 0 : ctx.get('transfer-encoding') !== '';
  if (kind === 'ignored' || !mayHaveBody) return work(undefined, null);
  if (kind === 'raw') return work(await readRaw(ctx), null);
  if (kind === 'json') {
    if (!hasBody) return work(undefined, null);
    if (!ctx.is('application/json')) throw new DomainError('unsupported_media_type', { expected: ['application/json'] });
    return work(await readJson(ctx), null);
  }
  if (!ctx.is('multipart/form-data')) throw new DomainError('unsupported_media_type', { expected: ['multipart/form-data'] });
  try {
    await parseMultipart(ctx);
    const files = Object.entries(ctx.request.files ?? {}).flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).map((file) => ({ field, file })),
    );
    const stray = files.find(({ field }) => field !== 'file');
    if (stray) throw fieldProblem(`body.${stray.field}`, 'unknown_field', 'there is no such field; the file goes into "file"');
    const [first] = files;
    const upload = first ? { path: first.file.filepath, size: first.file.size, originalName: first.file.originalFilename ?? '' } : null;
    return await work(ctx.request.body ?? {}, upload);
  } finally {
    await removeTemporaryFiles(ctx);
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

/** @returns null for a body of more than `maxBytes` */
async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Stopping early must not take the connection down: the answer still has to go out on it.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) break;
    chunks.push(chunk);
  }
  // What was not read must leave the connection before the next request comes over it.
  ctx.req.resume();
  return length > maxBytes ? null : Buffer.concat(chunks);
}

async function parseMultipart(ctx: Context): Promise<void> {
  try {
    await parseUpload(ctx, async () => undefined);
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const status = 'httpCode' in error ? error.httpCode : 'status' in error ? error.status : undefined;
  if ('code' in error && error.code === tooManyFiles) return fieldProblem('body.file', 'too_many', 'one request takes one file');
  if (status === 413) return new DomainError('payload_too_large', { max_bytes: maxUploadBytes });
  if (status === 415) return new DomainError('unsupported_media_type');
  // formidable: too many files or fields, or a body that is not multipart at all.
  if (typeof status === 'number' && status < 500) return fieldProblem('body', 'malformed_upload', error.message);
  return error;
}

/** formidable's own number for it; its status would be 413. */
const tooManyFiles = 1015;

async function removeTemporaryFiles(ctx: Context): Promise<void> {
  const files = Object.values(ctx.request.files ?? {}).flat() as File[];
  await Promise.all(files.map((file) => rm(file.filepath, { force: true })));
}
