import { randomUUID } from 'node:crypto';
import { executeOnce } from '../../../activities/execute.ts';
import { createInvoiceActivities } from '../../../activities/invoices.ts';
import type { Invoice } from '../../../src/areas/wallet/entities.ts';
import { requireBank } from '../../../src/areas/wallet/invoices/ask-bank.ts';
import { createInvoice } from '../../../src/areas/wallet/invoices/create-invoice.ts';
import { noteBankHint } from '../../../src/areas/wallet/invoices/note-bank-hint.ts';
import { invoiceProcess } from '../../../src/areas/wallet/invoices/process.ts';
import { recordBankResponse } from '../../../src/areas/wallet/invoices/record-bank-response.ts';
import { findInvoice } from '../../../src/areas/wallet/queries.ts';
import type { DomainError } from '../../../src/errors.ts';
import { type BankResponse, BankUnavailableError, disabledBank } from '../../../src/platform/bank/bank.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import type { UnrecordedCaller } from '../../../src/platform/commands/context.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { relayOnlyOutbox, type WakeUp } from '../../../src/platform/workflows/outbox.ts';
import type { ProcessCommand, ProcessView } from '../../../workflows/contracts/process.contract.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { startTestPlatform, type TestSurroundings } from '../../support/test-platform.ts';

/** Activities against a real database and the bank simulator, without Temporal. */
let platform: Platform;
let make: Fixtures<Member>;
let surroundings: TestSurroundings;
let close: () => Promise<void>;
let activities: ReturnType<typeof createInvoiceActivities>;
const amountMinor = 1_500_000;

beforeAll(async () => {
  ({ platform, surroundings, close } = await startTestPlatform());
  make = fixturesIn(platform);
  activities = createInvoiceActivities(platform);
});
afterAll(() => close());

function sql<Row>(statement: string, params: unknown[] = []): Promise<Row[]> {
  return platform.orm.em.fork().execute<Row[]>(statement, params);
}

const makeUser = async () => (await make.person()).userId;

function callerOf(userId: number): UnrecordedCaller {
  return { actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null }, requestId: randomUUID(), ip: null };
}

function commandOf(userId: number, commandId: string = randomUUID()): ProcessCommand<Record<string, never>> {
  return { commandId, caller: callerOf(userId), args: {}, privateInputId: null };
}

async function makeInvoice(): Promise<Invoice> {
  const ownerId = await makeUser();
  const { invoice } = await commit(platform, callerOf(ownerId), (ctx) =>
    createInvoice(ctx, { ownerId, amountMinor, idempotencyKey: randomUUID() }),
  );
  return load(invoice.id);
}

/** Runs the step as the worker does: by the process's handler for the update. */
function checkout(id: number, command: ProcessCommand<Record<string, never>>) {
  const handler = handlerOf(invoiceProcess, 'checkout');
  return executeOnce(platform, invoiceProcess, handler, id, command);
}

async function checkedOut(): Promise<Invoice> {
  const { id, ownerId } = await makeInvoice();
  await checkout(id, commandOf(ownerId));
  return load(id);
}

async function load(id: number): Promise<Invoice> {
  const invoice = await query(platform, (db) => findInvoice(db, id));
  if (!invoice) throw new Error(`no invoice ${id}`);
  return invoice;
}

