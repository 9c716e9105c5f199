import { z } from 'zod';
import { dateTimeResponse, id, processResponse, uuid } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import { exportLists, exportStatuses, mostInList } from '../lists.ts';
import { exportProblems } from '../lists/fitness.ts';
import { keptUntil } from './describe-export.ts';
import type { ExportRecord, UnfitRecord } from './queries.ts';

export const exportBody = z
  .strictObject({
    ids: z.array(id).min(1).max(mostInList).meta({ description: 'Ids of applications: all of your list, in any order' }),
  })
  .meta({ id: 'NationalExportRequest' });

const unfitRecord = z.object({
  id: id.meta({ description: 'Of the application' }),
  number: z.string().nullable().meta({ description: 'Of the certificate; null where none was issued' }),
  problems: z.array(z.enum(exportProblems)).meta({
    description:
      '`photo_missing`: the photo of its issue is lost; `photo_unreadable`: it is no picture any more; the others as in the lists',
  }),
});

export const exportResponse = z
  .object({
    id,
    list: z.enum(exportLists),
    status: z.enum(exportStatuses),
    count: z.int().meta({ description: 'Records in the file' }),
    file: z
      .object({
        id: uuid,
        download_url: z.string().meta({
          description: 'Relative to the server; fetched with a GET that needs `files:read`. 404 until the export is `ready`',
        }),
        kept_until: dateTimeResponse.nullable().meta({ description: 'The file is deleted then; null until it is there' }),
      })
      .nullable()
      .meta({ description: 'Null for an export that failed, and once the file is deleted' }),
    failure: z
      .object({ code: z.string().meta({ description: 'One of the error codes' }), records: z.array(unfitRecord) })
      .nullable()
      .meta({ description: 'Why there is no file; of an export that failed' }),
    not_marked: z.array(unfitRecord).meta({
      description:
        'Records that no longer fitted when the file was ready, such as a certificate annulled meanwhile. They stand in the file and are not marked as exported: take them out by hand or export again',
    }),
    requested_at: dateTimeResponse,
    finished_at: dateTimeResponse.nullable(),
  })
  .meta({ id: 'NationalExport' });

export const exportDetailResponse = z
  .object({ ...exportResponse.shape, administrator_id: id.meta({ description: 'Who has asked for it' }), process: processResponse })
  .meta({ id: 'NationalExportDetail' });

/** Presents an export. @param unfit records that made it fail, or that it did not mark */
export function presentExport({ made, isFileThere }: ExportRecord, unfit: readonly UnfitRecord[]): z.input<typeof exportResponse> {
  const { id, list, status, count, fileId, failure, requestedAt, finishedAt } = made;
  const hasFile = status === 'pending' || isFileThere;
  return {
    id,
    list,
    status,
    count,
    file: hasFile
      ? {
          id: fileId,
          download_url: `/api/v1/files/${fileId}?download=1`,
          kept_until: finishedAt === null ? null : formatDateTime(keptUntil(finishedAt)),
        }
      : null,
    failure: failure === null ? null : { code: failure, records: [...unfit] },
    not_marked: failure === null ? [...unfit] : [],
    requested_at: formatDateTime(requestedAt),
    finished_at: formatDateTime(finishedAt),
  };
}
