import { extensions } from '../../../src/registry/areas.ts';
import { listUsers } from '../../../src/areas/accounts/users/list-users.ts';
import { listAthletes } from '../../../src/areas/administration/athletes/list-athletes.ts';
import { listQueue } from '../../../src/areas/administration/queue/list-queue.ts';
import { listEventRegistrations } from '../../../src/areas/registrations/reading/listing-queries.ts';
import { queueSources } from '../../../src/areas/reviews/index.ts';
import { countStatements } from '../../support/count-statements.ts';
import { insertRegistry } from '../../support/factories/registries.ts';
import { useDatabase } from '../../support/use-database.ts';
import { countRowsRead } from '../../support/rows-read.ts';

/** The search by the number of a certificate, where people are listed: it reads the certificate by its index, not the crowd. */

const crowd = 5000;
const events = 10;
const registrations = crowd / events;
/** Services and messages of visitors are few. */
const smallTable = 50;

const { owner, db } = await useDatabase((url) => insertRegistry(url, crowd));

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

test.each(['profile', 'photo', 'document', 'application'] as const)(
  'the queue of the kind %s, which reads what waits and nothing of the others (REV-3)',
  async (kind) => {
    const sources = extensions.of(queueSources);
    const q = await numberOf(4007);
    const all = await costOf(() => listQueue(db(), new Date(), sources, { kind, ...paging }), crowd / 2);
    const searched = await costOf(() => listQueue(db(), new Date(), sources, { kind, q, ...paging }), crowd / 2);
    expect(all.result.total).toBeGreaterThan(20);
    expect(searched.result.total).toBe(0);
    // Besides each waiting record, its profile and its account.
    expect(searched.rows).toBeLessThanOrEqual(all.rows + 2 * all.result.total);
  },
);

test.each([
  ['certificates_of', 'profile', () => 4007, 6],
  ['certificate_holders', 'certificate_number', () => numberOf(4007), 3],
])('%s, whose plan the lists do not show, reads by an index', async (name, parameter, valueOf, most) => {
  const { rows } = await owner.query<{ prosrc: string }>('select prosrc from pg_proc where proname = $1', [name]);
  const text = rows[0]?.prosrc.replace(new RegExp(`= ${parameter}\\b`), '= $1') ?? '';
  expect(await countRowsRead(owner, { text, values: [await valueOf()] }, ['force_custom_plan', 'force_generic_plan'])).toBeLessThanOrEqual(
    most,
  );
});

test('registrations of an event, which reads those of the event alone (REG-8)', async () => {
  const list = async (q: string) => costOf(() => listEventRegistrations(db(), { eventId: 8, q, ...paging }));
  const { rows, result } = await list(await numberOf(4007));
  expect(result.records.map(({ id }) => id)).toEqual([4007]);
  // Twice, for the page and the total: the registration, its athlete, its licence and its certificate.
  expect(rows).toBeLessThanOrEqual(2 * 4 * registrations + 20);
  expect((await list(await numberOf(4008))).result.total).toBe(0);
});
