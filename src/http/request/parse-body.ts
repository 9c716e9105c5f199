import type { Context } from 'koa';
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { DomainError, fieldProblem } from '../../errors.ts';
import { errorCode } from '../../platform/logging/error-code.ts';
import { announcesBody, readChunks } from '../connections/bound-bodies.ts';
import type { BodyKind } from '../define-route.ts';
import { digestUpload, type FileDigest, type UploadedFile, withUpload } from './read-upload.ts';

export const maxJsonBytes = 1024 * 1024;
/** Far above what any request needs. */
const maxJsonDepth = 100;
const maxJsonContainers = 10_000;
/** A batch of 100 registrations with vehicles has about 3,000. */
const maxJsonKeys = 10_000;
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
  if (kind === 'json') {
    if (!announcesBody(ctx.req)) return work(undefined, noFile);
    if (!ctx.is('application/json')) throw new DomainError('unsupported_media_type', { expected: ['application/json'] });
    return work(await readJson(ctx), noFile);
  }
  if (!ctx.is('multipart/form-data')) throw new DomainError('unsupported_media_type', { expected: ['multipart/form-data'] });
  if (kind === 'upload') return withUpload(ctx.req, ({ fields, file }) => work(fields, { ...noFile, upload: file }));
  const { fields, file } = await digestUpload(ctx.req);
  return work(fields, { ...noFile, digest: file });
}

/**
 * Reads any JSON value; the schema decides whether the route accepts it. JSON is UTF-8 (RFC 8259 §8.1): other bytes would be stored as
 * replacement characters.
 */
async function readJson(ctx: Context): Promise<unknown> {
  const bytes = await decompress(ctx.get('content-encoding').toLowerCase(), await readBytes(ctx, maxJsonBytes));
  if (bytes === null) throw new DomainError('payload_too_large', { max_bytes: maxJsonBytes });
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new DomainError('malformed_json', undefined, 'The body is not valid JSON: it is not UTF-8.');
  const { depth, containers, keys } = measureJson(bytes);
  if (depth > maxJsonDepth) throw fieldProblem('body', 'too_deep', 'is nested too deeply');
  if (containers > maxJsonContainers) throw fieldProblem('body', 'too_big', `has more than ${maxJsonContainers} objects and lists`);
  if (keys > maxJsonKeys) throw fieldProblem('body', 'too_big', `has more than ${maxJsonKeys} fields`);
  try {
    // Drops a byte order mark, as RFC 8259 permits.
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

/** @returns null when it is too long, compressed or decompressed */
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

/**
 * Reads any text; empty when it is too long or not text.
 * @throws {DomainError} payload_too_large for a body of tiny chunks
 */
async function readRaw(ctx: Context): Promise<string> {
  const bytes = await readBytes(ctx, maxRawBytes);
  return bytes === null ? '' : bytes.toString('utf8').replaceAll('\u0000', '');
}

/**
 * @returns null for a body of more than `maxBytes`, by its announced length if any
 * @throws {DomainError} payload_too_large for a body of tiny chunks
 */
async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer | null> {
  if ((ctx.request.length ?? 0) > maxBytes) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of readChunks(ctx.req)) {
    length += piece.length;
    if (length > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Structure of a JSON text, measured from its bytes. */
export interface JsonMeasure {
  /** Nesting of objects and lists. */
  depth: number;
  /** Objects and lists in total. */
  containers: number;
  /** Field names in all objects together. */
  keys: number;
}

const [quote, backslash, colon, openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('"\\:{}[]')];

/**
 * Measures a JSON text before parsing: a megabyte of brackets or of distinct fields costs the parser many times more than other text. One
 * pass takes a few milliseconds. Does not check the syntax.
 */
export function measureJson(bytes: Uint8Array): JsonMeasure {
  let open = 0;
  let depth = 0;
  let containers = 0;
  let keys = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === colon) keys += 1;
    else if (byte === openBrace || byte === openBracket) {
      open += 1;
      containers += 1;
      if (open > depth) depth = open;
    } else if (byte === closeBrace || byte === closeBracket) open -= 1;
  }
  return { depth, containers, keys };
}
