import { z } from 'zod';
import { dateTimeResponse, id, idParam, newestFirst, processResponse, uuid } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { exportLists, exportProblems, exportStatuses, mostInList } from '../lists/fitness.ts';
import { keptUntil } from './process.ts';
import type { ExportRecord, UnfitRecord } from './queries.ts';

export const exportBody = z
  .strictObject({
    ids: z.array(id).min(1).max(mostInList).describe('Ids of applications: exactly those of your list, in any order'),
  })
  .meta({ id: 'NationalExportRequest' });

const unfitRecord = z.object({
  id: id.describe('Id of the application'),
  number: z.string().nullable().describe('Number of the certificate; null when none was issued'),
  problems: z
    .array(z.enum(exportProblems))
    .describe('`photo_missing`: the photo of the issue is lost; `photo_unreadable`: it cannot be decoded; the other codes as in the lists'),
});

export const exportsQuery = z.strictObject({
  list: z.enum(exportLists).optional(),
  ...newestFirst,
  after: idParam.optional().meta({ description: '`next` of the page before' }),
});

export const exportResponse = z
  .object({
    id,
    list: z.enum(exportLists).describe('The list that it was made from'),
    administrator_id: id.describe('The administrator who requested it'),
    status: z.enum(exportStatuses).describe('`pending`: the file is being made; `failed`: see `failure`'),
    count: z.int().describe('Records in the file'),
    done: z.int().describe('Of them, those that are made; renewed each few seconds'),
    file: z
      .object({
        id: uuid,
        download_url: z.string().describe('Relative to the server; a GET needs `files:read` and answers 404 until the export is `ready`'),
        kept_until: dateTimeResponse.nullable().describe('When the file is deleted; null until it exists'),
      })
      .nullable()
      .describe('Null for a failed export, and after the file is deleted'),
    failure: z
      .object({
        code: z.string().describe('One of the error codes'),
        records: z.array(unfitRecord).describe('Records that do not fit; empty for another reason'),
      })
      .nullable()
      .describe('Why a failed export has no file'),
    not_marked: z
      .array(unfitRecord)
      .describe(
        'Records that no longer fit when the file is ready, for example a certificate that was annulled meanwhile. They are in the file but not marked as exported: remove them by hand or export again',
      ),
    requested_at: dateTimeResponse,
    finished_at: dateTimeResponse.nullable(),
  })
  .meta({ id: 'NationalExport' });

/** Without the records that do not fit. */
export const listedExportsResponse = z.array(
  exportResponse
    .omit({ not_marked: true })
    .extend({ failure: z.string().nullable().describe('Error code of a failed export') })
    .meta({ id: 'ListedNationalExport' }),
);

export const exportDetailResponse = z
  .object({
    ...exportResponse.shape,
    process: processResponse,
  })
  .meta({ id: 'NationalExportDetail' });

/** Presents an export. @param unfit records that made it fail, or that it did not mark */
export function presentExport(record: ExportRecord, unfit: readonly UnfitRecord[]): z.input<typeof exportResponse> {
  const { failure } = record;
  return {
    ...presentListedExport(record),
    failure: failure === null ? null : { code: failure, records: [...unfit] },
    not_marked: failure === null ? [...unfit] : [],
  };
}

export function presentListedExport(record: ExportRecord): z.input<typeof listedExportsResponse>[number] {
  const { id, list, administratorId, status, count, progress, fileId, failure, requestedAt, finishedAt } = record;
  const hasFile = status === 'pending' || record.isFileStored;
  return {
    id,
    list,
    administrator_id: administratorId,
    status,
    count,
    done: status === 'ready' ? count : Math.min(progress, count),
    file: hasFile
      ? {
          id: fileId,
          download_url: `/api/v1/files/${fileId}?download=1`,
          kept_until: finishedAt === null ? null : formatDateTime(keptUntil(finishedAt)),
        }
      : null,
    failure,
    requested_at: formatDateTime(requestedAt),
    finished_at: formatDateTime(finishedAt),
  };
}
