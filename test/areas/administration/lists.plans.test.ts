import { extensions } from '../../../src/registry/areas.ts';
import { exportAthletes } from '../../../src/areas/administration/athletes/export-athletes.ts';
import { type AthleteFilter, listAthletes } from '../../../src/areas/administration/athletes/list-athletes.ts';
import { listQueue } from '../../../src/areas/administration/queue/list-queue.ts';
import { queueSources } from '../../../src/areas/reviews/index.ts';
import { countStatements, type SentStatement } from '../../support/count-statements.ts';
import { collectGarbage } from '../../support/event-loop.ts';
import { useDatabase } from '../../support/use-database.ts';
import { insertRegistry } from '../../support/factories/registries.ts';

/** The administrators' lists in a large registry: no list scans a whole table, with any plan of the server. */

const crowd = 5000;

const { owner, db } = await useDatabase((url) => insertRegistry(url, crowd));

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Heap Fetches'?: number;
  Plans?: Node[];
}

interface Reading {
  /** Tables that are scanned whole. */
  whole: string[];
  /** Rows read from tables, without those answered by an index alone. */
  rows: number;
}

/** Measures what a statement reads with the worst of the server's plans. */
async function readingOf({ text, values }: SentStatement): Promise<Reading> {
  const literals = values.map((value) => (typeof value === 'number' ? String(value) : owner.escapeLiteral(String(value))));
  const modes = text.includes('custom plan') ? ['force_custom_plan'] : ['force_custom_plan', 'force_generic_plan'];
  const most: Reading = { whole: [], rows: 0 };
  await owner.query(`prepare probe as ${text}`);
  for (const mode of modes) {
    await owner.query(`set plan_cache_mode = ${mode}`);
    const { rows } = await owner.query(
      `explain (analyze, format json) execute probe${literals.length === 0 ? '' : `(${literals.join(', ')})`}`,
    );
    let read = 0;
    const walk = (node: Node) => {
      const table = node['Relation Name'];
      const seen = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      if (table !== undefined && node['Node Type'] === 'Seq Scan' && seen > 100) most.whole.push(table);
      if (table !== undefined) read += node['Node Type'] === 'Index Only Scan' ? (node['Heap Fetches'] ?? 0) : seen;
      node.Plans?.forEach(walk);
    };
    walk(rows[0]['QUERY PLAN'][0].Plan);
    most.rows = Math.max(most.rows, read);
  }
  await owner.query('deallocate probe');
  return most;
}

/** Rows of a page: twenty profiles with owner, two documents, three applications (read three times) and a certificate each. */
const rowsOfPage = 20 * (2 + 2 + 3 * 3 + 1);

const filters: AthleteFilter[] = [
  {},
  { status: 'approved' },
  { status: 'pending' },
  { certificate: 'issued' },
  { certificate: 'not_issued' },
  { certificate: 'pending', status: 'approved' },
];

test.each(filters)('the athletes of %p', async (filter) => {
  const list = () => listAthletes(db(), new Date(), { ...filter, page: 3, limit: 20 });
  const { statements, result } = await countStatements(list);
  expect(result.athletes).toHaveLength(20);
  expect(statements).toHaveLength(2);
  for (const statement of statements) {
    const isCount = !statement.text.includes('"users"');
    const { whole, rows } = await readingOf(statement);
    expect([statement.text, whole]).toEqual([statement.text, []]);
    expect(rows).toBeLessThanOrEqual(isCount ? 0 : rowsOfPage);
  }
});

test.each([
  ['a rare word', 'редкостнович', 5],
  ['words of which one is rare', 'алматы редкостнович иванов', 0],
  ['an e-mail', 'person-77@mail', 10],
  ['a phone', '+7 (701) 000-12-34', 1],
  ['an IIN', '900000001234', 1],
])('%s is found without looking through the athletes', async (_what, q, most) => {
  const { statements, result } = await countStatements(() => listAthletes(db(), new Date(), { q, page: 1, limit: 20 }));
  expect(result.total).toBeLessThanOrEqual(most);
  for (const statement of statements) {
    const { whole, rows } = await readingOf(statement);
    expect([statement.text, whole]).toEqual([statement.text, []]);
    expect(rows).toBeLessThanOrEqual(rowsOfPage + most);
  }
});

test.each([undefined, 'changes'])('the queue, of the status %s', async (status) => {
  const sources = extensions.of(queueSources);
  const { statements, result } = await countStatements(() => listQueue(db(), new Date(), sources, { status, page: 2, limit: 20 }));
  expect(result.items).toHaveLength(20);
  expect(statements).toHaveLength(1);
  for (const statement of statements) {
    const { whole, rows } = await readingOf(statement);
    expect(whole).toEqual([]);
    // Each waiting record once, and profile and owner of the page's rows. Profiles under review are read to tell data and photo apart.
    expect(rows).toBeLessThanOrEqual(result.total + 2 * crowd * 0.06 + 20 * 5);
  }
});

test('the CSV of the athletes uses no more memory at its end than at its beginning', async () => {
  const caller = { actor: { kind: 'process' }, requestId: 'csv-memory', ip: null } as const;
  const csv = await exportAthletes({ caller, db: db(), now: new Date() }, {});
  const held: number[] = [];
  let rows = -1;
  for await (const piece of csv) {
    rows += String(piece).split('\n').length - 1;
    if (held.length > 0 && rows < crowd - 500) continue;
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    held.push((heapUsed + external) / 1024 / 1024);
  }
  expect(rows).toBe(crowd);
  // Ten pages kept in memory would be several megabytes.
  expect((held.at(-1) ?? Infinity) - (held[0] ?? 0)).toBeLessThan(2);
});
