import { randomUUID } from 'node:crypto';
import { type Answer, sortTwins, type TestClient } from '../../support/client.ts';
import { topUp } from '../../support/factories.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { administratorPassword } from '../../support/sign-up.ts';
import { textOfRow, type NotificationRow } from '../../support/texts/notification-texts.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();

afterEach(async () => expect(await findBrokenInvariants(api.surroundings.database.ownerUrl)).toEqual([]));

const password = administratorPassword;
const reason = 'counted by hand';
const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });

type Fields = Record<string, unknown>;
function correct(userId: number, fields: Fields = {}, key: string = randomUUID(), by = administrator): Promise<Answer> {
  const body = { user_id: userId, amount: '1500.00', direction: 'credit', reason, password, ...fields };
  return by.post('/admin/ledger/corrections', body, { 'idempotency-key': key });
}
const corrected = async (userId: number, fields: Fields = {}) => administrator.expect(201, await correct(userId, fields)).body.data;
const reverse = (id: number, fields: Fields = {}, by = administrator) =>
  by.post(`/admin/ledger/${id}/reverse`, { reason, password, ...fields });

const walletOf = async (owner: TestClient) => owner.expect(200, await owner.get('/wallet?limit=100')).body.data;
const balanceOf = async (owner: TestClient): Promise<number> => (await walletOf(owner)).balance_minor;
async function ledger(query: string): Promise<{ data: Fields[]; meta: Fields }> {
  return administrator.expect(200, await administrator.get(`/admin/ledger?${query}`)).body;
}
const notificationsTo = async (owner: TestClient) => {
  const rows = await api.sql<NotificationRow>(
    `select type, facts, subject_id from notifications where user_id = $1 and type like 'ledger.%' order by id`,
    [owner.userId],
  );
  return rows.map((row) => ({ type: row.type, text: textOfRow(row), subject_id: row.subject_id }));
};

async function incident(): Promise<number> {
  const [row] = await api.sql<{ id: number }>(
    `insert into incidents (kind, subject_kind, subject_id, details, at) values ('bank_mismatch', 'invoice', $1, '{}', now()) returning id`,
    [randomUUID()],
  );
  return row?.id ?? 0;
}
const incidentRow = async (id: number) =>
  (
    await api.sql<Fields>(
      'select resolved_at is not null as settled, resolved_by, resolution, transaction_id from incidents where id = $1',
      [id],
    )
  )[0];

// WAL-10, WAL-11
describe('moving money', () => {
  test('is refused to API keys, to other accounts, and with a wrong password', async () => {
    const owner = await api.user();
    const program = await administrator.program(['admin:read', 'admin:write', 'wallet:write']);
    const { id } = await corrected(owner.userId);
    for (const send of [(by: TestClient) => correct(owner.userId, {}, randomUUID(), by), (by: TestClient) => reverse(id, {}, by)]) {
      expect(await send(program)).toMatchObject(refusal(403, 'browser_session_required'));
      expect(await send(owner)).toMatchObject(refusal(403, 'forbidden'));
      expect((await send(api.browser())).status).toBe(401);
    }
    expect(await correct(owner.userId, { password: 'wrong' })).toMatchObject(refusal(403, 'password_confirmation_failed'));
    expect(await reverse(id, { password: 'wrong' })).toMatchObject(refusal(403, 'password_confirmation_failed'));
    expect(
      await administrator.request('POST', `/admin/ledger/${id}/reverse`, { body: { reason, password }, headers: { 'x-csrf-token': 'x' } }),
    ).toMatchObject(refusal(419, 'csrf_failed'));
    expect(await balanceOf(owner)).toBe(150_000);
  });
});

