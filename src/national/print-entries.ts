import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import QRCode from 'qrcode';
import { verificationUrl } from '../applications/index.ts';
import type { ArchiveEntry } from '../platform/archive/stream-archive.ts';
import { errorName } from '../platform/error-code.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { ExportRow, UnfitRecord } from './export-queries.ts';
import { photoName, qrName } from './export-sheets.ts';
import type { ExportProblem } from './fitness.ts';
import type { Progress } from './progress.ts';

/** A converted photo has no more pixels than these, so that 200 of them stay within the 300 MB; printed they are 10 by 13 cm. */
const mostPixels = { width: 1200, height: 1600 };
/** Of white around a QR, as its readers need it; and pixels of a module's side: whole ones, so that every edge is sharp. */
const [quietModules, pixelsOfModule] = [4, 10];
/** A record is rested after as long as it took, so that hundreds of them leave half of a core to whoever waits; milliseconds at the most. */
const longestRestMs = 50;

/** Records of an export that turned out to be at fault while its file was made. */
export class UnfitRecordsError extends Error {
  readonly records: readonly UnfitRecord[];
  constructor(records: readonly UnfitRecord[]) {
    super(`${records.length} records cannot be exported`);
    this.name = 'UnfitRecordsError';
    this.records = records;
  }
}

/**
 * What a print archive holds, one after the other: the sheet, then the photo and the QR of each record. When a photo is at fault the others
 * are looked at all the same, so that all problems are told at once.
 * @param siteUrl the public address, for the QR
 * @throws {UnfitRecordsError} at the end; whatever else fails may pass
 */
export async function* printEntries(
  storage: Pick<Storage, 'get'>,
  { rows, sheet, siteUrl, progress }: { rows: readonly ExportRow[]; sheet: Buffer; siteUrl: string; progress: Pick<Progress, 'reach'> },
): AsyncGenerator<ArchiveEntry> {
  yield { name: 'document.xlsx', bytes: sheet };
  const unfit: UnfitRecord[] = [];
  for (const [index, { applicationId: id, number, token, photo }] of rows.entries()) {
    const startedAt = performance.now();
    const read = await readPhoto(storage, photo);
    await progress.reach(index + 1);
    if (typeof read === 'string') unfit.push({ id, number, problems: [read] });
    if (typeof read === 'string' || unfit.length > 0) continue;
    yield { name: photoName(number), bytes: read };
    yield { name: qrName(number), bytes: await drawQr(verificationUrl(siteUrl, token)) };
    await setTimeout(Math.min(performance.now() - startedAt, longestRestMs));
  }
  if (unfit.length > 0) throw new UnfitRecordsError(unfit);
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
