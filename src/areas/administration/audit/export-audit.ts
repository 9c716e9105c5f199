import type { Readable } from 'node:stream';
import { fieldProblem } from '../../../errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { type AuditFilter, auditRead, countAuditEvents, type EventPlace, listAuditEventsAfter, type Reading } from '../../audit/index.ts';
import { type ExportColumn, exportPageSize, type ExportShape, streamRows } from '../export-file.ts';
import { nameActors, type NamedEvent } from './name-actors.ts';

/** Most events of a file, which spreadsheet programs still open. */
export const mostExported = 100_000;

/** The attributes of the list. */
const columns: readonly ExportColumn<NamedEvent>[] = [
  { title: 'id', holds: 'value', width: 12, valueOf: ({ id }) => id },
  { title: 'category', holds: 'text', width: 10, valueOf: ({ category }) => category },
  { title: 'at', holds: 'text', width: 26, valueOf: ({ at }) => formatDateTime(at) },
  { title: 'action', holds: 'text', width: 30, valueOf: ({ action }) => action },
  { title: 'actor_id', holds: 'value', width: 12, valueOf: ({ actorId }) => actorId },
  { title: 'actor_name', holds: 'text', width: 36, valueOf: ({ actorName }) => actorName },
  { title: 'impersonated_user_id', holds: 'value', width: 12, valueOf: ({ impersonatedUserId }) => impersonatedUserId },
  { title: 'impersonated_user_name', holds: 'text', width: 36, valueOf: ({ impersonatedUserName }) => impersonatedUserName },
  { title: 'subject_kind', holds: 'text', width: 20, valueOf: ({ subjectKind }) => subjectKind },
  { title: 'subject_id', holds: 'text', width: 20, valueOf: ({ subjectId }) => subjectId },
  { title: 'ip', holds: 'text', width: 20, valueOf: ({ ip }) => ip },
  { title: 'request_id', holds: 'text', width: 38, valueOf: ({ requestId }) => requestId },
  { title: 'data', holds: 'text', width: 60, valueOf: ({ data }) => JSON.stringify(data) },
];

/**
 * Streams the events that a filter matches as a CSV or an XLSX, newest first, both accounts by id and name. Audits `audit.exported` with
 * the filter and their number before the first row is read (ADM-8). The file has no event twice and none from its own instant on.
 * @throws {DomainError} validation_failed, for more than `mostExported` events
 */
export async function exportAudit(
  { caller, db, now }: Pick<Reading, 'caller' | 'db' | 'now'>,
  filter: AuditFilter,
  shape: ExportShape,
): Promise<Readable> {
  const past = { ...filter, to: filter.to === undefined || filter.to > now ? now : filter.to };
  const count = await countAuditEvents(db, past, mostExported + 1);
  if (count > mostExported) throw fieldProblem('query', 'too_many', `matches more than ${mostExported} events: narrow \`from\` and \`to\``);
  await auditRead({ ...caller, db, now }, 'audit.exported', { kind: 'export', id: 'audit' }, { count, ...filter });
  return streamRows('Audit', columns, pagesOf(db, past), shape, now);
}

async function* pagesOf(db: Database, filter: AuditFilter): AsyncGenerator<NamedEvent[]> {
  let after: EventPlace | null = null;
  for (;;) {
    const events = await nameActors(db, await listAuditEventsAfter(db, filter, { after, limit: exportPageSize }));
    const last = events.at(-1);
    if (last === undefined) return;
    yield events;
    if (events.length < exportPageSize) return;
    after = last;
  }
}
