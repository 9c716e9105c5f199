import type { Area } from '../area.ts';
import { dayOf } from '../days.ts';
import type { Inquiry } from '../inquiry.ts';
import { createRandom } from '../../../support/random.ts';

/** A row of any list. */
type Row = Record<string, unknown>;

/** Returns the value by which a filter keeps a row; null where no request can name it. */
type ValueOf = (row: Row) => string | number | boolean | null;

const field =
  (name: string): ValueOf =>
  (row) => {
    const value = row[name];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
  };
const fields = (...names: string[]): Record<string, ValueOf> => Object.fromEntries(names.map((name) => [name, field(name)]));

/** The lists of administrators with the filters that name a value of a row; other areas ask for the rest. */
const listsOfAdministrators: Record<string, Record<string, ValueOf>> = {
  'GET /admin/users': fields('role', 'status'),
  'GET /admin/queue': fields('kind'),
  'GET /admin/ledger': fields('type', 'user_id'),
  'GET /admin/national': fields('year', 'service_id', 'status'),
};

/** The lists of an account. */
const listsOfOwners: Record<string, Record<string, ValueOf>> = {
  'GET /applications': fields('status', 'profile_id', 'year'),
  'GET /invoices': fields('status'),
  'GET /files': fields('purpose'),
  'GET /event-registrations': fields('event_id', 'status'),
  'GET /contracts': fields('event_id', 'status'),
  'GET /notifications': { unread: (row) => (row['read_at'] === null ? true : null) },
};

/** A filter of a list keeps the rows that it names and no others (API-5). Asked at the end of a life, of values that its rows have. */
export const filtersArea: Area = {
  async askAll(inquiry) {
    const random = createRandom(inquiry.model.accounts.size);
    const ask = async (operation: string, filters: Record<string, ValueOf>, list: (query: string) => Promise<Row[]>) => {
      const rows = await list('');
      for (const [name, valueOf] of Object.entries(filters)) {
        const values = [...new Set(rows.map(valueOf))].filter((value) => value !== null);
        const value = values[random.between(0, Math.max(0, values.length - 1))];
        if (value === undefined) continue;
        const kept = rows.filter((row) => valueOf(row) === value);
        const query = `?${name}=${value}`;
        inquiry.same(`${operation}${query} keeps the rows that it names (API-5)`, idsOf(kept), idsOf(await list(query)));
      }
    };
    for (const [operation, filters] of Object.entries(listsOfAdministrators))
      await inquiry.eventually(() => ask(operation, filters, (query) => inquiry.listed<Row>(operation, query)));
    const owners = inquiry.people.filter((person) => inquiry.isActive(person) && !inquiry.isSignedOut(person));
    const [owner] = owners.toSorted((left, right) => wealthOf(inquiry, right.accountId) - wealthOf(inquiry, left.accountId));
    for (const [operation, filters] of Object.entries(owner ? listsOfOwners : {}))
      if (owner) await inquiry.eventually(() => ask(operation, filters, (query) => inquiry.listedTo<Row>(owner, operation, query)));
    await inquiry.eventually(() => askAudit(inquiry));
  },
};

const idsOf = (rows: readonly Row[]) => rows.map(({ id, kind }) => JSON.stringify([kind, id]));

/** How much an account has that its lists can show. */
function wealthOf({ model }: Inquiry, accountId: number): number {
  const records = [...model.applications.values(), ...model.registrations.values()];
  return records.filter(({ profileId }) => model.profiles.get(profileId)?.ownerId === accountId).length;
}

interface AuditRow {
  id: number;
  at: string;
  action: string;
  actor_id: number | null;
}

/** The audit is long, and each question adds to it: its newest page answers for the rest. */
async function askAudit({ asAdministrator, same }: Inquiry): Promise<void> {
  const read = async (query: string) =>
    (await asAdministrator('GET /admin/audit', { query: `?category=action&limit=100${query}` })).data as AuditRow[];
  const page = await read('');
  const [newest] = page;
  const oldest = page.at(-1);
  if (!newest || !oldest) return;
  const shown = new Set(page.map(({ id }) => id));
  const at = (row: AuditRow) => dayOf(new Date(row.at));
  const [first, last] = [at(oldest), at(newest)];
  const filters: Record<string, (row: AuditRow) => boolean> = {
    [`&from=${last}&to=${last}`]: (row) => at(row) === last,
    [`&to=${first}`]: (row) => at(row) === first,
    [`&action=${oldest.action}`]: ({ action }) => action === oldest.action,
    ...(oldest.actor_id === null ? {} : { [`&actor_id=${oldest.actor_id}`]: (row: AuditRow) => row.actor_id === oldest.actor_id }),
  };
  for (const [query, isKept] of Object.entries(filters)) {
    const ids = (rows: readonly AuditRow[]) => rows.map(({ id }) => id).filter((id) => shown.has(id));
    same(`GET /admin/audit${query} keeps the rows that it names (API-4, API-5)`, ids(page.filter(isKept)), ids(await read(query)));
  }
}
