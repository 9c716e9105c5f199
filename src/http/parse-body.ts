import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import type { File } from 'formidable';
import { DomainError, fieldProblem } from '../errors.ts';
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

const parseJson = koaBody({
  json: true,
  jsonTypes: ['application/json'],
  jsonLimit: maxJsonBytes,
  text: false,
  urlencoded: false,
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
  patchNode: false,
});
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
    await parse(parseJson, ctx, maxJsonBytes);
    return work(ctx.request.body, null);
  }
  if (!ctx.is('multipart/form-data')) throw new DomainError('unsupported_media_type', { expected: ['multipart/form-data'] });
  try {
    await parse(parseUpload, ctx, maxUploadBytes);
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

/** Takes whatever comes and refuses nothing; what is too long or no text is dropped. */
async function readRaw(ctx: Context): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Stopping early must not take the connection down: the answer still has to go out on it.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxRawBytes) break;
    chunks.push(chunk);
  }
  // What was not read must leave the connection before the next request comes over it.
  ctx.req.resume();
  return length > maxRawBytes ? '' : Buffer.concat(chunks).toString('utf8').replaceAll('\u0000', '');
}

async function parse(parser: (ctx: Context, next: Next) => Promise<unknown>, ctx: Context, maxBytes: number): Promise<void> {
  try {
    await parser(ctx, async () => undefined);
  } catch (error) {
    throw refusalOf(error, maxBytes);
  }
}

function refusalOf(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  const status = 'httpCode' in error ? error.httpCode : 'status' in error ? error.status : undefined;
  if ('code' in error && error.code === tooManyFiles) return fieldProblem('body.file', 'too_many', 'one request takes one file');
  if (status === 413) return new DomainError('payload_too_large', { max_bytes: maxBytes });
  if (status === 415) return new DomainError('unsupported_media_type');
  if (status === 400 && error instanceof SyntaxError) return new DomainError('malformed_json');
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
