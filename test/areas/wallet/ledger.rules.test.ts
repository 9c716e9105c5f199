import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { lockWallet } from '../../../src/areas/wallet/ledger/lock-wallet.ts';
import { type ApplicationPayment, payFromWallet } from '../../../src/areas/wallet/ledger/pay-from-wallet.ts';
import { postTransaction } from '../../../src/areas/wallet/ledger/post-transaction.ts';
import { reverseTransaction } from '../../../src/areas/wallet/ledger/reverse-transaction.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../../src/platform/commands/context.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { fixturesIn } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const caller: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'ledger-test', ip: null };
let platform: Platform;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ platform, close } = await startTestPlatform());
});
afterAll(() => close());

function run<T>(command: (ctx: CommandContext) => Promise<T>): Promise<T> {
  return commit(platform, caller, command);
}

function sql<Row>(statement: string, params: unknown[] = []): Promise<Row[]> {
  return platform.orm.em.fork().execute<Row[]>(statement, params);
}

const makeUser = async () => (await fixturesIn(platform).person()).userId;

async function balanceOf(userId: number): Promise<number> {
  const [row] = await sql<{ balance_minor: string }>('select balance_minor from wallets where user_id = ?', [userId]);
  return Number(row?.balance_minor ?? 0);
}

function topUp(userId: number, amountMinor: number, reference: string = randomUUID()) {
  return run((ctx) =>
    postTransaction(ctx, {
      type: 'invoice_payment',
      reference,
      legs: [
        { account: `wallet:${userId}`, amountMinor },
        { account: 'bank:clearing', amountMinor: -amountMinor },
      ],
    }),
  );
}

let applications = 0;
const newApplication = () => 1_000_000 + (applications += 1);

async function expectSoundLedger(): Promise<void> {
  expect(await sql('select transaction_id from ledger_entries group by transaction_id having sum(amount_minor) <> 0')).toEqual([]);
  expect(
    await sql('select id from ledger_transactions t where not exists (select from ledger_entries e where e.transaction_id = t.id)'),
  ).toEqual([]);
  expect(
    await sql(
      `select w.user_id from wallets w left join ledger_entries e on e.account = 'wallet:' || w.user_id
       group by w.user_id, w.balance_minor having w.balance_minor <> coalesce(sum(e.amount_minor), 0) or w.balance_minor < 0`,
    ),
  ).toEqual([]);
  expect(
    await sql(
      `select r.id from ledger_transactions r join ledger_entries e on e.transaction_id in (r.id, r.reversal_of)
       where r.reversal_of is not null group by r.id, e.account having sum(e.amount_minor) <> 0`,
    ),
  ).toEqual([]);
}

type Action =
  | { kind: 'top_up'; who: number; amountMinor: number }
  | { kind: 'again'; which: number }
  | { kind: 'pay'; who: number; application: number; amountMinor: number }
  | { kind: 'reverse'; which: number };

const who = fc.nat(2);
const amountMinor = fc.integer({ min: 1, max: 500_000_000 });
const action = fc.oneof<fc.Arbitrary<Action>[]>(
  fc.record({ kind: fc.constant('top_up' as const), who, amountMinor }),
  fc.record({ kind: fc.constant('again' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('pay' as const), who, application: fc.nat(3), amountMinor }),
  fc.record({ kind: fc.constant('reverse' as const), which: fc.nat() }),
);

function payFrom(userId: number, payment: Omit<ApplicationPayment, 'wallet'>): Promise<number> {
  return run(async (ctx) => payFromWallet(ctx, { wallet: await lockWallet(ctx, userId), ...payment }));
}

test('random concurrent transactions keep every invariant (WAL-1, WAL-2)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(action, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }), async (rounds) => {
      const users = [await makeUser(), await makeUser(), await makeUser()];
      const firstApplication = newApplication() * 10;
      const posted: number[] = [];
      const references: { userId: number; amountMinor: number; reference: string }[] = [];
      const perform = async (step: Action): Promise<void> => {
        const userId = 'who' in step ? (users[step.who] ?? 0) : 0;
        if (step.kind === 'top_up') {
          const made = { userId, amountMinor: step.amountMinor, reference: randomUUID() };
          references.push(made);
          posted.push((await topUp(userId, step.amountMinor, made.reference)).id);
        } else if (step.kind === 'again') {
          const made = references[step.which % Math.max(1, references.length)];
          if (made) await topUp(made.userId, made.amountMinor, made.reference);
        } else if (step.kind === 'pay') {
          const applicationId = firstApplication + step.who * 4 + step.application;
          const standing = await sql('select 1 from ledger_transactions where application_id = ?', [applicationId]);
          if (standing.length === 0)
            posted.push(await payFrom(userId, { amountMinor: step.amountMinor, applicationId, serviceKind: 'document' }));
        } else {
          const transactionId = posted[step.which % Math.max(1, posted.length)];
          if (transactionId !== undefined)
            await run((ctx) => reverseTransaction(ctx, { transactionId, reason: 'a test', type: 'reversal' }));
        }
      };
      for (const round of rounds) {
        const results = await Promise.allSettled(round.map(perform));
        for (const result of results) {
          // Only insufficient funds may fail.
          if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'insufficient_funds' });
        }
      }
      await expectSoundLedger();
    }),
    { numRuns: 25 },
  );
});

