import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import { keptUntil } from './describe-export.ts';
import type { ExportRecord, UnfitRecord } from './export-queries.ts';
import type { exportResponse } from './export-schemas.ts';

/** An export on the wire. @param unfit the records that a failed one has failed by, or that a ready one did not mark */
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
    finished_at: finishedAt === null ? null : formatDateTime(finishedAt),
  };
}
