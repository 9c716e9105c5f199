import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DomainError } from '../../../errors.ts';
import { streamArchive, zipMime } from '../../../platform/archive/stream-archive.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Caller } from '../../../platform/commands/context.ts';
import { dayOf } from '../../../platform/time/date-time.ts';
import { errorName } from '../../../platform/logging/error-code.ts';
import type { Platform } from '../../../platform/platform.ts';
import { streamSpreadsheet, xlsxMime } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { spool } from '../../../platform/storage/spool.ts';
import { keepMadeFile, type MadeMime } from '../../files/index.ts';
import type { ExportList } from '../lists/fitness.ts';
import { failExport, finishExport } from './finish-export.ts';
import { qrTextOf } from '../../applications/index.ts';
import { printEntries, type UnfitRecordsError } from './print-entries.ts';
import { trackProgress } from './progress.ts';
import { type ExportRecord, type ExportRow, findExport, listExportRows, type UnfitRecord } from './queries.ts';
import { findUnfit } from './request-export.ts';
import { exportColumns, sheetTitles } from './sheets.ts';

const mimes: Record<ExportList, MadeMime> = { insurance: xlsxMime, print: zipMime };

/**
 * Builds the file of an export, then stores it with the marks and the status in one transaction.
 *
 * Idempotent: an export that has ended stays unchanged, and the first of two concurrent attempts wins. An interrupted attempt leaves no
 * partial file; the next one starts again. Unfit records (NAT-4) and lost or damaged photos (NAT-9) fail the export.
 * @param caller the process
 * @param signal stops the work between two records
 * @throws {DomainError} not_found. Any other error is temporary and may be retried
 */
export async function buildExport(platform: Platform, caller: Caller, id: number, signal: AbortSignal): Promise<void> {
  const facts = await query(platform, async (db) => {
    const record = await findExport(db, id);
    if (record === null) return null;
    const rows = await listExportRows(db, id);
    const numbers = new Map(rows.map(({ applicationId, number }) => [applicationId, number]));
    return { record, rows, unfit: await findUnfit({ db }, record.list, [...numbers.keys()], numbers) };
  });
  if (facts === null) throw new DomainError('not_found');
  const { record, rows, unfit } = facts;
  if (record.status !== 'pending') return;
  const failed = unfit.length > 0 ? unfit : await createFile(platform, caller, record, rows, signal);
  if (failed.length === 0) return;
  await commit(platform, caller, (ctx) => failExport(ctx, id, failed));
}

/** @returns the records that prevent the file; empty when it was created */
async function createFile(
  platform: Platform,
  caller: Caller,
  { id, list, administratorId: ownerId, fileId, requestedAt }: ExportRecord,
  rows: readonly ExportRow[],
  signal: AbortSignal,
): Promise<readonly UnfitRecord[]> {
  const sheet = await streamSheet(list, rows, requestedAt);
  const progress = trackProgress(platform, id);
  const printed = async () => {
    const print = { rows, sheet: await buffer(sheet), qrTextOf: ({ applicationId }: ExportRow) => qrTextOf(platform, applicationId) };
    return streamArchive(printEntries(platform.storage, print, { progress, signal }), requestedAt);
  };
  try {
    const content = list === 'insurance' ? sheet : await printed();
    await spool(content, async ({ size, sha256, open }) => {
      const name = `national-${list}-${dayOf(requestedAt)}-${id}.${list === 'insurance' ? 'xlsx' : 'zip'}`;
      const file = { id: fileId, ownerId, purpose: `national_${list}`, name, mime: mimes[list], size, sha256 };
      const opened = () => progress.follow(open(), rows.length);
      await keepMadeFile(platform, caller, file, opened, (ctx) => finishExport(ctx, id, { size, sha256 }));
    });
    return [];
  } catch (error) {
    if (isUnfitRecords(error)) return error.records;
    throw error;
  }
}

/** Streams the XLSX sheet of a list; without rows it is the list's template. */
export function streamSheet(list: ExportList, rows: readonly ExportRow[], at: Date): Promise<Readable> {
  const columns = exportColumns[list];
  const cells = rows.map((row) => columns.map((column) => column.valueOf(row)));
  const pages = async function* () {
    if (cells.length > 0) yield cells;
  };
  return streamSpreadsheet([{ name: sheetTitles[list], columns, pages }], at);
}

function isUnfitRecords(error: unknown): error is UnfitRecordsError {
  return errorName(error) === 'UnfitRecordsError';
}