async function control(invoice: Invoice, body: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${surroundings.bank.url}/control/${invoice.number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

async function moneyOf(invoice: Invoice) {
  const [wallet] = await sql<{ balance_minor: string }>('select balance_minor from wallets where user_id = ?', [invoice.ownerId]);
  const movements = await sql('select id from ledger_transactions where invoice_id = ?', [invoice.id]);
  const incidents = await sql<{ kind: string }>(`select kind from incidents where subject_kind = 'invoice' and subject_id = ?`, [
    String(invoice.id),
  ]);
  const notifications = await sql<{ type: string }>('select type from notifications where user_id = ? order by id', [invoice.ownerId]);
  return {
    balance: Number(wallet?.balance_minor ?? 0),
    movements: movements.length,
    incidents: incidents.map(({ kind }) => kind),
    notified: notifications.map(({ type }) => type),
  };
}

/** Ages one invoice: moves all its times into the past. */
async function age(invoice: Invoice, hours: number): Promise<void> {
  await sql(
    `update invoices set created_at = created_at - make_interval(hours => ?), expires_at = expires_at - make_interval(hours => ?),
       next_ask_at = next_ask_at - make_interval(hours => ?), last_asked_at = last_asked_at - make_interval(hours => ?),
       last_answered_at = last_answered_at - make_interval(hours => ?) where id = ?`,
    [hours, hours, hours, hours, hours, invoice.id],
  );
}

/** Ends the pause after the last query; a query planned for its end becomes due. */
async function endPause({ id }: Invoice): Promise<void> {
  await sql(
    `update invoices set last_asked_at = last_asked_at - interval '5 seconds', last_answered_at = last_answered_at - interval '5 seconds',
       next_ask_at = next_ask_at - interval '5 seconds' where id = ?`,
    [id],
  );
}

/** Counts the queries that the bank has received about an invoice. */
async function questionsAbout({ number }: Invoice): Promise<number> {
  const response = await fetch(`${surroundings.bank.url}/control/${number}`);
  if (response.status === 404) return 0;
  const { history } = (await response.json()) as { history: { what: string }[] };
  return history.filter((entry) => JSON.stringify(entry).includes('question')).length;
}

/** Reconciles an invoice after a callback of the bank. */
async function reconcileHinted(id: number, by = activities): Promise<ProcessView> {
  await commit(platform, callerOf((await load(id)).ownerId), (ctx) => noteBankHint(ctx, id));
  return by.reconcileInvoice(id);
}

const nothing = { balance: 0, movements: 0, incidents: [], notified: [] };
const credited = { balance: amountMinor, movements: 1, incidents: [], notified: ['invoice.paid'] };

test.each(['paid', 'twice'])('%s: credits once, however often it is recorded (WAL-9)', async (outcome) => {
  const invoice = await checkedOut();
  await control(invoice, { outcome });
  const command = commandOf(invoice.ownerId);
  await activities.verifyInvoice(invoice.id, command);
  await activities.verifyInvoice(invoice.id, command);
  const view = await reconcileHinted(invoice.id);
  expect(view).toMatchObject({ stage: 'paid', waitingFor: 'none', isOver: true, timer: null });
  await activities.reconcileInvoice(invoice.id);
  expect(await moneyOf(invoice)).toEqual(credited);
  expect(await load(invoice.id)).toMatchObject({
    status: 'paid',
    late: false,
    nextAskAt: null,
    bankReference: expect.stringMatching(/^RRN/),
  });
});

test('twenty concurrent queries and verifications credit once (WAL-9)', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'paid' });
  const verify = () => activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId));
  await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? reconcileHinted(invoice.id) : verify())));
  expect(await moneyOf(invoice)).toEqual(credited);
  expect(await sql('select id from bank_answers where invoice_id = ?', [invoice.id])).toHaveLength(1);
});

test.each(['wrong_amount', 'wrong_currency', 'wrong_terminal', 'wrong_invoice'])(
  '%s: credits nothing, raises one incident, and is final (WAL-6)',
  async (outcome) => {
    const invoice = await checkedOut();
    await control(invoice, { outcome });
    const view = await activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId));
    expect(view).toMatchObject({ stage: 'mismatch', waitingFor: 'administrator', isOver: true });
    const mismatched = { balance: 0, movements: 0, incidents: ['bank_mismatch'], notified: ['invoice.mismatch'] };
    expect(await moneyOf(invoice)).toEqual(mismatched);
    await control(invoice, { outcome: 'paid' });
    await reconcileHinted(invoice.id);
    expect(await moneyOf(invoice)).toEqual(mismatched);
    expect((await load(invoice.id)).status).toBe('mismatch');
  },
);

