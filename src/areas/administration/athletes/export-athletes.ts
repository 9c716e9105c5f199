import type { Readable } from 'node:stream';
import type { Database } from '../../../platform/database/database.ts';
import { streamCsv } from '../../../platform/spreadsheet/stream-csv.ts';
import { auditRead, type Reading } from '../../audit/index.ts';
import { type AthleteFilter, countAthletes, listAthletesBelow, type ListedAthlete } from './list-athletes.ts';

/** Rows of one statement: about ten milliseconds of work between two checks whether the client still reads. */
const pageSize = 500;

type Cell = string | number | boolean | null;

/** The attributes of the list by column title. */
const columns: Record<string, (athlete: ListedAthlete) => Cell> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  status: ({ status }) => status,
  photo_status: ({ photoStatus }) => photoStatus,
  city: ({ city }) => city,
  phone: ({ phone }) => phone,
  owner_id: ({ ownerId }) => ownerId,
  owner_name: ({ ownerName }) => ownerName,
  owner_email: ({ ownerEmail }) => ownerEmail,
  certificate_issued: ({ number }) => number !== null,
  certificate_number: ({ number }) => number,
  certificate_valid_from: ({ validFrom }) => validFrom,
  certificate_valid_until: ({ validUntil }) => validUntil,
  latest_application_id: ({ applicationId }) => applicationId,
  latest_application_service_id: ({ applicationServiceId }) => applicationServiceId,
  latest_application_status: ({ applicationStatus }) => applicationStatus,
  documents: ({ documents }) => documents,
  applications: ({ applications }) => applications,
};

/**
 * Streams the athletes that a filter matches as a CSV, newest first. Audits `athletes.exported` with their number before the first row is
 * read, without the search text (ADM-6). The file has no athlete twice and none created after it began. A row has the values of the
 * moment at which its page is read.
 */
export async function exportAthletes(
  { caller, db, now }: Pick<Reading, 'caller' | 'db' | 'now'>,
  filter: AthleteFilter,
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
  return streamCsv(Object.keys(columns), pagesOf(db, now, filter));
}

async function* pagesOf(db: Database, now: Date, filter: AthleteFilter): AsyncGenerator<Cell[][]> {
  let beforeId: number | null = null;
  for (;;) {
    const athletes: ListedAthlete[] = await listAthletesBelow(db, now, filter, { beforeId, limit: pageSize });
    const last = athletes.at(-1);
    if (last === undefined) return;
    yield athletes.map((athlete) => Object.values(columns).map((cellOf) => cellOf(athlete)));
    if (athletes.length < pageSize) return;
    beforeId = last.id;
  }
}