// WAL-10
describe('POST /admin/ledger/corrections', () => {
  test('moves money against the adjustments, gives the owner the reason, and keeps it out of the audit', async () => {
    const owner = await api.user();
    const answer = administrator.expect(201, await correct(owner.userId));
    const { data } = answer.body;
    expect(data).toEqual({
      id: expect.any(Number),
      type: 'correction',
      amount_minor: 150_000,
      user_id: owner.userId,
      reason,
      actor_id: administrator.userId,
      application_id: null,
      invoice_id: null,
      reversal_of: null,
      reversed_by: null,
      entries: [
        { account: `wallet:${owner.userId}`, amount_minor: 150_000 },
        { account: 'adjustments', amount_minor: -150_000 },
      ],
      at: expect.stringMatching(/\+05:00$/),
    });
    expect(await walletOf(owner)).toMatchObject({ balance_minor: 150_000, operations: [{ id: data.id, type: 'correction' }] });
    expect(await notificationsTo(owner)).toEqual([
      {
        type: 'ledger.corrected',
        text: `The federation has corrected your wallet: credited KZT 1,500.00 (operation ${data.id}). Reason: ${reason}`,
        subject_id: String(data.id),
      },
    ]);
    expect(await audit('ledger', data.id)).toMatchObject([
      {
        action: 'ledger.corrected',
        actor_id: administrator.userId,
        data: { user_id: owner.userId, amount_minor: 150_000, direction: 'credit' },
      },
    ]);

    const taken = await corrected(owner.userId, { direction: 'debit', amount: '0.01' });
    expect(taken).toMatchObject({ amount_minor: -1, user_id: owner.userId });
    expect(await balanceOf(owner)).toBe(149_999);
  });

  test('refuses more than the balance, a missing account and invalid amounts (WAL-2)', async () => {
    const owner = await api.user();
    await corrected(owner.userId, { amount: '10.00' });
    const beyond = await correct(owner.userId, { direction: 'debit', amount: '10.01' });
    expect(beyond).toMatchObject({
      status: 409,
      body: { error: { code: 'insufficient_funds', details: { balance_minor: 1000, amount_minor: 1001 } } },
    });
    expect(await correct(2_000_000_000)).toMatchObject(refusal(404, 'not_found'));
    for (const amount of ['0.00', '1,00', 1]) expect((await correct(owner.userId, { amount })).status).toBe(422);
    const { status, body } = await administrator.post('/admin/ledger/corrections', { user_id: 0, direction: 'up', reason: 'x', colour: 1 });
    expect([status, body.error.details.fields.map(({ path }: { path: string }) => path).sort()]).toEqual([
      422,
      ['body.amount', 'body.colour', 'body.direction', 'body.password', 'body.reason', 'body.user_id', 'headers.idempotency-key'],
    ]);
    expect(await balanceOf(owner)).toBe(1000);
  });

  test('makes one correction for one key, however often it is sent at once', async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 6 }, () => correct(owner.userId, {}, key)));
    const { effects, replays, others: surprises } = sortTwins(answers);
    expect([effects.map(({ status }) => status), surprises]).toEqual([[201], []]);
    for (const { body } of replays) expect(body.data.id).toBe(effects[0]?.body.data.id);
    expect([await balanceOf(owner), (await notificationsTo(owner)).length]).toEqual([150_000, 1]);
    const others = [
      { amount: '1500.01' },
      { direction: 'debit' },
      { user_id: other.userId },
      { reason: 'another reason' },
      { incident_id: await incident() },
    ];
    for (const fields of others) expect(await correct(owner.userId, fields, key)).toMatchObject(refusal(409, 'idempotency_key_conflict'));
    // A refused request does not use up its key.
    const refused = randomUUID();
    expect((await correct(other.userId, { direction: 'debit' }, refused)).status).toBe(409);
    await corrected(other.userId, { amount: '2000.00' });
    administrator.expect(201, await correct(other.userId, { direction: 'debit' }, refused));
  });

  test('makes one correction of two different contents with one key, and refuses the other', async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const [key, conflict] = [randomUUID(), 'idempotency_key_conflict'];
    const answers = await Promise.all([correct(owner.userId, {}, key), correct(other.userId, {}, key)]);
    const codes = answers.map(({ body }) => body.error?.code ?? 'made');
    const refused = codes.findIndex((code) => code !== 'made');
    expect(['idempotency_key_conflict', 'request_in_progress']).toContain(codes[refused]);
    expect(codes.filter((code) => code === 'made')).toHaveLength(1);
    // Also where the refusal was only that the other one was running.
    expect(await correct([owner, other][refused]?.userId ?? 0, {}, key)).toMatchObject(refusal(409, conflict));
    expect((await balanceOf(owner)) + (await balanceOf(other))).toBe(150_000);
  });

  test('resolves the named incident in the same transaction', async () => {
    const owner = await api.user();
    const [id, key] = [await incident(), randomUUID()];
    const made = administrator.expect(201, await correct(owner.userId, { incident_id: id }, key)).body.data;
    const settled = { settled: true, resolved_by: administrator.userId, resolution: reason, transaction_id: made.id };
    expect(await incidentRow(id)).toEqual(settled);
    expect(await audit('incident', id)).toMatchObject([{ action: 'incident.resolved', data: { transaction_id: made.id } }]);
    administrator.expect(201, await correct(owner.userId, { incident_id: id }, key));
    expect(await correct(owner.userId, {}, key)).toMatchObject(refusal(409, 'idempotency_key_conflict'));
    expect(await correct(owner.userId, { incident_id: id })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state', details: { incident_id: id } } },
    });
    expect(await correct(owner.userId, { incident_id: 2_000_000_000 })).toMatchObject({
      status: 422,
      body: { error: { details: { fields: [{ path: 'body.incident_id' }] } } },
    });
    expect([await balanceOf(owner), await incidentRow(id)]).toEqual([150_000, settled]);
  });
});

