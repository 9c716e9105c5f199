import { Client } from 'pg';
import { countConversations, listChats, listConversations } from '../../../src/areas/messages/listing-queries.ts';
import { findChat, findConversation, readMessages } from '../../../src/areas/messages/queries.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { openRegistry } from '../../../src/registry/open-registry.ts';
import { countStatements, type SentStatement } from '../../support/count-statements.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { countRowsRead } from '../../support/rows-read.ts';

/** Query plans of the conversation lists with many chats and registrations: each page uses an index. */

const chats = 20_000;
const registrations = 10_000;
let database: TestDatabase;
let orm: Awaited<ReturnType<typeof openRegistry>>;
let owner: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  orm = await openRegistry(database.url, 4);
  owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  // All of them at once and without triggers, which is faster than row by row.
  await owner.query("set session_replication_role = 'replica'");
  for (const sql of [
    `insert into users (id, email, password_hash, name, created_at, updated_at)
     select n, 'person' || n || '@example.kz', 'x', 'Person ' || n, now(), now() from generate_series(1, ${chats}) n`,
    // Each hundredth has something unread.
    `insert into conversations (id, kind, athlete_id, message_count, counterpart_unread, last_message_id, last_message_at, created_at)
     select n, 'federation', n, 1, (n % 100 = 0)::int, n, now(), now() from generate_series(1, ${chats}) n`,
    // The account 1 holds a thousand events with registrations of the others, of which a fifth was written about.
    `insert into profiles (id, owner_id, kind, name, data, created_at, updated_at)
     select n, n, case n when 1 then 'organizer' else 'athlete' end, 'Athlete ' || n, '{}', now(), now() from generate_series(1, ${registrations} + 1) n`,
    `insert into events (id, owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, created_at, updated_at)
     select n, 1, 1, 30, 1, 'Rally ' || n, 'Алматы', now(), now(), now(), now() from generate_series(1, 1000) n`,
    `insert into registrations (id, event_id, owner_id, profile_id, class, vehicle, status, submitted_at, created_at, updated_at)
     select n, 1 + n % 1000, n + 1, n + 1, 'N1', '{}', 'submitted', now(), now(), now() from generate_series(1, ${registrations}) n`,
    `insert into conversations (id, kind, registration_id, athlete_id, organizer_id, message_count, counterpart_unread, last_message_id, last_message_at, created_at)
     select ${chats} + n, 'registration', n, n + 1, 1, (n % 5 = 0)::int, (n % 100 = 0)::int, case when n % 5 = 0 then ${chats} + n end, now(), now()
     from generate_series(1, ${registrations}) n`,
    `insert into messages (id, conversation_id, side, author_id, text, created_at)
     select last_message_id, id, 'athlete', athlete_id, repeat('When does it start? ', 20), now() from conversations where last_message_id is not null`,
    // A chat in which much was said.
    `insert into messages (id, conversation_id, side, author_id, text, created_at, read_at)
     select ${chats + registrations} + n, 7, 'athlete', 7, 'Hello', now(), now() from generate_series(1, 5000) n`,
    'vacuum analyze',
  ])
    await owner.query(sql);
});
afterAll(async () => {
  await Promise.all([owner.end(), orm.close(true)]);
  await database.drop();
});

const db = () => databaseOf(orm.em.fork());
/** Rows that a statement reads from tables, also with a generic plan. */
const rowsOf = (statement: SentStatement) =>
  countRowsRead(
    owner,
    statement,
    statement.text.includes('custom plan') ? ['force_custom_plan'] : ['force_custom_plan', 'force_generic_plan'],
  );
async function costOf<Result>(read: () => Promise<Result>): Promise<{ rows: number[]; result: Result }> {
  const { statements, result } = await countStatements(read);
  const rows: number[] = [];
  for (const statement of statements) rows.push(await rowsOf(statement));
  return { rows: rows.toSorted((left, right) => left - right), result };
}

/** Conversation, registration, event, two profiles and message of each row shown. */
const rowsOfPage = 20 * 6;

test.each([0, 40])('the chats with the federation from the %d.', async (offset) => {
  const { rows, result } = await costOf(() => listChats(db(), { limit: 20, offset }));
  expect([result.total, result.isTotalCapped]).toEqual([10_000, true]);
  // Unread ones first, the newest of them before the others.
  expect(result.chats.map(({ userId }) => userId)).toEqual(Array.from({ length: 20 }, (_, index) => chats - (offset + index) * 100));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toBeLessThanOrEqual(rowsOfPage + offset);
  expect(rows[1]).toBeLessThanOrEqual(10_001);
});

test.each([0, 40])('the dialogs of an organizer with ten thousand registrations from the %d.', async (offset) => {
  const { rows, result } = await costOf(() => listConversations(db(), 1, { limit: 20, offset }));
  expect(result.map(({ registrationId }) => registrationId)).toEqual(
    Array.from({ length: 20 }, (_, index) => registrations - (offset + index) * 100),
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toBeLessThanOrEqual(rowsOfPage + 20 + offset);
});

test('the dialogs of an athlete', async () => {
  const { rows, result } = await costOf(() => listConversations(db(), 78, { limit: 20, offset: 0 }));
  expect(result).toMatchObject([{ perspective: 'athlete', registrationId: 77, athleteName: 'Athlete 78', organizerName: 'Athlete 1' }]);
  expect(rows[0]).toBeLessThanOrEqual(12);
});

test('the number of dialogs', async () => {
  const { rows, result } = await costOf(() => countConversations(db(), 1));
  expect(result).toEqual({ total: 10_000, isTotalCapped: false });
  expect(rows[0]).toBeLessThanOrEqual(10_001);
});

test('a conversation, a chat, and a page of a long one', async () => {
  const found = await costOf(async () => [await findConversation(db(), 77), await findChat(db(), 7)]);
  // The names of both sides besides.
  expect(Math.max(...found.rows)).toBeLessThanOrEqual(7);
  const page = await costOf(() => readMessages(db(), { id: 7 }, { page: 3, limit: 20 }));
  expect(page.result).toHaveLength(20);
  expect(page.rows[0]).toBeLessThanOrEqual(60 + 60);
});