test('a reference is booked once, even by concurrent calls, and with other legs it throws (WAL-9)', async () => {
  const userId = await makeUser();
  const results = await Promise.all(Array.from({ length: 12 }, () => topUp(userId, 700, `once:${userId}`)));
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  await expect(topUp(userId, 701, `once:${userId}`)).rejects.toThrow('booked with other legs');
  expect(await balanceOf(userId)).toBe(700);
});

test('a wallet never goes below zero, even with concurrent payments (WAL-2)', async () => {
  const userId = await makeUser();
  await topUp(userId, 1000);
  const pay = (applicationId: number) => payFrom(userId, { amountMinor: 600, applicationId, serviceKind: 'national_certificate' });
  const results = await Promise.allSettled([pay(newApplication()), pay(newApplication()), pay(newApplication())]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const refused = results.find((result) => result.status === 'rejected');
  expect(refused?.reason).toMatchObject({ code: 'insufficient_funds', details: { balance_minor: 400, amount_minor: 600 } });
  expect(await balanceOf(userId)).toBe(400);
});

test('an application is charged once, and again only after a refund (WAL-12)', async () => {
  const userId = await makeUser();
  const applicationId = newApplication();
  await topUp(userId, 1000);
  const pay = () => payFrom(userId, { amountMinor: 300, applicationId, serviceKind: 'international_licence' });
  const ids = await Promise.all([pay(), pay(), pay()]);
  expect(new Set(ids).size).toBe(1);
  expect(await balanceOf(userId)).toBe(700);
  const [first] = ids;
  const refund = () => run((ctx) => reverseTransaction(ctx, { transactionId: first, reason: 'cancelled', type: 'application_refund' }));
  expect(new Set(await Promise.all([refund(), refund()])).size).toBe(1);
  expect(await balanceOf(userId)).toBe(1000);
  const second = await pay();
  expect(second).not.toBe(first);
  expect(await balanceOf(userId)).toBe(700);
  const accounts = await sql<{ account: string; sum: string }>(
    `select account, sum(amount_minor) from ledger_entries e join ledger_transactions t on t.id = e.transaction_id where t.application_id = ? group by account order by account`,
    [applicationId],
  );
  expect(accounts.map(({ account, sum }) => [account, Number(sum)])).toEqual([
    ['income:international_licence', 300],
    [`wallet:${userId}`, -300],
  ]);
});

test('the price of a national certificate is booked to the insurance account (WAL-14)', async () => {
  const userId = await makeUser();
  await topUp(userId, 1000);
  const id = await payFrom(userId, { amountMinor: 1000, applicationId: newApplication(), serviceKind: 'national_certificate' });
  const entries = await sql<{ account: string }>('select account from ledger_entries where transaction_id = ? order by account', [id]);
  expect(entries.map(({ account }) => account)).toEqual(['insurance:premium', `wallet:${userId}`]);
});

test('a reversal cannot be reversed, and spent money cannot be taken back (WAL-11)', async () => {
  const userId = await makeUser();
  const { id } = await topUp(userId, 1000);
  const reversal = await run((ctx) => reverseTransaction(ctx, { transactionId: id, reason: 'a mistake', type: 'reversal' }));
  await expect(run((ctx) => reverseTransaction(ctx, { transactionId: reversal, reason: 'again', type: 'reversal' }))).rejects.toMatchObject(
    { code: 'invalid_state' },
  );
  await expect(run((ctx) => reverseTransaction(ctx, { transactionId: 999_999_999, reason: 'x', type: 'reversal' }))).rejects.toMatchObject({
    code: 'not_found',
  });
  const { id: spent } = await topUp(userId, 500);
  await payFrom(userId, { amountMinor: 200, applicationId: newApplication(), serviceKind: 'document' });
  await expect(run((ctx) => reverseTransaction(ctx, { transactionId: spent, reason: 'x', type: 'reversal' }))).rejects.toMatchObject({
    code: 'insufficient_funds',
  });
});

test.each([
  [[{ account: 'adjustments', amountMinor: 5 }]],
  [
    [
      { account: 'adjustments', amountMinor: 5 },
      { account: 'bank:clearing', amountMinor: -4 },
    ],
  ],
  [
    [
      { account: 'adjustments', amountMinor: 0.5 },
      { account: 'bank:clearing', amountMinor: -0.5 },
    ],
  ],
  [
    [
      { account: 'adjustments', amountMinor: 0 },
      { account: 'bank:clearing', amountMinor: 0 },
    ],
  ],
] as const)('invalid legs are refused: %j (WAL-1)', async (legs) => {
  await expect(run((ctx) => postTransaction(ctx, { type: 'correction', reference: randomUUID(), legs: [...legs] }))).rejects.toBeInstanceOf(
    RangeError,
  );
});

test('the database itself refuses debt, changed entries and unbalanced legs (WAL-1, WAL-2)', async () => {
  const userId = await makeUser();
  await topUp(userId, 100);
  await expect(sql('update wallets set balance_minor = -1 where user_id = ?', [userId])).rejects.toThrow('wallets_balance_not_negative');
  await expect(sql('update ledger_entries set amount_minor = 5')).rejects.toThrow();
  await expect(sql('delete from ledger_transactions')).rejects.toThrow();
  await expect(
    sql(
      `with t as (insert into ledger_transactions (type, reference, flags, request_id, at) values ('correction', ?, '{}', 'x', now()) returning id)
         insert into ledger_entries (transaction_id, account, amount_minor) select id, 'adjustments', 5 from t`,
      [randomUUID()],
    ),
  ).rejects.toThrow('does not sum to zero');
});
