import { randomUUID } from 'node:crypto';
import { createInvoiceActivities } from '../../activities/invoices.ts';
import { BankUnavailableError } from '../../src/platform/bank/bank.ts';
import type { BankAnswer } from '../../src/platform/bank/bank.ts';
import { commit, read } from '../../src/platform/command.ts';
import type { Caller } from '../../src/platform/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { createInvoice } from '../../src/wallet/create-invoice.ts';
import type { Invoice } from '../../src/wallet/entities.ts';
import { findInvoice } from '../../src/wallet/queries.ts';
import { recordBankAnswer } from '../../src/wallet/record-bank-answer.ts';
import { findDue, findLive } from '../../src/wallet/sweep.ts';
import type { ProcessCommand } from '../../workflows/process.contract.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import type { TestSurroundings } from '../support/test-platform.ts';

/** Activities against the real database and the real bank simulator; only the engine is left out. */
let platform: Platform;
let surroundings: TestSurroundings;
let close: () => Promise<void>;
let activities: ReturnType<typeof createInvoiceActivities>;
const amountMinor = 1_500_000;

beforeAll(async () => {
  ({ platform, surroundings, close } = await startTestPlatform());
  activities = createInvoiceActivities(platform);
});
afterAll(() => close());

function sql<Row>(statement: string, params: unknown[] = []): Promise<Row[]> {
  return platform.orm.em.fork().execute<Row[]>(statement, params);
}

async function makeUser(): Promise<number> {
  const [row] = await sql<{ id: number }>(
    `insert into users (email, password_hash, name, role, status, created_at, updated_at) values (?, 'x', 'x', 'user', 'active', now(), now()) returning id`,
    [`${randomUUID()}@example.kz`],
  );
  return row?.id ?? 0;
}

function callerOf(userId: number): Caller {
  return { actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null }, requestId: randomUUID(), ip: null };
}

function commandOf(userId: number, commandId: string = randomUUID()): ProcessCommand<Record<string, never>> {
  return { commandId, caller: callerOf(userId), args: {} };
}

async function makeInvoice(): Promise<Invoice> {
  const ownerId = await makeUser();
  const { result } = await commit(platform, callerOf(ownerId), (ctx) =>
    createInvoice(ctx, { ownerId, amountMinor, idempotencyKey: randomUUID() }),
  );
  return load(result.id);
}

async function checkedOut(): Promise<Invoice> {
  const { id, ownerId } = await makeInvoice();
  await activities.checkoutInvoice(id, commandOf(ownerId));
  return load(id);
}

async function load(id: number): Promise<Invoice> {
  const invoice = await read(platform, (em) => findInvoice(em, id));
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
    told: notifications.map(({ type }) => type),
  };
}

/** Lets time pass for one invoice: everything it knows of time moves into the past. */
async function age(invoice: Invoice, hours: number): Promise<void> {
  await sql(
    `update invoices set created_at = created_at - make_interval(hours => ?), expires_at = expires_at - make_interval(hours => ?),
       next_ask_at = next_ask_at - make_interval(hours => ?) where id = ?`,
    [hours, hours, hours, invoice.id],
  );
}

const nothing = { balance: 0, movements: 0, incidents: [], told: [] };
const credited = { balance: amountMinor, movements: 1, incidents: [], told: ['invoice.paid'] };

test('checkout run twice gives one form out', async () => {
  const { id, ownerId } = await makeInvoice();
  const command = commandOf(ownerId);
  const first = await activities.checkoutInvoice(id, command);
  const second = await activities.checkoutInvoice(id, command);
  expect(second).toMatchObject({ stage: 'pending', waitingFor: 'bank', isOver: false });
  expect(first.details).toContain('Waits for the bank');
  expect(await sql(`select id from audit_events where action = 'invoice.checked_out' and subject_id = ?`, [String(id)])).toHaveLength(1);
});

test.each(['paid', 'twice'])('%s: credited once, however often it is recorded', async (outcome) => {
  const invoice = await checkedOut();
  await control(invoice, { outcome });
  const command = commandOf(invoice.ownerId);
  await activities.verifyInvoice(invoice.id, command);
  await activities.verifyInvoice(invoice.id, command);
  const view = await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect(view).toMatchObject({ stage: 'paid', waitingFor: 'nobody', isOver: true, wakeAfterMs: null });
  await activities.reconcileInvoice(invoice.id, { askNow: false });
  expect(await moneyOf(invoice)).toEqual(credited);
  expect(await load(invoice.id)).toMatchObject({
    status: 'paid',
    late: false,
    nextAskAt: null,
    bankReference: expect.stringMatching(/^RRN/),
  });
});