// WAL-11
describe('POST /admin/ledger/{entry_id}/reverse', () => {
  test('reverses a transaction once, and answers repeats with that reversal', async () => {
    const owner = await api.user();
    const { id } = await corrected(owner.userId);
    const answers = await Promise.all(Array.from({ length: 5 }, () => reverse(id)));
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 200, 200, 200, 201]);
    const [first] = answers;
    expect(first?.body.data).toMatchObject({
      type: 'reversal',
      amount_minor: -150_000,
      user_id: owner.userId,
      reversal_of: id,
      reason,
      actor_id: administrator.userId,
    });
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await balanceOf(owner)).toBe(0);
    const reversal = first?.body.data.id;
    expect((await audit('ledger', id)).slice(1)).toMatchObject([
      { action: 'ledger.reversed', data: { type: 'correction', transaction_id: reversal } },
    ]);
    expect((await notificationsTo(owner)).map(({ text }) => text).slice(1)).toEqual([
      `The federation has reversed operation ${id} of your wallet: debited KZT 1,500.00. Reason: ${reason}`,
    ]);
    expect((await ledger(`user_id=${owner.userId}`)).data.map((row) => [row['id'], row['reversal_of'], row['reversed_by']])).toEqual([
      [reversal, id, null],
      [id, null, reversal],
    ]);
    expect(await reverse(reversal)).toMatchObject(refusal(409, 'invalid_state'));
    expect(await reverse(2_000_000_000)).toMatchObject(refusal(404, 'not_found'));
    expect((await reverse(id, { reason: 'no' })).status).toBe(422);
  });

  test("reverses an invoice's credit; the invoice stays paid and its timeline shows the reversal", async () => {
    const owner = await api.user();
    const invoiceId = await topUp(owner, api.surroundings.bank.url, '300.00');
    const [booked] = (await ledger(`user_id=${owner.userId}&type=invoice_payment`)).data;
    expect(booked).toMatchObject({ invoice_id: invoiceId, amount_minor: 30_000 });
    const id = await incident();
    const { data } = administrator.expect(201, await reverse(Number(booked?.['id']), { incident_id: id })).body;
    expect(data).toMatchObject({
      invoice_id: invoiceId,
      amount_minor: -30_000,
      entries: expect.arrayContaining([{ account: 'bank:clearing', amount_minor: 30_000 }]),
    });
    expect(await incidentRow(id)).toMatchObject({ settled: true, transaction_id: data.id });
    administrator.expect(200, await reverse(Number(booked?.['id']), { incident_id: id }));
    expect(await balanceOf(owner)).toBe(0);
    expect(owner.expect(200, await owner.get(`/invoices/${invoiceId}`)).body.data.status).toBe('paid');
    const timeline = owner.expect(200, await owner.get(`/invoices/${invoiceId}/timeline`)).body.data;
    expect(timeline.at(-1)).toMatchObject({ step: 'reversed', actor: 'administrator' });
  });

  test('competes with a payment of the same money: only one of them succeeds', async () => {
    for (let round = 0; round < 3; round += 1) {
      const owner = await api.user();
      const { id: applicationId } = await make.application(owner, { status: 'submitted' });
      const [{ amount_minor: price } = { amount_minor: 0 }] = await api.sql<{ amount_minor: string }>(
        'select amount_minor from applications where id = $1',
        [applicationId],
      );
      const { id } = await corrected(owner.userId, { amount: (Number(price) / 100).toFixed(2) });
      const [paid, reversed] = await Promise.all([owner.post(`/applications/${applicationId}/pay`), reverse(id)]);
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual([paid.status, reversed.status]);
      expect([paid, reversed].find(({ status }) => status === 409)).toMatchObject(refusal(409, 'insufficient_funds'));
      expect(await balanceOf(owner)).toBe(0);
    }
  });

  test('refuses the payment of a live application; its later refund counts as the reversal', async () => {
    const owner = await api.user();
    const on = await make.athlete(owner, { medical: { status: 'pending' } });
    const { id: applicationId } = await make.application(owner, { on, status: 'submitted' });
    await corrected(owner.userId, { amount: '100000.00' });
    owner.expect(200, await owner.post(`/applications/${applicationId}/pay`));
    const [payment] = (await ledger(`user_id=${owner.userId}&type=application_payment`)).data;
    const id = Number(payment?.['id']);
    expect(await reverse(id)).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state', details: { application_id: applicationId, status: 'submitted' } } },
    });
    owner.expect(200, await owner.post(`/applications/${applicationId}/cancel`, { reason: 'I have changed my mind' }));
    const { data } = administrator.expect(200, await reverse(id)).body;
    expect(data).toMatchObject({ type: 'application_refund', reversal_of: id, application_id: applicationId });
    expect(await balanceOf(owner)).toBe(10_000_000);
  });

  test('refunds the payment of an annulled application, once', async () => {
    const owner = await api.user();
    const { id: applicationId } = await make.application(owner, { status: 'approved' });
    const [payment] = (await ledger(`user_id=${owner.userId}&type=application_payment`)).data;
    const id = Number(payment?.['id']);
    expect(await reverse(id)).toMatchObject(refusal(409, 'invalid_state'));
    const { revision } = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
    const annulment = { kind: 'application', id: applicationId, decision: 'cancel', note: 'issued by mistake', revision };
    administrator.expect(200, await administrator.post('/admin/review', annulment));
    const before = await balanceOf(owner);
    const answers = await Promise.all([reverse(id), reverse(id)]);
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 201]);
    expect(answers[0]?.body.data).toMatchObject({ type: 'application_refund', reversal_of: id, reason });
    expect(await balanceOf(owner)).toBe(before - Number(payment?.['amount_minor']));
    const [row] = await api.sql<Fields>('select paid, refund_transaction_id from applications where id = $1', [applicationId]);
    expect(row).toEqual({ paid: true, refund_transaction_id: answers[0]?.body.data.id });
    // The worker may still make the certificate.
    const refunds = (await audit('application', applicationId)).filter(({ action }) => action === 'application.refunded');
    expect(refunds).toHaveLength(1);
  });
});

