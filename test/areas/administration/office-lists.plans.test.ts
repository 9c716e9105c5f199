import { listUsers, type UserFilter } from '../../../src/areas/accounts/users/list-users.ts';
import { type LedgerFilter, listLedger } from '../../../src/areas/wallet/ledger/list-ledger.ts';
import { sumDay } from '../../../src/areas/wallet/ledger/sum-day.ts';
import { countStatements } from '../../support/count-statements.ts';
import { useDatabase } from '../../support/use-database.ts';
import { countRowsRead, type PlanMode } from '../../support/rows-read.ts';

/** The lists of accounts and of the ledger with many rows: pages are read by an index, totals are kept or counted up to ten thousand. */

const people = 20_000;
const movements = 60_000;

const { owner, db } = await useDatabase();

beforeAll(async () => {
  // One statement for all rows, which is faster than row by row.
  await owner.query('alter table users disable trigger users_words');
  await owner.query(
    `insert into users (email, password_hash, name, phone, role, status, created_at, updated_at)
     select 'person' || n || '@example.kz', 'x', 'Surname' || n % 1000, '+7 70' || n % 10 || ' ' || lpad(n::text, 7, '0'),
       case when n % 2000 = 0 then 'administrator' else 'user' end, case when n % 4000 = 0 then 'blocked' else 'active' end, now(), now()
     from generate_series(1, ${people}) n`,
  );
  await owner.query('insert into user_words (user_id, words) select id, words_of_user(name, email, phone) from users');
  await owner.query(
    `insert into ledger_transactions (type, reference, flags, request_id, at)
     select case when n % 300 = 0 then 'correction' else 'invoice_payment' end, n::text, '{}', 'x', timestamptz '2026-01-01' + n * interval '1 minute'
     from generate_series(1, ${movements}) n`,
  );
  // One person has a quarter of all movements. Their sums are right, so the checks are off: they would take a minute.
  await owner.query('alter table ledger_entries disable trigger ledger_entries_sum_to_zero');
  await owner.query(
    `insert into ledger_entries (transaction_id, account, amount_minor)
     select t.id, leg.account, leg.amount from ledger_transactions t,
       lateral (values ('wallet:' || case when t.id % 4 = 0 then 1 else 2 + t.id % 10000 end, 100), ('bank:clearing', -100)) as leg (account, amount)`,
  );
  await owner.query('vacuum analyze users, user_words, ledger_transactions, ledger_entries');
});

const paging = { page: 1, limit: 20 };
/** A search reads at most this number of matches, to sort or count them. */
const mostRead = 10_001;

/** Measures the rows that the page and the count of a list read. */
async function costOf<Listed>(list: () => Promise<Listed>, ofCount: PlanMode[]): Promise<{ page: number; count: number; listed: Listed }> {
  const { statements, result: listed } = await countStatements(list);
  expect(statements).toHaveLength(2);
  const isCount = ({ text }: { text: string }) => text.startsWith('select count(') || text.includes('"tallies"');
  const [count, page] = [statements.find(isCount), statements.find((statement) => !isCount(statement))];
  if (count === undefined || page === undefined) throw new Error('a statement is missing');
  return {
    page: await countRowsRead(owner, page, ['force_custom_plan'], mostRead),
    count: await countRowsRead(owner, count, ofCount),
    listed,
  };
}

const ofLedger: [string, Partial<LedgerFilter>, number][] = [
  ['nothing', {}, movements],
  ['a wallet', { user_id: 77 }, 6],
  ['a busy wallet', { user_id: 1 }, movements / 4],
  ['a type', { type: 'correction' }, movements / 300],
  ['a type that is everywhere', { type: 'invoice_payment' }, movements - movements / 300],
  ['a time', { from: new Date('2026-01-03T00:00:00Z'), to: new Date('2026-01-03T10:00:00Z') }, 600],
  ['a type and a time', { type: 'correction', to: new Date('2026-01-11T00:00:00Z') }, 47],
];

test.each(ofLedger)('the ledger by %s', async (_name, filter, matching) => {
  const cost = await costOf(() => listLedger(db(), { ...paging, ...filter }), ['force_custom_plan', 'force_generic_plan']);
  const isCapped = matching > 10_000 && filter.user_id !== undefined;
  expect([cost.listed.total, cost.listed.isTotalCapped]).toEqual([isCapped ? 10_000 : matching, isCapped]);
  expect(cost.listed.rows).toHaveLength(Math.min(20, matching));
  // Each row twice, with its two ledger entries and its reversal, and some rows around them.
  expect(cost.page).toBeLessThanOrEqual(20 * 12);
  // The count may read all movements of one wallet. Kept totals are a few rows.
  const isKept = filter.user_id === undefined && filter.from === undefined && filter.to === undefined;
  expect(cost.count).toBeLessThanOrEqual(isKept ? 100 : filter.user_id === undefined ? 10_001 : movements / 4);
});