test('twenty questions at once credit once', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'paid' });
  await Promise.all(Array.from({ length: 20 }, () => activities.reconcileInvoice(invoice.id, { askNow: true })));
  expect(await moneyOf(invoice)).toEqual(credited);
  expect(await sql('select id from bank_answers where invoice_id = ?', [invoice.id])).toHaveLength(1);
});

test.each(['wrong_amount', 'wrong_currency', 'wrong_terminal', 'wrong_invoice'])(
  '%s: nothing is credited, one incident, for good',
  async (outcome) => {
    const invoice = await checkedOut();
    await control(invoice, { outcome });
    const view = await activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId));
    expect(view).toMatchObject({ stage: 'mismatch', waitingFor: 'administrator', isOver: true });
    const mismatched = { balance: 0, movements: 0, incidents: ['bank_mismatch'], told: ['invoice.mismatch'] };
    expect(await moneyOf(invoice)).toEqual(mismatched);
    await control(invoice, { outcome: 'paid' });
    await activities.reconcileInvoice(invoice.id, { askNow: true });
    expect(await moneyOf(invoice)).toEqual(mismatched);
    expect((await load(invoice.id)).status).toBe('mismatch');
  },
);

test('failed: nothing is credited; money that comes after all is credited once and flagged', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'failed' });
  const view = await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect(view).toMatchObject({ stage: 'failed', waitingFor: 'bank', isOver: false });
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect(await moneyOf(invoice)).toEqual({ ...nothing, told: ['invoice.failed'] });
  await control(invoice, { outcome: 'paid' });
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect(await moneyOf(invoice)).toEqual({
    balance: amountMinor,
    movements: 1,
    incidents: ['late_payment'],
    told: ['invoice.failed', 'invoice.paid_late'],
  });
  expect(await load(invoice.id)).toMatchObject({ status: 'paid', late: true });
  expect(await sql('select flags from ledger_transactions where invoice_id = ?', [invoice.id])).toEqual([{ flags: ['late'] }]);
});

test.each([
  ['error', {}],
  ['timeout', { delay_ms: 200 }],
])('%s: a bank that is away is a refusal to who asks, and a later question to the process', async (outcome, more) => {
  const invoice = await checkedOut();
  await control(invoice, { outcome, ...more });
  await expect(activities.verifyInvoice(invoice.id, commandOf(invoice.ownerId))).rejects.toMatchObject({
    type: 'bank_unavailable',
    nonRetryable: true,
  });
  const noted = await load(invoice.id);
  expect(noted).toMatchObject({ status: 'pending', asked: 1 });
  expect(noted.nextAskAt?.getTime()).toBeGreaterThan(Date.now());
  const view = await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect(view).toMatchObject({ stage: 'pending', isOver: false });
  expect(view.wakeAfterMs).toBeGreaterThan(0);
  await control(invoice, { outcome: 'paid' });
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect(await moneyOf(invoice)).toEqual(credited);
});

test('a payment named by one invoice never pays another', async () => {
  const [first, second] = [await checkedOut(), await checkedOut()];
  const word = (invoice: Invoice): BankAnswer => ({
    state: 'paid',
    invoiceNumber: invoice.number,
    amountMinor,
    currency: 'KZT',
    terminal: platform.bank.terminal,
    reference: 'RRN-shared',
    paidAt: null,
  });
  const say = (invoice: Invoice) =>
    commit(platform, callerOf(invoice.ownerId), (ctx) => recordBankAnswer(ctx, { invoice, answer: word(invoice) }, platform.bank.terminal));
  await say(first);
  await say(second);
  expect(await moneyOf(first)).toEqual(credited);
  expect(await moneyOf(second)).toEqual({ balance: 0, movements: 0, incidents: ['bank_mismatch'], told: ['invoice.mismatch'] });
});

test('the bank is not asked before its time, unless somebody says that something happened', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'paid' });
  expect(await activities.reconcileInvoice(invoice.id, { askNow: false })).toMatchObject({ stage: 'pending' });
  expect((await load(invoice.id)).lastAskedAt).toBeNull();
  await sql(`update invoices set next_ask_at = now() where id = ?`, [invoice.id]);
  expect(await activities.reconcileInvoice(invoice.id, { askNow: false })).toMatchObject({ stage: 'paid' });
});

