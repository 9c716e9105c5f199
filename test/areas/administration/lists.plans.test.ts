import { findRequest } from '../../../src/areas/accounts/index.ts';
import { extensions } from '../../../src/registry/areas.ts';
import { listUsers } from '../../../src/areas/accounts/users/list-users.ts';
import { exportAthletes } from '../../../src/areas/administration/athletes/export-athletes.ts';
import { type AthleteFilter, listAthletes } from '../../../src/areas/administration/athletes/list-athletes.ts';
import {
  findById,
  findByWords,
  findCertificates,
  findContractByNumber,
  findInvoices,
} from '../../../src/areas/administration/search/find-records.ts';
import { listQueue } from '../../../src/areas/administration/queue/list-queue.ts';
import { listEventRegistrations } from '../../../src/areas/registrations/reading/listing-queries.ts';
import { queueSources } from '../../../src/areas/reviews/index.ts';
import { countStatements, type SentStatement } from '../../support/count-statements.ts';
import { collectGarbage } from '../../support/event-loop.ts';
import { countRowsRead } from '../../support/rows-read.ts';
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

/** The search by the number of a certificate, where people are listed: it reads the certificate by its index, not the crowd. */
describe('the search by the number of a certificate', () => {
  const events = 10;
  /** Events, organizers, agreements, invoices and requests for the search by any text. */
  const others = 20_000;
  const registrations = crowd / events;
  /** Services and messages of visitors are few. */
  const smallTable = 50;

  beforeAll(async () => {
    await owner.query("set session_replication_role = 'replica'");
    for (const statement of [
      // So many accounts that the server reads one by its index.
      `insert into users (id, email, password_hash, name, created_at, updated_at)
       select n, 'other' || n || '@example.kz', 'x', 'Person ' || n, now(), now() from generate_series(20001, 50000) n`,
      `insert into user_words (user_id, words) select id, words_of_user(name, email, phone) from users where id > 20000`,
      `insert into events (id, owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, created_at, updated_at)
       select n, 100, 1, 30, 1, 'Rally ' || n, 'Алматы', now(), now(), now(), now() from generate_series(1, ${events}) n`,
      `insert into registrations (id, event_id, owner_id, profile_id, class, vehicle, status, submitted_at, created_at, updated_at)
       select n, 1 + n % ${events}, 100, n, 'N1', '{}', 'submitted', now(), now(), now() from generate_series(1, ${crowd}) n`,
      `insert into registration_licences (registration_id, application_id) select n, 3 * n - 1 from generate_series(1, ${crowd}) n`,
      `insert into events (id, owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, created_at, updated_at)
       select 100 + n, 100, 1, 30, 1, 'Кубок ' || n || case when n % 1000 = 7 then ' Редкостан' else '' end, 'Алматы', now(), now(), now(), now()
       from generate_series(1, ${others}) n`,
      `insert into event_entries (event_id, words) select id, array_to_tsvector(calendar_words(title)) from events`,
      `insert into profiles (id, owner_id, kind, name, data, status, photo_status, created_at, updated_at)
       select 100000 + n, 100, 'organizer', 'Клуб ' || n, jsonb_build_object('bin', lpad(n::text, 12, '0'), 'phone', '+7 727 ' || lpad(n::text, 7, '0'), 'city', 'Алматы'),
         'draft', 'draft', now(), now() from generate_series(1, ${others}) n`,
      `insert into organizer_entries (profile_id, words) select id, organizer_words(id, name, data) from profiles where kind = 'organizer'`,
      `insert into invoices (owner_id, number, amount_minor, status, idempotency_key, expires_at, created_at, updated_at)
       select 100, (3000000000 + n)::text, 10000, 'created', n::text, now(), now(), now() from generate_series(1, ${others}) n`,
      `insert into request_records (user_id, request_id, method, route, status, duration_ms, at)
       select 100, 'request-' || n, 'GET', '/profiles', 200, 1, now() from generate_series(1, ${others}) n`,
      'vacuum analyze',
    ])
      await owner.query(statement);
  });

  const paging = { page: 1, limit: 20 };

  /** The number of this year's certificate of an athlete. */
  async function numberOf(profileId: number): Promise<string> {
    const { rows } = await owner.query('select number from certificates where application_id = $1', [3 * profileId - 1]);
    return rows[0].number;
  }

  /**
   * Rows that the statements of a list read, each with the worst plan, together.
   * @param bounded so many rows of a table may be read in its own order
   */
  async function costOf<Result>(list: () => Promise<Result>, bounded = smallTable): Promise<{ rows: number; result: Result }> {
    const { statements, result } = await countStatements(list);
    let rows = 0;
    for (const statement of statements) {
      const hasCustomPlan = statement.text.includes('custom plan');
      const modes = hasCustomPlan ? (['force_custom_plan'] as const) : (['force_custom_plan', 'force_generic_plan'] as const);
      rows += await countRowsRead(owner, statement, modes, bounded);
    }
    return { rows, result };
  }

  test('athletes (ADM-2)', async () => {
    const q = await numberOf(4007);
    for (const phrase of [q, q.toLowerCase(), `${q} ғалым`]) {
      const { rows, result } = await costOf(() => listAthletes(db(), new Date(), { q: phrase, ...paging }));
      expect(result.total).toBeLessThanOrEqual(1);
      if (phrase !== `${q} ғалым`) expect(result.athletes.map(({ id }) => id)).toEqual([4007]);
      expect(rows).toBeLessThanOrEqual(60);
    }
  });

  test('accounts (ADM-2)', async () => {
    const q = await numberOf(4007);
    const { rows, result } = await costOf(() => listUsers(db(), { q, ...paging }, new Date()));
    expect(result.users).toHaveLength(1);
    expect(rows).toBeLessThanOrEqual(20);
    const { rows: rowsOfMany } = await costOf(() => listUsers(db(), { q: `${q} person`, role: 'user', ...paging }, new Date()));
    expect(rowsOfMany).toBeLessThanOrEqual(20);
  });

  /** Twenty athletes, accounts, organizers and events, each with what is shown of it. */
  const pageOfKinds = 20 * (14 + 8 + 3 + 2);
  /** Matches of a frequent word that are read before the list is read in its order. */
  const mostFound = 10_001 + events;

  test.each([
    ['a rare word', 'редкостнович', pageOfKinds],
    ['words of which one is rare', 'кубок редкостан', pageOfKinds],
    ['a phone', '+7 (727) 001-23-45', 100],
    ['an IIN', '900000001234', 100],
    ['an e-mail', 'person-77@mail.example', 100],
    ['the number of a certificate', 'KZ-N-2026-000077', 100],
    ['a word that no record has', 'никтонезовёт', 0],
    ['a word of all events', 'кубок', mostFound + pageOfKinds],
    ['a city of all organizers', 'алматы', mostFound + crowd / 7 + pageOfKinds],
    ['a beginning of all accounts', 'пер', mostFound + pageOfKinds],
  ])('any record by %s (ADM-9)', async (_name, q, most) => {
    for (const isWhole of [true, false]) {
      const { rows } = await costOf(() => findByWords(db(), new Date(), { q, isWhole }), most > mostFound ? mostFound : smallTable);
      expect([isWhole, rows]).toEqual([isWhole, Math.min(rows, most)]);
    }
  });

  test('any record by number or id (ADM-9)', async () => {
    const number = await numberOf(4007);
    const lookUps: [string, () => Promise<unknown>][] = [
      ['certificate', () => findCertificates(db(), [number])],
      ['contract', () => findContractByNumber(db(), 'A-2026-00001')],
      ['invoice', () => findInvoices(db(), { number: '3000000077', id: 12 })],
      ['request', () => findRequest(db(), 'request-77')],
      ...Object.entries(findById).map(([kind, find]) => [kind, () => find(db(), 12)] as [string, () => Promise<unknown>]),
    ];
    for (const [name, find] of lookUps) {
      const { rows } = await costOf(find);
      expect([name, rows]).toEqual([name, Math.min(rows, smallTable)]);
    }
  });

  test.each(['profile', 'photo', 'document', 'application'] as const)(
    'the queue of the kind %s, which reads what waits and nothing of the others (REV-3)',
    async (kind) => {
      const sources = extensions.of(queueSources);
      const q = await numberOf(4007);
      const all = await costOf(() => listQueue(db(), new Date(), sources, { kind, ...paging }), crowd / 2);
      const searched = await costOf(() => listQueue(db(), new Date(), sources, { kind, q, ...paging }), crowd / 2);
      const dated = await costOf(() => listQueue(db(), new Date(), sources, { kind, waiting_before: new Date(), ...paging }), crowd / 2);
      expect(all.result.total).toBeGreaterThan(20);
      expect(searched.result.total).toBe(0);
      expect(dated.result.total).toBe(all.result.total);
      // Besides each waiting record, its profile and its account.
      for (const { rows } of [searched, dated]) expect(rows).toBeLessThanOrEqual(all.rows + 2 * all.result.total);
    },
  );

  test.each([
    ['certificates_of', 'profile', () => 4007, 6],
    ['certificate_holders', 'certificate_number', () => numberOf(4007), 3],
  ])('%s, whose plan the lists do not show, reads by an index', async (name, parameter, valueOf, most) => {
    const { rows } = await owner.query<{ prosrc: string }>('select prosrc from pg_proc where proname = $1', [name]);
    const text = rows[0]?.prosrc.replace(new RegExp(`= ${parameter}\\b`), '= $1') ?? '';
    expect(
      await countRowsRead(owner, { text, values: [await valueOf()] }, ['force_custom_plan', 'force_generic_plan']),
    ).toBeLessThanOrEqual(most);
  });

  test('registrations of an event, which reads those of the event alone (REG-8)', async () => {
    const list = async (q: string) => costOf(() => listEventRegistrations(db(), { eventId: 8, q, ...paging }));
    const { rows, result } = await list(await numberOf(4007));
    expect(result.records.map(({ id }) => id)).toEqual([4007]);
    // Twice, for the page and the total: the registration, its athlete, its licence and its certificate.
    expect(rows).toBeLessThanOrEqual(2 * 4 * registrations + 20);
    expect((await list(await numberOf(4008))).result.total).toBe(0);
  });
});
