import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { baseUrl } from '../config.ts';
import { DomainError } from '../errors.ts';
import { keepMadeFile } from '../files/index.ts';
import type { MadeMime } from '../files/index.ts';
import { streamArchive, zipMime } from '../platform/archive/stream-archive.ts';
import { commit, query } from '../platform/command.ts';
import type { Caller } from '../platform/context.ts';
import { dayOf } from '../platform/date-time.ts';
import { errorName } from '../platform/error-code.ts';
import type { Platform } from '../platform/platform.ts';
import { streamSpreadsheet, xlsxMime } from '../platform/spreadsheet/stream-spreadsheet.ts';
import { spool } from '../platform/storage/spool.ts';
import type { NationalExport } from './entities.ts';
import { findExport, listExportRows } from './export-queries.ts';
import type { ExportRow, UnfitRecord } from './export-queries.ts';
import { exportColumns, sheetTitles } from './export-sheets.ts';
import { failExport, finishExport } from './finish-export.ts';
import type { ExportList } from './lists.ts';
import { printEntries } from './print-entries.ts';
import type { UnfitRecordsError } from './print-entries.ts';
import { noteProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { judge } from './request-export.ts';

const mimes: Record<ExportList, MadeMime> = { insurance: xlsxMime, print: zipMime };

/**
 * Makes the file of an export and lets it appear, once and for good: the file, the marks and the state come about in one transaction, and of
 * two makers at once the first counts. An export that has ended stays as it is. Whoever dies in the middle leaves no half file: the next try
 * begins anew. Records that fit no more, and photos that are lost or broken, end the export as failed.
 * @param caller the process
 * @throws {DomainError} not_found. Whatever else fails may pass
 */
export async function buildExport(platform: Platform, caller: Caller, id: number): Promise<void> {
  const facts = await query(platform, async (db) => {
    const record = await findExport(db, id);
    if (record === null) return null;
    const rows = await listExportRows(db, id);
    const numbers = new Map(rows.map(({ applicationId, number }) => [applicationId, number]));
    return { made: record.made, rows, unfit: await judge({ db }, record.made.list, [...numbers.keys()], numbers) };
  });
  if (facts === null) throw new DomainError('not_found');
  const { made, rows, unfit } = facts;
  if (made.status !== 'pending') return;
  const failed = unfit.length > 0 ? unfit : await make(platform, caller, made, rows);
  if (failed.length > 0) await commit(platform, caller, (ctx) => failExport(ctx, id, failed));
}

/** @returns the records that it cannot be made of; none when it was made */
async function make(
  platform: Platform,
  caller: Caller,
  { id, list, administratorId: ownerId, fileId, requestedAt }: Readonly<NationalExport>,
  rows: readonly ExportRow[],
): Promise<readonly UnfitRecord[]> {
  const sheet = await streamSheet(list, rows, requestedAt);
  const progress = noteProgress(platform, id);
  try {
    const content =
      list === 'insurance' ? sheet : await streamPrint(platform, { rows, sheet: await buffer(sheet), at: requestedAt, progress });
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

/** The sheet of a list; without rows it is the list's template. */
export function streamSheet(list: ExportList, rows: readonly ExportRow[], at: Date): Promise<Readable> {
  const columns = exportColumns[list];
  const cells = rows.map((row) => columns.map((column) => column.valueOf(row)));
  const pages = async function* () {
    if (cells.length > 0) yield cells;
  };
  return streamSpreadsheet([{ name: sheetTitles[list], columns, pages }], at);
}

function streamPrint(
  { storage, config }: Platform,
  { at, ...print }: { rows: readonly ExportRow[]; sheet: Buffer; at: Date; progress: Progress },
): Promise<Readable> {
  return streamArchive(printEntries(storage, { ...print, siteUrl: baseUrl(config) }), at);
}

function isUnfitRecords(error: unknown): error is UnfitRecordsError {
  return errorName(error) === 'UnfitRecordsError';
}
