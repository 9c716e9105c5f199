import { type AuditFilter, listAuditEvents, listAuditEventsAfter } from '../../../src/areas/audit/index.ts';
import { countStatements, type SentStatement } from '../../support/count-statements.ts';
import { useDatabase } from '../../support/use-database.ts';
import { countRowsRead } from '../../support/rows-read.ts';

/** The audit's list with many rows: a page is read by an index, and the count stops at ten thousand. */

const crowd = 60_000;

const { owner, db } = await useDatabase();

beforeAll(async () => {
  // Twenty actors, actions and kinds, so that each filter matches three thousand rows; one more of each has ten old rows.
  const columns = `'act.' || k, k, 'kind_' || k, k::text, '192.0.2.1', 'request-' || k, timestamptz '2026-01-01' + n * interval '1 minute', '{}'`;
  const rows = `(select n, case when n <= 0 then 999 else n % 20 end as k from generate_series(-9, ${crowd}) n) r`;
  await owner.query(
    `insert into audit_events (action, actor_id, subject_kind, subject_id, ip, request_id, at, data) select ${columns} from ${rows}`,
  );
  await owner.query(
    `insert into security_events (action, actor_id, subject_kind, subject_id, ip, request_id, at, data, count, fingerprint)
     select ${columns}, 1, md5(n::text) from ${rows}`,
  );
  await owner.query('vacuum analyze audit_events, security_events');
});

const rowsRead = (statement: SentStatement) => countRowsRead(owner, statement, ['force_custom_plan', 'force_generic_plan']);
const list = (filter: AuditFilter & { page?: number }) => listAuditEvents(db(), { page: 1, limit: 20, ...filter });

/** The statements run concurrently, in any order. */
function countFirst(one: SentStatement, other: SentStatement): number {
  return Number(other.text.includes('count(')) - Number(one.text.includes('count('));
}

const filters: [string, AuditFilter, number][] = [
  ['nothing', {}, crowd + 10],
  ['the actor', { actor_id: 7 }, crowd / 20],
  ['an actor of long ago', { actor_id: 999 }, 10],
  ['the action', { action: 'act.7' }, crowd / 20],
  ['an action of long ago', { action: 'act.999' }, 10],
  ['the record', { subject: 'kind_7/7' }, crowd / 20],
  ['a kind of record', { subject: 'kind_7' }, crowd / 20],
  ['a kind of long ago', { subject: 'kind_999' }, 10],
  ['the request', { request_id: 'request-7' }, crowd / 20],
  ['a time', { from: new Date('2026-01-03T00:00:00Z'), to: new Date('2026-01-03T10:00:00Z') }, 600],
  ['from a time on', { from: new Date('2026-01-03T00:00:00Z') }, crowd - 2 * 24 * 60 + 1],
  ['up to a time', { to: new Date('2026-01-20T00:00:00Z') }, 19 * 24 * 60 + 9],
  ['an actor and a time', { actor_id: 7, from: new Date('2026-01-05T00:00:00Z') }, crowd / 20 - (4 * 24 * 60) / 20],
];

describe.each(['action', 'security'] as const)('of the category %s', (category) => {
  test.each(filters)('by %s reads only its page, and counts up to ten thousand', async (_name, filter, matching) => {
    const { statements, result } = await countStatements(() => list({ ...filter, category }));
    expect([result.total, result.isTotalCapped]).toEqual([Math.min(matching, 10_000), matching > 10_000]);
    expect(result.items).toHaveLength(Math.min(20, matching));
    expect(statements).toHaveLength(2);
    const [count, page] = statements.toSorted(countFirst);
    if (page === undefined || count === undefined) throw new Error('a statement is missing');
    // A filter that matches every twentieth row may scan the newest rows; a rare one may not.
    expect(await rowsRead(page)).toBeLessThanOrEqual(matching > 2000 && matching <= crowd / 20 ? 21 * 20 : 20);
    expect(await rowsRead(count)).toBeLessThanOrEqual(10_001);
  });
});

test('both categories are one list, newest first, in pages', async () => {
  const { statements, result } = await countStatements(() => list({ actor_id: 7, page: 3 }));
  const [, page] = statements.toSorted(countFirst);
  if (page === undefined) throw new Error('a statement is missing');
  // Each category reads at most the pages up to this one, and the rows scanned for them.
  expect(await rowsRead(page)).toBeLessThanOrEqual(2 * 61 * 20);
  expect(result.total).toBe(crowd / 10);
  const times = result.items.map(({ at }) => at.getTime());
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  const shown = [1, 2, 3].map(async (number) => (await list({ actor_id: 7, page: number })).items);
  const keys = (await Promise.all(shown)).flat().map(({ category, id }) => `${category} ${id}`);
  expect(new Set(keys).size).toBe(60);
  expect(keys.filter((key) => key.startsWith('action'))).toHaveLength(30);
});

test.each(filters)('the file by %s reads the next rows only, wherever it is', async (_name, filter, matching) => {
  const [first] = (await list({ ...filter, page: Math.min(300, Math.ceil(matching / 20)) })).items;
  if (first === undefined) throw new Error('there is no such page');
  for (const after of [null, first]) {
    const { statements } = await countStatements(() => listAuditEventsAfter(db(), filter, { after, limit: 20 }));
    const [page] = statements;
    if (page === undefined || statements.length > 1) throw new Error('not one statement');
    expect(await rowsRead(page)).toBeLessThanOrEqual(matching > 2000 && matching <= crowd / 20 ? 2 * 21 * 20 : 2 * 21);
  }
});
