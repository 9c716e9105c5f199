import type { Readable } from 'node:stream';
import type { Database } from '../../../platform/database/database.ts';
import { auditRead, type Reading } from '../../audit/index.ts';
import { type ExportColumn, exportPageSize, type ExportShape, streamRows } from '../export-file.ts';
import { type AthleteFilter, countAthletes, listAthletesBelow, type ListedAthlete } from './list-athletes.ts';

/** The attributes of the list. */
const columns: readonly ExportColumn<ListedAthlete>[] = [
  { title: 'id', holds: 'value', width: 12, valueOf: ({ id }) => id },
  { title: 'name', holds: 'text', width: 36, valueOf: ({ name }) => name },
  { title: 'status', holds: 'text', width: 20, valueOf: ({ status }) => status },
  { title: 'photo_status', holds: 'text', width: 20, valueOf: ({ photoStatus }) => photoStatus },
  { title: 'city', holds: 'text', width: 20, valueOf: ({ city }) => city },
  { title: 'phone', holds: 'text', width: 20, valueOf: ({ phone }) => phone },
  { title: 'owner_id', holds: 'value', width: 12, valueOf: ({ ownerId }) => ownerId },
  { title: 'owner_name', holds: 'text', width: 36, valueOf: ({ ownerName }) => ownerName },
  { title: 'owner_email', holds: 'text', width: 36, valueOf: ({ ownerEmail }) => ownerEmail },
  { title: 'certificate_issued', holds: 'value', width: 12, valueOf: ({ number }) => number !== null },
  { title: 'certificate_number', holds: 'text', width: 20, valueOf: ({ number }) => number },
  { title: 'certificate_valid_from', holds: 'day', width: 14, valueOf: ({ validFrom }) => validFrom },
  { title: 'certificate_valid_until', holds: 'day', width: 14, valueOf: ({ validUntil }) => validUntil },
  { title: 'latest_application_id', holds: 'value', width: 12, valueOf: ({ applicationId }) => applicationId },
  { title: 'latest_application_service_id', holds: 'value', width: 12, valueOf: ({ applicationServiceId }) => applicationServiceId },
  { title: 'latest_application_status', holds: 'text', width: 20, valueOf: ({ applicationStatus }) => applicationStatus },
  { title: 'documents', holds: 'value', width: 12, valueOf: ({ documents }) => documents },
  { title: 'applications', holds: 'value', width: 12, valueOf: ({ applications }) => applications },
];

/**
 * Streams the athletes that a filter matches as a CSV or an XLSX, newest first. Audits `athletes.exported` with their number before the
 * first row is read, without the search text (ADM-6). The file has no athlete twice and none created after it began. A row has the values
 * of the moment at which its page is read.
 */
export async function exportAthletes(
  { caller, db, now }: Pick<Reading, 'caller' | 'db' | 'now'>,
  filter: AthleteFilter,
  shape: ExportShape = { format: 'csv', delimiter: ',' },
): Promise<Readable> {
  const { status, certificate, q } = filter;
  const count = await countAthletes(db, now, filter);
  await auditRead(
    { ...caller, db, now },
    'athletes.exported',
    { kind: 'export', id: 'athletes' },
    {
      count,
      ...(status !== undefined && { status }),
      ...(certificate !== undefined && { certificate }),
      ...(q !== undefined && { is_search: true }),
    },
  );
  return streamRows('Athletes', columns, pagesOf(db, now, filter), shape, now);
}

async function* pagesOf(db: Database, now: Date, filter: AthleteFilter): AsyncGenerator<ListedAthlete[]> {
  let beforeId: number | null = null;
  for (;;) {
    const athletes: ListedAthlete[] = await listAthletesBelow(db, now, filter, { beforeId, limit: exportPageSize });
    const last = athletes.at(-1);
    if (last === undefined) return;
    yield athletes;
    if (athletes.length < exportPageSize) return;
    beforeId = last.id;
  }
}