test('failed: credits nothing; later money is credited once and flagged (WAL-8)', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'failed' });
  const view = await reconcileHinted(invoice.id);
  expect(view).toMatchObject({ stage: 'failed', waitingFor: 'bank', isOver: false });
  await reconcileHinted(invoice.id);
  expect(await moneyOf(invoice)).toEqual({ ...nothing, notified: ['invoice.failed'] });
  await control(invoice, { outcome: 'paid' });
  await endPause(invoice);
  await reconcileHinted(invoice.id);
  await reconcileHinted(invoice.id);
  expect(await moneyOf(invoice)).toEqual({
    balance: amountMinor,
    movements: 1,
    incidents: ['late_payment'],
    notified: ['invoice.failed', 'invoice.paid_late'],
  });
  expect(await load(invoice.id)).toMatchObject({ status: 'paid', late: true });
  expect(await sql('select flags from ledger_transactions where invoice_id = ?', [invoice.id])).toEqual([{ flags: ['late'] }]);
});

test.each([
  ['error', {}],
  ['timeout', { delay_ms: 200 }],
])('%s: an unavailable bank fails the verification, and the process asks again later (WAL-7)', async (outcome, more) => {
  const invoice = await checkedOut();
  await control(invoice, { outcome, ...more });
  await expect(activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId))).rejects.toMatchObject({
    type: 'bank_unavailable',
    nonRetryable: true,
  });
  const noted = await load(invoice.id);
  expect(noted).toMatchObject({ status: 'pending', asked: 1 });
  expect(noted.nextAskAt?.getTime()).toBeGreaterThan(Date.now());
  const view = await reconcileHinted(invoice.id);
  expect(view).toMatchObject({ stage: 'pending', isOver: false });
  expect(view.timer?.afterMs).toBeGreaterThan(0);
  await control(invoice, { outcome: 'paid' });
  await endPause(invoice);
  await reconcileHinted(invoice.id);
  expect(await moneyOf(invoice)).toEqual(credited);
});

test('a bank reference of one invoice never pays another (WAL-6)', async () => {
  const [first, second] = [await checkedOut(), await checkedOut()];
  const say = (invoice: Invoice) =>
    commit(platform, callerOf(invoice.ownerId), (ctx) => {
      const response = says(invoice, { state: 'paid', reference: 'RRN-shared' });
      return recordBankResponse(ctx, { invoice, cause: 'plan', response, paidAt: null }, platform.bank.terminal);
    });
  await say(first);
  await say(second);
  expect(await moneyOf(first)).toEqual(credited);
  expect(await moneyOf(second)).toEqual({ balance: 0, movements: 0, incidents: ['bank_mismatch'], notified: ['invoice.mismatch'] });
});

test('the process does not ask the bank before the planned time', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'paid' });
  expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'pending' });
  expect((await load(invoice.id)).lastAskedAt).toBeNull();
  await sql(`update invoices set next_ask_at = now() where id = ?`, [invoice.id]);
  expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'paid' });
});

test("an owner's query leaves the plan as it was", async () => {
  const invoice = await checkedOut();
  await activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId));
  const asked = await load(invoice.id);
  expect(asked.nextAskAt).toEqual(invoice.nextAskAt);
  expect(asked).toMatchObject({ asked: 0 });
  expect(asked.lastAskedAt).not.toBeNull();
});

// WAL-7
test('an invoice gets a last query when it expires, then daily queries for a week', async () => {
  const [unpaid, paid] = [await checkedOut(), await checkedOut()];
  await age(unpaid, 25);
  await age(paid, 25);
  await control(paid, { outcome: 'paid' });
  expect(await activities.reconcileInvoice(paid.id)).toMatchObject({ stage: 'paid' });
  expect((await moneyOf(paid)).balance).toBe(amountMinor);

  expect(await activities.reconcileInvoice(unpaid.id)).toMatchObject({
    stage: 'expired',
    waitingFor: 'bank',
    isOver: false,
  });
  const expired = await load(unpaid.id);
  expect(expired.lastAskedAt).not.toBeNull();
  expect(expired.nextAskAt?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  await expect(checkout(unpaid.id, commandOf(unpaid.ownerId))).rejects.toMatchObject({ type: 'invoice_not_open' });

  await control(unpaid, { outcome: 'paid' });
  await age(unpaid, 24);
  expect(await activities.reconcileInvoice(unpaid.id)).toMatchObject({ stage: 'paid', isOver: true });
  expect(await moneyOf(unpaid)).toEqual({
    balance: amountMinor,
    movements: 1,
    incidents: ['late_payment'],
    notified: ['invoice.expired', 'invoice.paid_late'],
  });
});

test('an invoice expires even while the bank is away, with a query within the hour', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'error' });
  await age(invoice, 25);
  expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'expired', isOver: false });
  expect((await load(invoice.id)).nextAskAt?.getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000);
});

