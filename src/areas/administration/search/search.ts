import { query } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { findRequest } from '../../accounts/index.ts';
import { listAuditEventsAfter } from '../../audit/index.ts';
import { listedWork, type Work } from '../processes/find-processes.ts';
import { chooseResults, type Found, mostResults } from './choose-results.ts';
import { findById, findByWords, findCertificates, findContractByNumber, findInvoices } from './find-records.ts';
import { readSearch, type Search } from './read-search.ts';

/**
 * Finds the records that a text names (ADM-9). Whole words, numbers and ids come first; only when they leave room are the words searched as
 * beginnings. Each part reads an index and gives at most `mostResults` rows, so the cost hardly depends on the size of the registry.
 */
export function searchRecords(platform: Platform, text: string): Promise<Found[]> {
  const search = readSearch(text);
  return query(platform, async (db, now) => {
    if (search.names === 'request') return findRequestOf(db, search.requestId);
    if (search.names === 'record') return findRecord(db, listedWork(platform), search, now);
    const exact = await findExact(db, now, search);
    const isFull = exact.length >= mostResults;
    const others = isFull || !search.hasBeginnings ? [] : await findByWords(db, now, { q: search.text, isWhole: false });
    return chooseResults(exact, others);
  });
}

async function findExact(
  db: Database,
  now: Date,
  { text, certificates, contract, invoice }: Extract<Search, { names: 'words' }>,
): Promise<Found[]> {
  const found = await Promise.all([
    findByWords(db, now, { q: text, isWhole: true }),
    certificates.length === 0 ? [] : findCertificates(db, certificates),
    contract === null ? [] : findContractByNumber(db, contract),
    invoice === null ? [] : findInvoices(db, invoice),
  ]);
  return found.flat();
}

/** Finds the record of a process or of the audit's name, `agreement/3` as `contract/3`; else the process itself, such as `webhook/3`. */
async function findRecord(
  db: Database,
  processes: readonly Work[],
  { kind, id }: Extract<Search, { names: 'record' }>,
  now: Date,
): Promise<Found[]> {
  const work = processes.find((one) => one.kind === kind);
  const find = findById[work?.subject ?? kind];
  if (find !== undefined) return find(db, id);
  const [row] = work === undefined ? [] : await work.read(db, [id]);
  if (work === undefined || row === undefined) return [];
  const ref = refOf(work, id);
  return [{ kind: 'process', id: ref, title: ref, subtitle: work.describe(row, now).stage, path: `/admin/processes?q=${ref}` }];
}

/** Finds a request by its events in the audit, else in the request log (ACC-33). */
async function findRequestOf(db: Database, requestId: string): Promise<Found[]> {
  const [logged, [event]] = await Promise.all([
    findRequest(db, requestId),
    listAuditEventsAfter(db, { request_id: requestId }, { after: null, limit: 1 }),
  ]);
  const found = { kind: 'request', id: requestId } as const;
  const path = `/admin/audit?request_id=${requestId}`;
  if (logged === null) return event === undefined ? [] : [{ ...found, title: event.action, subtitle: formatDateTime(event.at), path }];
  const { method, route, status, code, at, userId, id } = logged;
  return [
    {
      ...found,
      title: `${method} ${route}`,
      subtitle: `${status}${code === null ? '' : ` ${code}`}, ${formatDateTime(at)}`,
      path: event === undefined ? `/admin/users/${userId}/requests?after=${id + 1}&limit=1` : path,
    },
  ];
}
