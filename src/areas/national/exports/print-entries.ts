import QRCode from 'qrcode';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ArchiveEntry } from '../../../platform/archive/stream-archive.ts';
import { correctionLevelOf } from '../../../platform/pdf/draw-qr.ts';
import { readObject, type Storage } from '../../../platform/storage/storage.ts';
import type { ExportProblem } from '../lists/fitness.ts';
import type { Progress } from './progress.ts';
import type { ExportRow, UnfitRecord } from './queries.ts';
import { photoName, qrName } from './sheets.ts';

/** Size limit of a converted photo, so that 200 of them stay within 300 MB; printed it is 10 by 13 cm. */
const mostPixels = { width: 1200, height: 1600 };
/** The quiet zone that QR readers need, in modules, and the side of a module in pixels; whole pixels keep edges sharp. */
const [quietModules, pixelsOfModule] = [4, 10];
/** Longest pause after a record, milliseconds. The pause equals the time the record took, so other work keeps half of a core. */
const longestRestMs = 50;

/** Records that were found unfit during the export. */
export class UnfitRecordsError extends Error {
  readonly records: readonly UnfitRecord[];
  constructor(records: readonly UnfitRecord[]) {
    super(`${records.length} records cannot be exported`);
    this.name = 'UnfitRecordsError';
    this.records = records;
  }
}

/**
 * Yields the entries of a print archive: the sheet, then the photo of the issue and the QR of each record (NAT-9).
 *
 * Holds one record in memory at a time. After a faulty photo it still checks the others, to report all problems at once.
 * @param qrTextOf returns the content of a record's QR
 * @param signal stops the work between two records
 * @throws {UnfitRecordsError} at the end; any other error is temporary and may be retried
 */
export async function* printEntries(
  storage: Pick<Storage, 'get'>,
  { rows, sheet, qrTextOf }: { rows: readonly ExportRow[]; sheet: Buffer; qrTextOf: (row: ExportRow) => Promise<string> },
  { progress, signal }: { progress: Pick<Progress, 'reach'>; signal: AbortSignal },
): AsyncGenerator<ArchiveEntry> {
  yield { name: 'document.xlsx', bytes: sheet };
  const unfit: UnfitRecord[] = [];
  for (const [index, row] of rows.entries()) {
    const { applicationId: id, number, photo } = row;
    signal.throwIfAborted();
    const startedAt = performance.now();
    const read = await readPhoto(storage, photo);
    await progress.reach(index + 1);
    if (typeof read === 'string') unfit.push({ id, number, problems: [read] });
    else if (unfit.length === 0) {
      yield { name: photoName(number), bytes: read };
      yield { name: qrName(number), bytes: await drawQr(await qrTextOf(row)) };
    }
    await setTimeout(Math.min(performance.now() - startedAt, longestRestMs));
  }
  if (unfit.length > 0) throw new UnfitRecordsError(unfit);
}

/** Reads the photo as a JPEG; an uploaded JPEG keeps its bytes. @returns the problem code when it cannot be used */
async function readPhoto(storage: Pick<Storage, 'get'>, photo: ExportRow['photo']): Promise<Buffer | ExportProblem> {
  if (photo === null) return 'photo_missing';
  const bytes = await readObject(storage, photo.storageKey);
  if (bytes === null) return 'photo_missing';
  // The upload was decoded as an image, so a photo with the same hash is readable.
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

/** Draws with sharp: it takes 3 ms of the event loop, the PNG encoder of the QR library 60 ms. */
async function drawQr(url: string): Promise<Buffer> {
  // A URL is encoded as one segment of bytes.
  const { modules } = QRCode.create([{ data: Buffer.from(url), mode: 'byte' }], { errorCorrectionLevel: correctionLevelOf(url) });
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
