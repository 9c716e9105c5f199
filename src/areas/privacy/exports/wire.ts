import { z } from 'zod';
import { dateTimeResponse, id } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { confirmation } from '../../accounts/index.ts';
import { exportStatuses } from '../entities.ts';
import { keptUntil } from './process.ts';
import type { ExportRecord } from './queries.ts';

export const exportBody = z.strictObject(confirmation).meta({ id: 'AccountExportRequest' });

export const exportResponse = z
  .object({
    id,
    status: z.enum(exportStatuses).describe('`expired`: the archive was deleted'),
    download_url: z
      .string()
      .nullable()
      .describe("Relative to the server, for the account's own browser session; null unless the export is `ready`"),
    expires_at: dateTimeResponse.nullable().describe('When the archive is deleted; null unless the export is `ready`'),
    bytes: z.int().nullable().describe('Size of the archive; null unless the export is `ready`'),
  })
  .meta({ id: 'AccountExport' });

/** An export as administrators see it, who read no archive. */
export const exportStateResponse = exportResponse
  .omit({ download_url: true })
  .extend({ requested_at: dateTimeResponse })
  .meta({ id: 'AccountExportState' });

export function presentExportState(record: ExportRecord): z.input<typeof exportStateResponse> {
  const { download_url: _address, ...state } = presentExport(record);
  return { ...state, requested_at: formatDateTime(record.requestedAt) };
}

export function presentExport(record: ExportRecord): z.input<typeof exportResponse> {
  const { id: exportId, status, fileId, finishedAt, bytes } = record;
  // Its owner deletes an archive before the process knows.
  if (status !== 'ready' || bytes === null || finishedAt === null)
    return { id: exportId, status: status === 'ready' ? 'expired' : status, download_url: null, expires_at: null, bytes: null };
  return {
    id: exportId,
    status,
    download_url: `/files/${fileId}?download=1`,
    expires_at: formatDateTime(keptUntil(finishedAt)),
    bytes,
  };
}