describe('GET /admin/ledger', () => {
  test('lists by wallet, type and time, newest first, page by page', async () => {
    const owner = await api.user();
    const ids: number[] = [];
    for (const amount of ['1.00', '2.00', '3.00']) ids.push((await corrected(owner.userId, { amount })).id);
    const { id: reversal } = administrator.expect(201, await reverse(ids[1] ?? 0)).body.data;
    const idsOf = async (query: string) => (await ledger(query)).data.map(({ id }) => id);
    expect(await idsOf(`user_id=${owner.userId}`)).toEqual([reversal, ...ids.toReversed()]);
    expect(await idsOf(`user_id=${owner.userId}&type=correction&page=2&limit=2`)).toEqual([ids[0]]);
    expect((await ledger(`user_id=${owner.userId}&limit=1`)).meta).toEqual({ total: 4, page: 1, limit: 1 });
    expect(await idsOf('limit=4')).toEqual([reversal, ...ids.toReversed()]);
    expect((await idsOf('type=reversal'))[0]).toBe(reversal);
    const [{ at } = { at: '' }] = (await ledger(`user_id=${owner.userId}&limit=1`)).data;
    const day = String(at).slice(0, 10);
    expect(await idsOf(`user_id=${owner.userId}&from=${day}&to=${day}`)).toHaveLength(4);
    expect(await idsOf(`from=${encodeURIComponent(String(at))}&limit=1`)).toEqual([reversal]);
    expect(await ledger('from=2020-01-01&to=2020-12-31')).toMatchObject({ data: [], meta: { total: 0 } });
    expect(await ledger('user_id=2000000000')).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await administrator.get('/admin/ledger?type=gift&from=yesterday&colour=red')).body.error.details.fields).toHaveLength(3);
  });
});
