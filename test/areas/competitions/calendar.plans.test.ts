import { Client } from 'pg';
import { listCalendar } from '../../../src/areas/competitions/calendar/queries.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { openRegistry } from '../../../src/registry/open-registry.ts';
import { countStatements } from '../../support/count-statements.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { countRowsRead } from '../../support/rows-read.ts';

/** The calendar with the events of many years: what runs today is found by the index of spans, however long ago it began. */

const past = 30_000;
const coming = 300;
/** Events that began months ago and still run. */
const seasons = 3;
let database: TestDatabase;
let orm: Awaited<ReturnType<typeof openRegistry>>;
let owner: Client;
/** Disciplines and organizers are few. */
const smallTable = 50;
const now = new Date();

beforeAll(async () => {
  database = await cloneDatabase();
  orm = await openRegistry(database.url, 4);
  owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query("set session_replication_role = 'replica'");
  for (const statement of [
    `insert into profiles (id, owner_id, kind, name, data, created_at, updated_at) values (1, 1, 'organizer', 'Club', '{}', now(), now())`,
    // Two a day of two days each; a hundredth lasted for a hundred days.
    `insert into events (id, owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
     select n, 1, 1, 30, 1, 'Rally ' || n, 'Алматы', starts_at, starts_at + case when n % 100 = 0 then interval '100 days' else interval '2 days' end,
       'completed', starts_at, now(), now()
     from generate_series(1, ${past}) n, lateral (select now() - interval '101 days' - n * interval '4 hours' as starts_at) s`,
    `insert into events (id, owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
     select ${past} + n, 1, 1, 30, 1, 'Season ' || n, 'Алматы', now() - interval '90 days', now() + interval '90 days', 'published', now(), now(), now()
     from generate_series(1, ${seasons}) n`,
    `insert into events (id, owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
     select ${past + seasons} + n, 1, 1, 30, 1, 'Cup ' || n, 'Алматы', now() + n * interval '1 day', now() + (n + 1) * interval '1 day', 'published', now(), now(), now()
     from generate_series(1, ${coming}) n`,
    `insert into calendar_entries (event_id, starts_at, ends_at, discipline_id, words)
     select id, starts_at, ends_at, discipline_id, array_to_tsvector(calendar_words(title)) from events`,
    'vacuum analyze',
  ])
    await owner.query(statement);
});
afterAll(async () => {
  await Promise.all([owner.end(), orm.close(true)]);
  await database.drop();
});

const db = () => databaseOf(orm.em.fork());

test.each([undefined, 1])(
  'what runs or comes is read without the past, also when it began months ago, of the discipline %s (EVT-11)',
  async (disciplineId) => {
    const list = () => listCalendar(db(), { endsFrom: now, disciplineId }, { page: 1, limit: 20 });
    const { statements, result } = await countStatements(list);
    expect(result.total).toBe(seasons + coming);
    expect(result.events.slice(0, seasons).map(({ title }) => title.replace(/\d/, 'n'))).toEqual(['Season n', 'Season n', 'Season n']);
    expect(statements).toHaveLength(2);
    for (const statement of statements) {
      const isCount = statement.text.includes('count(');
      const rows = await countRowsRead(owner, statement, ['force_custom_plan', 'force_generic_plan'], smallTable);
      // Those that run and a page of those that come; the count reads all of them, and none that is over.
      expect(rows).toBeLessThanOrEqual(isCount ? seasons + coming : 2 * seasons + 20 * 5 + smallTable);
    }
  },
);