test('a question out of turn leaves the plan as it was', async () => {
  const invoice = await checkedOut();
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  const asked = await load(invoice.id);
  expect(asked.nextAskAt).toEqual(invoice.nextAskAt);
  expect(asked).toMatchObject({ asked: 0 });
  expect(asked.lastAskedAt).not.toBeNull();
});

test('at the end of its time an invoice is asked about once more, then expires, and is looked for a week', async () => {
  const [unpaid, paid] = [await checkedOut(), await checkedOut()];
  await age(unpaid, 25);
  await age(paid, 25);
  await control(paid, { outcome: 'paid' });
  expect(await activities.reconcileInvoice(paid.id, { askNow: false })).toMatchObject({ stage: 'paid' });
  expect((await moneyOf(paid)).balance).toBe(amountMinor);

  expect(await activities.reconcileInvoice(unpaid.id, { askNow: false })).toMatchObject({
    stage: 'expired',
    waitingFor: 'bank',
    isOver: false,
  });
  const expired = await load(unpaid.id);
  expect(expired.lastAskedAt).not.toBeNull();
  expect(expired.nextAskAt?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  await expect(activities.checkoutInvoice(unpaid.id, commandOf(unpaid.ownerId))).rejects.toMatchObject({ type: 'invoice_not_open' });

  await control(unpaid, { outcome: 'paid' });
  await age(unpaid, 24);
  expect(await activities.reconcileInvoice(unpaid.id, { askNow: false })).toMatchObject({ stage: 'paid', isOver: true });
  expect(await moneyOf(unpaid)).toEqual({
    balance: amountMinor,
    movements: 1,
    incidents: ['late_payment'],
    told: ['invoice.expired', 'invoice.paid_late'],
  });
});

test('an invoice that nobody opened expires too, and after eight days it is over', async () => {
  const invoice = await makeInvoice();
  await age(invoice, 24 * 8 + 1);
  const view = await activities.reconcileInvoice(invoice.id, { askNow: false });
  expect(view).toMatchObject({ stage: 'expired', waitingFor: 'nobody', isOver: true, wakeAfterMs: null });
  expect(await moneyOf(invoice)).toEqual({ ...nothing, told: ['invoice.expired'] });
});

test('an invoice expires even while the bank is away, and is asked about within the hour', async () => {
  const invoice = await checkedOut();
  await control(invoice, { outcome: 'error' });
  await age(invoice, 25);
  expect(await activities.reconcileInvoice(invoice.id, { askNow: false })).toMatchObject({ stage: 'expired', isOver: false });
  expect((await load(invoice.id)).nextAskAt?.getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000);
});

test('what is open is live, what its time has come for is due, and looking makes it neither due nor lost', async () => {
  const invoice = await checkedOut();
  const listed = (list: number[]) => list.includes(invoice.id);
  const due = () => read(platform, (em, now) => findDue(em, now, invoice.id - 1, 10));
  const live = () => read(platform, (em) => findLive(em, invoice.id - 1, 10));
  expect([listed(await due()), listed(await live())]).toEqual([false, true]);
  await age(invoice, 1);
  expect([listed(await due()), listed(await live())]).toEqual([true, true]);
  await activities.reconcileInvoice(invoice.id, { askNow: false });
  expect([listed(await due()), listed(await live())]).toEqual([false, true]);
  await control(invoice, { outcome: 'paid' });
  await activities.reconcileInvoice(invoice.id, { askNow: true });
  expect([listed(await due()), listed(await live())]).toEqual([false, false]);
});

test('the bank is asked without a transaction', async () => {
  const invoice = await checkedOut();
  let openTransactions = -1;
  const watched: Platform = {
    ...platform,
    bank: {
      ...platform.bank,
      enabled: true,
      terminal: platform.bank.terminal,
      checkout: (form) => platform.bank.checkout(form),
      async ask() {
        const [row] = await sql<{ count: string }>(
          `select count(*) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
        );
        openTransactions = Number(row?.count);
        throw new BankUnavailableError('away');
      },
    },
  };
  await createInvoiceActivities(watched).reconcileInvoice(invoice.id, { askNow: true });
  expect(openTransactions).toBe(0);
});

test('a process of an invoice that does not exist is over', async () => {
  expect(await activities.reconcileInvoice(999_999, { askNow: true })).toMatchObject({ stage: 'absent', isOver: true });
});
