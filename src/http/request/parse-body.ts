import type { Context, Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { DomainError } from '../../errors.ts';
import { announcesBody, untilRefused } from '../connections/bound-bodies.ts';
import type { BodyKind } from '../define-route.ts';
import { digestUpload, type FileDigest, type UploadedFile, withUpload } from './read-upload.ts';

/** Parsed in less than 100 ms, whatever it holds. */
export const maxJsonBytes = 256 * 1024;
const maxRawBytes = 16 * 1024;

/** The file of a multipart body, in the form that the route needs. */
export interface SentFile {
  upload: UploadedFile | null;
  digest: FileDigest | null;
}
const noFile: SentFile = { upload: null, digest: null };

/**
 * Reads the body as its route defines, after authentication: bodies of other callers are never read.
 * @throws {DomainError} malformed_json, unsupported_media_type, payload_too_large, validation_failed (see `withUpload`)
 */
export async function withBody<T>(
  ctx: Context,
  kind: BodyKind,
  mayHaveBody: boolean,
  work: (body: unknown, file: SentFile) => Promise<T>,
): Promise<T> {
  if (kind === 'ignored' || !mayHaveBody) return work(undefined, noFile);
  if (kind === 'raw') return work(await readRaw(ctx), noFile);
  if (kind === 'json') return work(announcesBody(ctx.req) ? await readJson(ctx) : undefined, noFile);
  if (!ctx.is('multipart/form-data')) throw new DomainError('unsupported_media_type', { expected: ['multipart/form-data'] });
  if (kind === 'upload') return withUpload(ctx.req, ({ fields, file }) => work(fields, { ...noFile, upload: file }));
  const { fields, file } = await digestUpload(ctx.req);
  return work(fields, { ...noFile, digest: file });
}

const shared = { parsedMethods: Object.values(HttpMethodEnum), urlencoded: false };
const jsonReader = koaBody({
  ...shared,
  text: false,
  jsonTypes: ['application/json'],
  jsonStrict: false,
  jsonLimit: maxJsonBytes,
  includeUnparsed: true,
  onError: (error) => {
    if (isTooLarge(error)) throw new DomainError('payload_too_large', { max_bytes: maxJsonBytes });
    throw error instanceof SyntaxError ? new DomainError('malformed_json') : error;
  },
});
const rawReader = koaBody({
  ...shared,
  json: false,
  textTypes: ['*/*'],
  textLimit: maxRawBytes,
  onError: (error, ctx) => {
    if (!isTooLarge(error)) throw error;
    ctx.request.body = '';
  },
});

function isTooLarge(error: Error): boolean {
  return 'status' in error && error.status === 413;
}

/**
 * Reads any JSON value; the schema decides whether the route accepts it. JSON is UTF-8 (RFC 8259 §8.1): of other bytes, replacement
 * characters would be stored.
 */
async function readJson(ctx: Context): Promise<unknown> {
  if (ctx.get('content-encoding') !== '') throw new DomainError('unsupported_media_type', undefined, 'A body must not be compressed here.');
  await read(ctx, jsonReader);
  const { body, rawBody } = ctx.request;
  if (rawBody === undefined) throw new DomainError('unsupported_media_type', { expected: ['application/json'] });
  if (rawBody.includes('\ufffd')) throw new DomainError('malformed_json', undefined, 'The body is not valid JSON: it is not UTF-8.');
  return rawBody === '' ? undefined : body;
}

/** Reads any text; empty when it is too long or compressed. */
async function readRaw(ctx: Context): Promise<string> {
  if (ctx.get('content-encoding') !== '') return '';
  // Without a type, the library would not read it.
  ctx.req.headers['content-type'] ??= 'text/plain';
  await read(ctx, rawReader);
  const { body } = ctx.request;
  return typeof body === 'string' ? body.replaceAll('\u0000', '') : '';
}

/** @throws {DomainError} payload_too_large for a body of tiny chunks */
function read(ctx: Context, reader: Middleware): Promise<void> {
  return untilRefused(
    ctx.req,
    reader(ctx, () => Promise.resolve()),
  );
}