/** The platform with a bank that answers as the test defines. */
function withBank(queryStatus: Platform['bank']['queryStatus']): Platform {
  const { bank } = platform;
  return { ...platform, bank: { ...bank, queryStatus } };
}

const says = (invoice: Invoice, response: Partial<BankResponse>): BankResponse => ({
  state: 'pending',
  invoiceNumber: invoice.number,
  amountMinor,
  currency: 'KZT',
  terminal: platform.bank.terminal,
  reference: null,
  paidAt: null,
  ...response,
});

test('a query to the bank runs outside of a transaction', async () => {
  const invoice = await checkedOut();
  let openTransactions = -1;
  const counting = withBank(async () => {
    const [row] = await sql<{ count: string }>(
      `select count(*) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    openTransactions = Number(row?.count);
    throw new BankUnavailableError('away');
  });
  await reconcileHinted(invoice.id, createInvoiceActivities(counting));
  expect(openTransactions).toBe(0);
});

// WAL-13
describe('at most one query to the bank in five seconds', () => {
  const hint = ({ id, ownerId }: Invoice, outbox = platform.outbox) =>
    commit({ ...platform, outbox }, callerOf(ownerId), (ctx) => noteBankHint(ctx, id));

  test('a flood of hints causes one query, and one more after the pause', async () => {
    const invoice = await checkedOut();
    const hintAndLook = async () => {
      await hint(invoice);
      await activities.reconcileInvoice(invoice.id);
    };
    await Promise.all(Array.from({ length: 30 }, hintAndLook));
    expect(await questionsAbout(invoice)).toBe(1);
    await control(invoice, { outcome: 'paid' });
    await hintAndLook();
    const waiting = await load(invoice.id);
    expect(waiting.nextAskAt?.getTime()).toBe((waiting.lastAskedAt?.getTime() ?? 0) + 5000);
    expect([await questionsAbout(invoice), (await load(invoice.id)).status]).toEqual([1, 'pending']);
    await endPause(invoice);
    expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'paid' });
    expect(await questionsAbout(invoice)).toBe(2);
  });

  test('a planned query waits for the end of the pause too', async () => {
    const invoice = await checkedOut();
    await activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId));
    await sql('update invoices set next_ask_at = now() where id = ?', [invoice.id]);
    const view = await activities.reconcileInvoice(invoice.id);
    expect(view).toMatchObject({ isDue: false });
    expect(view.timer?.afterMs).toBeLessThanOrEqual(5000);
    expect(await questionsAbout(invoice)).toBe(1);
  });

  test('endless hints do not lengthen the planned intervals', async () => {
    const invoice = await checkedOut();
    await sql('update invoices set asked = 5 where id = ?', [invoice.id]);
    for (let time = 0; time < 5; time += 1) {
      await hint(invoice);
      await activities.reconcileInvoice(invoice.id);
      await endPause(invoice);
    }
    expect(await questionsAbout(invoice)).toBe(5);
    expect((await load(invoice.id)).asked).toBe(5);
  });

  test('a hint during a query causes another query', async () => {
    const invoice = await checkedOut();
    await sql('update invoices set next_ask_at = now() where id = ?', [invoice.id]);
    const overtaken = withBank(async () => {
      await hint(invoice);
      return says(invoice, {});
    });
    const view = await createInvoiceActivities(overtaken).reconcileInvoice(invoice.id);
    expect(view.timer?.afterMs).toBeLessThanOrEqual(5000);
    const asked = await load(invoice.id);
    expect(asked.nextAskAt?.getTime()).toBe((asked.lastAskedAt?.getTime() ?? 0) + 5000);
    expect(asked.hintedAt).not.toBeNull();
  });

  test('a hinted query is retried until the bank responds', async () => {
    const invoice = await checkedOut();
    await sql('update invoices set asked = 9 where id = ?', [invoice.id]);
    const away = withBank(() => Promise.reject(new BankUnavailableError('away')));
    await hint(invoice);
    await createInvoiceActivities(away).reconcileInvoice(invoice.id);
    const noted = await load(invoice.id);
    expect(noted).toMatchObject({ asked: 9, hintedAt: expect.any(Date), lastAnsweredAt: null });
    expect(noted.nextAskAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  test('a query of a crashed worker is asked again', async () => {
    const invoice = await checkedOut();
    await hint(invoice);
    const dies = withBank(() => Promise.reject(new Error('killed')));
    await expect(createInvoiceActivities(dies).reconcileInvoice(invoice.id)).rejects.toThrow();
    await control(invoice, { outcome: 'paid' });
    expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'pending', isDue: false });
    await endPause(invoice);
    expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'paid' });
  });

  test('a verification during the pause asks and records nothing; its command can be sent again', async () => {
    const invoice = await checkedOut();
    await activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId));
    const command = commandOf(invoice.ownerId);
    const before = await load(invoice.id);
    expect(await activities.verifyInvoice(invoice.id, command)).toMatchObject({ stage: 'pending' });
    expect(await load(invoice.id)).toEqual(before);
    await control(invoice, { outcome: 'paid' });
    await endPause(invoice);
    expect(await activities.verifyInvoice(invoice.id, command)).toMatchObject({ stage: 'paid' });
    expect(await questionsAbout(invoice)).toBe(2);
  });

  test.each([
    ['paid', 'paid'],
    ['mismatch', 'wrong_amount'],
  ])('a hint about an invoice that is %s writes nothing and wakes no process', async (status, outcome) => {
    const invoice = await checkedOut();
    await control(invoice, { outcome });
    await reconcileHinted(invoice.id);
    const before = await load(invoice.id);
    expect(before.status).toBe(status);
    await endPause(invoice);
    const rested = await load(invoice.id);
    const woken: WakeUp[] = [];
    await hint(invoice, { ...relayOnlyOutbox, deliver: (wakeUps) => void woken.push(...wakeUps) });
    expect(await load(invoice.id)).toEqual(rested);
    expect(woken).toEqual([]);
  });
});

// WAL-8
describe("the bank's time of payment", () => {
  const pays = (invoice: Invoice, paidAt: Date | null) =>
    createInvoiceActivities(
      withBank(async () => says(invoice, { state: 'paid', reference: `RRN-${randomUUID()}`, paidAt: paidAt && paidAt.toISOString() })),
    );

  /** Expires an invoice while the bank is silent. */
  async function expiredUnasked(): Promise<Invoice> {
    const { id } = await checkedOut();
    const invoice = await load(id);
    await age(invoice, 25);
    const silent = withBank(() => Promise.reject(new BankUnavailableError('silent')));
    expect(await createInvoiceActivities(silent).reconcileInvoice(id)).toMatchObject({ stage: 'expired' });
    await age(invoice, 1);
    return load(id);
  }

  test('money paid in time is not late, however long the bank is silent', async () => {
    const invoice = await expiredUnasked();
    const paidAt = new Date(invoice.expiresAt.getTime() - 60_000);
    await pays(invoice, paidAt).reconcileInvoice(invoice.id);
    expect(await load(invoice.id)).toMatchObject({ status: 'paid', late: false, paidAt });
    expect(await moneyOf(invoice)).toEqual({
      balance: amountMinor,
      movements: 1,
      incidents: [],
      notified: ['invoice.expired', 'invoice.paid'],
    });
  });

  test('money paid after the expiry is late, and an instant in the future counts as now', async () => {
    const invoice = await expiredUnasked();
    await pays(invoice, new Date(Date.now() + 3_600_000)).reconcileInvoice(invoice.id);
    const paid = await load(invoice.id);
    expect(paid).toMatchObject({ status: 'paid', late: true });
    expect(paid.paidAt?.getTime()).toBeGreaterThanOrEqual(invoice.expiresAt.getTime());
    expect(paid.paidAt?.getTime()).toBeLessThanOrEqual(Date.now());
    expect((await moneyOf(invoice)).incidents).toEqual(['late_payment']);
  });
});

describe('an invoice without a checkout', () => {
  test('expires without a query, and its process is over', async () => {
    const invoice = await makeInvoice();
    await age(invoice, 24);
    expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'expired', isOver: true, timer: null });
    expect(await questionsAbout(invoice)).toBe(0);
    expect(await moneyOf(invoice)).toEqual({ ...nothing, notified: ['invoice.expired'] });
  });

  test('gets a query on a hint while it is open, but no plan of queries', async () => {
    const invoice = await makeInvoice();
    await reconcileHinted(invoice.id);
    expect(await questionsAbout(invoice)).toBe(1);
    expect((await load(invoice.id)).nextAskAt).toEqual(invoice.expiresAt);
  });

  test('is over too after a last hinted query about which the bank knows nothing', async () => {
    const invoice = await makeInvoice();
    await reconcileHinted(invoice.id);
    await commit(platform, callerOf(invoice.ownerId), (ctx) => noteBankHint(ctx, invoice.id));
    await age(invoice, 25);
    expect(await activities.reconcileInvoice(invoice.id)).toMatchObject({ stage: 'expired', isOver: true });
    expect(await questionsAbout(invoice)).toBe(2);
    expect(await load(invoice.id)).toMatchObject({ nextAskAt: null, hintedAt: null });
  });
});

describe('making invoices', () => {
  const create = (ownerId: number, idempotencyKey: string) =>
    commit(platform, callerOf(ownerId), (ctx) => createInvoice(ctx, { ownerId, amountMinor, idempotencyKey }));

  test('of thirty at once twenty are created, and those can be repeated (WAL-3, WAL-4)', async () => {
    const ownerId = await makeUser();
    const keys = Array.from({ length: 30 }, () => randomUUID());
    const results = await Promise.allSettled(keys.map((key) => create(ownerId, key)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as DomainError] : []));
    expect(refused).toHaveLength(10);
    for (const { code, details } of refused) expect([code, details]).toEqual(['too_many_open_invoices', { open: 20, limit: 20 }]);
    const made = results.findIndex(({ status }) => status === 'fulfilled');
    expect(await create(ownerId, keys[made] ?? '')).toMatchObject({ isNew: false });
    // An invoice past its `expires_at` does not count as open, even before its process has expired it.
    await sql("update invoices set expires_at = now() - interval '1 second' where id = (select min(id) from invoices where owner_id = ?)", [
      ownerId,
    ]);
    expect(await create(ownerId, randomUUID())).toMatchObject({ isNew: true });
  });

  test('numbers cannot be guessed from each other', async () => {
    const ownerId = await makeUser();
    const numbers: number[] = [];
    for (let count = 0; count < 10; count += 1) numbers.push(Number((await create(ownerId, randomUUID())).invoice.number));
    const steps = new Set(numbers.slice(1).map((number, index) => number - (numbers[index] ?? 0)));
    expect(steps.size).toBe(9);
    for (const number of numbers) expect(String(number)).toMatch(/^[1-9][0-9]{11}$/);
  });

  test('a taken number is drawn again', async () => {
    const ownerId = await makeUser();
    const { invoice: taken } = await create(ownerId, randomUUID());
    const numbers = [taken.number, '123456789012'];
    const { invoice } = await commit(platform, callerOf(ownerId), (ctx) =>
      createInvoice(ctx, { ownerId, amountMinor, idempotencyKey: randomUUID() }, () => numbers.shift() ?? ''),
    );
    expect(invoice.number).toBe('123456789012');
  });
});

test('the process of a missing invoice is over', async () => {
  expect(await activities.reconcileInvoice(999_999)).toMatchObject({ stage: 'absent', isOver: true });
});

test('without a bank neither a checkout nor a query is possible, and the invoice stays (API-10)', async () => {
  const bare = { ...platform, bank: disabledBank };
  expect(() => requireBank(bare)).toThrow(expect.objectContaining({ code: 'bank_unavailable' }));
  const open = await checkedOut();
  const verified = createInvoiceActivities(bare).verifyInvoice(open.id, commandOf(open.ownerId));
  await expect(verified).rejects.toMatchObject({ type: 'bank_unavailable' });
  expect((await load(open.id)).status).toBe('pending');
});
