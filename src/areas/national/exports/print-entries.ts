import QRCode from 'qrcode';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { ArchiveEntry } from '../../../platform/archive/stream-archive.ts';
import { errorName } from '../../../platform/error-code.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { verificationUrl } from '../../applications/index.ts';
import type { ExportProblem } from '../lists/fitness.ts';
import type { ExportParts, PrintedRecord } from './export-parts.ts';
import type { Progress } from './progress.ts';
import type { ExportRow, UnfitRecord } from './queries.ts';
import { photoName, qrName } from './sheets.ts';

/** A converted photo has no more pixels than these, so that 200 of them stay within the 300 MB; printed they are 10 by 13 cm. */
const mostPixels = { width: 1200, height: 1600 };
/** Of white around a QR, as its readers need it; and pixels of a module's side: whole ones, so that every edge is sharp. */
const [quietModules, pixelsOfModule] = [4, 10];
/** A record is rested after as long as it took, so that hundreds of them leave half of a core to whoever waits; milliseconds at the most. */
const longestRestMs = 50;

/** What is made is kept part by part: so much is held at once, and made again where a worker dies; the last photo comes on top. */
const mostOfPart = { records: 10, bytes: 8 * 1024 * 1024 };

/** Records of an export that turned out to be at fault while its file was made. */
export class UnfitRecordsError extends Error {
  readonly records: readonly UnfitRecord[];
  constructor(records: readonly UnfitRecord[]) {
    super(`${records.length} records cannot be exported`);
    this.name = 'UnfitRecordsError';
    this.records = records;
  }
}

/** What an archive is made of. */
interface Print {
  rows: readonly ExportRow[];
  sheet: Buffer;
  /** The public address, for the QR. */
  siteUrl: string;
}

/** How it is made, with other tries before and behind. */
interface Making {
  parts: ExportParts;
  progress: Pick<Progress, 'reach'>;
  /** To stop between two records. */
  signal: AbortSignal;
}

/**
 * What a print archive holds, one after the other: the sheet, then the photo and the QR of each record. What was kept of a try before is not
 * made again. When a photo is at fault the others are looked at all the same, so that all problems are told at once.
 * @throws {UnfitRecordsError} at the end; whatever else fails may pass
 */
export async function* printEntries(
  storage: Pick<Storage, 'get'>,
  { rows, sheet, siteUrl }: Print,
  { parts, progress, signal }: Making,
): AsyncGenerator<ArchiveEntry> {
  yield { name: 'document.xlsx', bytes: sheet };
  let made = 0;
  for await (const records of parts.read()) {
    signal.throwIfAborted();
    yield* entriesOf(rows.slice(made), records);
    made += records.length;
    await setTimeout(longestRestMs);
  }
  const unfit: UnfitRecord[] = [];
  let part: PrintedRecord[] = [];
  for (const [index, { applicationId: id, number, token, photo }] of rows.entries()) {
    if (index < made) continue;
    signal.throwIfAborted();
    const startedAt = performance.now();
    const read = await readPhoto(storage, photo);
    await progress.reach(index + 1);
    if (typeof read === 'string') unfit.push({ id, number, problems: [read] });
    if (typeof read === 'string' || unfit.length > 0) continue;
    part.push({ photo: read, qr: await drawQr(verificationUrl(siteUrl, token)) });
    if (isFull(part) || index === rows.length - 1) {
      await parts.keep(made, part);
      yield* entriesOf(rows.slice(made), part);
      made = index + 1;
      part = [];
    }
    await setTimeout(Math.min(performance.now() - startedAt, longestRestMs));
  }
  if (unfit.length > 0) throw new UnfitRecordsError(unfit);
}

function isFull(part: readonly PrintedRecord[]): boolean {
  return part.length >= mostOfPart.records || part.reduce((sum, { photo }) => sum + photo.length, 0) >= mostOfPart.bytes;
}

function* entriesOf(rows: readonly ExportRow[], records: readonly PrintedRecord[]): Generator<ArchiveEntry> {
  for (const [index, { photo, qr }] of records.entries()) {
    const number = rows[index]?.number ?? '';
    yield { name: photoName(number), bytes: photo };
    yield { name: qrName(number), bytes: qr };
  }
}

/** The photo as a JPEG; one that was uploaded as a JPEG stays byte for byte as it is. @returns what is wrong with it, otherwise */
async function readPhoto(storage: Pick<Storage, 'get'>, photo: ExportRow['photo']): Promise<Buffer | ExportProblem> {
  if (photo === null) return 'photo_missing';
  const bytes = await read(storage, photo.storageKey);
  if (bytes === null) return 'photo_missing';
  // What was uploaded was opened and found to be a picture.
  if (createHash('sha256').update(bytes).digest('hex') !== photo.sha256) return 'photo_unreadable';
  if (photo.mime === 'image/jpeg') return bytes;
  const { default: sharp } = await import('sharp');
  return sharp(bytes)
    .resize({ ...mostPixels, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 90 })
    .toBuffer()
    .catch(() => 'photo_unreadable' as const);
}

async function read(storage: Pick<Storage, 'get'>, key: string): Promise<Buffer | null> {
  try {
    return await buffer(await storage.get(key));
  } catch (error) {
    if (errorName(error) === 'StorageObjectMissingError') return null;
    throw error;
  }
}

/** Drawn by sharp: the PNG of the QR library itself takes 60 ms of the event loop, this one three. */
async function drawQr(url: string): Promise<Buffer> {
  // An address is bytes from end to end.
  const { modules } = QRCode.create([{ data: Buffer.from(url), mode: 'byte' }], { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * quietModules;
  const pixels = Buffer.alloc(side * side, 255);
  for (let row = 0; row < modules.size; row += 1)
    for (let column = 0; column < modules.size; column += 1)
      if (modules.get(row, column)) pixels[(row + quietModules) * side + column + quietModules] = 0;
  const { default: sharp } = await import('sharp');
  return sharp(pixels, { raw: { width: side, height: side, channels: 1 } })
    .resize(side * pixelsOfModule, side * pixelsOfModule, { kernel: 'nearest' })
    .png()
    .toBuffer();
}
