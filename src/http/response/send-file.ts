import contentDisposition from 'content-disposition';
import { parse } from 'range-parser';
import { DomainError } from '../../errors.ts';
import { errorName } from '../../platform/logging/error-code.ts';
import type { ByteRange, Storage } from '../../platform/storage/storage.ts';
import { withoutSurrounding, withoutTrailing } from '../../platform/text.ts';
import { body, type Reply } from './reply.ts';

/** A stored object and how to send it. */
export interface FileToSend {
  storage: Pick<Storage, 'get'>;
  key: string;
  /** Bytes. */
  size: number;
  /** Hex; the strong entity tag, because equal bytes have equal hashes. */
  sha256: string;
  mime: string;
  /** File name for the client; any text, made safe here. */
  name: string;
  /** True: download (`attachment`). False: show (`inline`). */
  download: boolean;
  /** The request's headers, by name. */
  header(name: string): string | undefined;
}

/** Further statuses that a route with `sendFile` publishes. */
export const fileStatuses = [
  { status: 206, description: 'A part of the file' },
  { status: 304, description: 'The file has not changed' },
] as const;

/**
 * Answers a stored file, whole or in part, or 304 for a matching tag (RFC 9110 §13-14). Streams without buffering. A request for several
 * ranges gets the whole file, as RFC 9110 §14.2 allows.
 * @throws {DomainError} range_not_satisfiable; service_unavailable when the storage lacks the object
 */
export async function sendFile(file: FileToSend): Promise<Reply<never>> {
  const etag = `"${file.sha256}"`;
  const validators = {
    ETag: etag,
    // Files are personal, so no cache may store them (ASVS 14.3.2). A client may validate its own copy by tag.
    'Cache-Control': 'no-store',
    'Accept-Ranges': 'bytes',
  };
  if (matchesEntityTag(file.header('if-none-match'), etag)) return body(null, validators, 304);

  const range = mayAnswerInPart(file.header('if-range'), etag) ? parseRange(file.header('range'), file.size) : 'whole';
  if (range === 'unsatisfiable') throw new DomainError('range_not_satisfiable', { size: file.size });
  const headers = {
    ...validators,
    'Content-Type': file.mime,
    'Content-Disposition': contentDisposition(safeFileName(file.name, file.mime), { type: file.download ? 'attachment' : 'inline' }),
    // A browser must not run scripts of an upload.
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  };
  if (range === 'whole') return body(await open(file), { ...headers, 'Content-Length': String(file.size) });
  return body(
    await open(file, range),
    {
      ...headers,
      'Content-Length': String(range.end - range.start + 1),
      'Content-Range': `bytes ${range.start}-${range.end}/${file.size}`,
    },
    206,
  );
}

async function open(file: FileToSend, range?: ByteRange) {
  try {
    return await file.storage.get(file.key, range);
  } catch (error) {
    const isOfStorage = errorName(error) === 'StorageObjectMissingError' || errorName(error) === 'StorageUnavailableError';
    throw isOfStorage ? new DomainError('service_unavailable', undefined, undefined, { cause: error }) : error;
  }
}

/** `If-None-Match`: a list of tags, weak or strong, or `*` (RFC 9110 §13.1.2: compared weakly). */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Checks `If-Range`: a part is useful only for the same file. Dates never match, because files have none. */
function mayAnswerInPart(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === etag;
}

/**
 * Parses `Range` for a file of `size` bytes, at least one. An invalid range and several ranges (RFC 9110 §14.2) mean the whole file; a range
 * outside the file is unsatisfiable.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const { type, code, ranges } = parse(size, header ?? '');
  if (type !== 'bytes') return 'whole';
  const [range] = ranges;
  if (code === unsatisfiable && !range) return 'unsatisfiable';
  return code === 0 && range && ranges.length === 1 ? range : 'whole';
}

/** Code of `range-parser` for ranges that are valid and outside the file. */
const unsatisfiable = 2;

const extensions: Record<string, readonly [string, ...string[]]> = {
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/png': ['.png'],
  'image/webp': ['.webp'],
  'application/pdf': ['.pdf'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx'],
  'application/zip': ['.zip'],
};
const maxNameLength = 200;
/** Characters of a given name that are read; the result is cut to `maxNameLength`. */
const maxGivenNameLength = 1_000;
const blanksAndDots = '. ';

/**
 * Returns a name that every file system accepts and that does not hide the type: no folders, control characters or bidirectional controls,
 * and always the extension of its type.
 */
export function safeFileName(name: string, mime: string): string {
  const [extension, ...others] = extensions[mime] ?? [''];
  const readable = name
    .slice(0, maxGivenNameLength)
    .toWellFormed()
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_');
  const plain = withoutSurrounding(readable, blanksAndDots);
  const hasExtension = [extension, ...others].some((known) => plain.toLowerCase().endsWith(known) && plain.length > known.length);
  const stem = withoutTrailing([...(plain || 'file')].slice(0, maxNameLength).join(''), blanksAndDots);
  if (hasExtension && stem === plain) return plain;
  return `${stem}${extension}`;
}