test("a wallet's movements of a period", async () => {
  const span = { from: new Date('2026-01-03T00:00:00Z'), to: new Date('2026-01-03T10:00:00Z') };
  const { rows, total } = await listLedger(db(), { ...paging, user_id: 1, ...span });
  expect([rows.length, total]).toEqual([20, 150]);
  expect(rows.every(({ at }) => at >= span.from && at < span.to)).toBe(true);
});

test.each([
  // Each minute has a movement; each three-hundredth is a correction.
  ['a day', '2026-01-20T07:00:00Z', 1440, 1440 - 4],
  ['the last day, which has begun', '2026-02-11T15:00:00Z', 1261, 1261 - 5],
  ['a day without movements', '2026-06-01T07:00:00Z', 0, 0],
])('the sums of %s read its movements alone (ADM-10)', async (_name, instant, movementsOfDay, paid) => {
  const { statements, result } = await countStatements(() => sumDay(db(), new Date(instant)));
  expect(result).toEqual({ paidIn: 100 * paid, income: 0, premium: 0, refunded: 0 });
  expect(statements).toHaveLength(1);
  // Each with its two ledger entries.
  for (const statement of statements)
    expect(await countRowsRead(owner, statement, ['force_custom_plan', 'force_generic_plan'])).toBeLessThanOrEqual(3 * movementsOfDay);
});

const ofUsers: [string, Partial<UserFilter>, number, number][] = [
  ['nothing', {}, people, 20 * 4],
  ['role', { role: 'administrator' }, people / 2000, 10 * 4],
  ['status', { status: 'blocked' }, people / 4000, 5 * 4],
  ['role and status', { role: 'user', status: 'blocked' }, 0, 5 * 4],
  ['a word of one', { q: 'person12345@example.kz' }, 1, 200],
  // Digits are separate words, in the name and in the e-mail.
  ['a word of some', { q: 'surname777' }, 29, 20 * 20],
  ['a word of all', { q: 'example' }, people, mostRead + 20 * 5],
  ['a word of all but for its digits', { q: 'person' }, people, mostRead + 20 * 5],
  ['the first digits of all telephones', { q: '+7 70' }, people, mostRead + 20 * 5],
  ['the first digits of a tenth of the telephones', { q: '701' }, people / 10 + 9, people / 10 + 9 + 20 * 5],
  ['a telephone', { q: '8 703 0012343' }, 1, 40],
  ['a word without a match', { q: 'unmatched' }, 0, 0],
  ['a rare word and a role', { q: 'person12345@example.kz', role: 'user' }, 1, 200],
  ['a word without a match and a role', { q: 'unmatched', role: 'user' }, 0, 10],
  ['digits without a match, which are no id', { q: '987654' }, 0, 10],
  ['a word of all and a role', { q: 'example', role: 'administrator' }, people / 2000, mostRead],
];

test.each(ofUsers)('accounts by %s', async (_name, filter, matching, most) => {
  const cost = await costOf(() => listUsers(db(), { ...paging, ...filter }, new Date()), ['force_custom_plan']);
  const isCapped = matching > 10_000 && filter.q !== undefined;
  expect([cost.listed.total, cost.listed.isTotalCapped]).toEqual([isCapped ? 10_000 : matching, isCapped]);
  expect(cost.listed.users).toHaveLength(Math.min(20, matching));
  expect(cost.page).toBeLessThanOrEqual(most);
  expect(cost.count).toBeLessThanOrEqual(filter.q === undefined ? 100 : Math.max(most, 10_001));
});

test.each([
  { q: 'person12345@example.kz', role: 'user' },
  { q: 'unmatched', role: 'user' },
  { q: '987654' },
  { q: '8 703 0012343', status: 'active' },
] as const)('what is rare is not searched in the order of the list, though the server would rather: %p', async (filter) => {
  // The server chooses this plan by itself with half a million accounts.
  await owner.query('set enable_sort = off');
  try {
    const cost = await costOf(() => listUsers(db(), { ...paging, ...filter }, new Date()), ['force_custom_plan']);
    expect(cost.listed.total).toBeLessThanOrEqual(1);
    expect(cost.page).toBeLessThan(500);
  } finally {
    await owner.query('reset enable_sort');
  }
});
