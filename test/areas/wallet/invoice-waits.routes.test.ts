import { waitFor } from '../../support/wait-for.ts';
import { control, made, opened, questionsAbout, refusal } from './invoice-steps.ts';
import { useRegistry } from '../../support/use-registry.ts';

// Tests that wait for the pause between queries or for the expiry of an invoice, in a file of their own so that they run beside the others.

const { api } = await useRegistry();

// WAL-13
describe('a flood of callbacks', () => {
  const call = (number: string) =>
    fetch(`${api.url}/api/v1/bank/callback`, { method: 'POST', body: JSON.stringify({ invoice_number: number }) });
  const runOf = (id: number) => api.platform.processes.describe(`invoice/${id}`);

  test('about an open invoice causes at most one query in five seconds; the genuine one credits the money', async () => {
    const owner = await api.user();
    const invoice = await opened(owner);
    for (let round = 0; round < 8; round += 1) await Promise.all(Array.from({ length: 25 }, () => call(invoice.number)));
    await waitFor(
      () => questionsAbout(api, invoice.number),
      (questions) => questions.length === 1,
      'the one question',
    );
    await control(api, invoice.number, { outcome: 'paid' });
    await Promise.all(Array.from({ length: 25 }, () => call(invoice.number)));
    await waitFor(
      async () => (await owner.get(`/invoices/${invoice.id}`)).body.data.status,
      (status) => status === 'paid',
      'the money, after the pause',
    );
    const [first, second, ...more] = await questionsAbout(api, invoice.number);
    expect(more).toEqual([]);
    expect((second?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBeGreaterThan(4000);
  });

  test('about a final or missing invoice changes nothing and wakes no process', async () => {
    const owner = await api.user();
    const invoice = await opened(owner);
    await control(api, invoice.number, { outcome: 'paid' });
    await owner.post(`/invoices/${invoice.id}/verify`);
    await waitFor(
      () => runOf(invoice.id),
      (found) => found?.status === 'completed',
      'the process to end',
    );
    const rows = () => api.sql('select * from invoices where owner_id = $1', [owner.userId]);
    const wakeUps = () => api.sql('select id from outbox where process = $1', [`invoice/${invoice.id}`]);
    await waitFor(wakeUps, ({ length }) => length === 0, 'the wake-ups of the payment to be delivered');
    const [before, questions] = [await rows(), await questionsAbout(api, invoice.number)];
    await Promise.all([invoice.number, '999999999999', '123456'].flatMap((number) => Array.from({ length: 10 }, () => call(number))));
    expect(await rows()).toEqual(before);
    expect(await questionsAbout(api, invoice.number)).toEqual(questions);
    expect(await wakeUps()).toEqual([]);
    expect((await runOf(invoice.id))?.status).toBe('completed');
  });
});

// WAL-13
test('verifications during the pause wait, and the next query answers all of them', async () => {
  const owner = await api.user();
  const invoice = await opened(owner);
  expect(owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`)).body.data.status).toBe('pending');
  // The bank has the money but sends no callback.
  await control(api, invoice.number, { outcome: 'paid', times: 1 });
  const answers = await Promise.all(Array.from({ length: 4 }, () => owner.post(`/invoices/${invoice.id}/verify`)));
  for (const answer of answers) expect(owner.expect(200, answer).body.data.status).toBe('paid');
  expect((await questionsAbout(api, invoice.number)).length).toBeLessThanOrEqual(2);
});

/** Moves the clock of this file's service, so these tests come last. */
describe('time', () => {
  test('money paid in time is not late when the bank was silent at the expiry (WAL-8)', async () => {
    const owner = await api.user();
    const invoice = await opened(owner);
    await control(api, invoice.number, { outcome: 'late', delay_ms: 500 });
    await control(api, invoice.number, { outcome: 'error' });
    await waitFor(
      async () => (await (await fetch(`${api.surroundings.bank.url}/control/${invoice.number}`)).json()) as { state: string },
      ({ state }) => state === 'paid',
      'the payment',
    );
    await api.travelTo(new Date(Date.parse(invoice.expires_at) + 60_000).toISOString());
    const expired = async () =>
      (await owner.get(`/invoices/${invoice.id}/timeline`)).body.data.some(({ step }: { step: string }) => step === 'expired');
    await waitFor(expired, (is) => is, 'the expiry');
    await control(api, invoice.number, { outcome: 'error', times: 1 });
    expect(await owner.post(`/invoices/${invoice.id}/verify`)).toMatchObject(refusal(503, 'bank_unavailable'));
    const { data } = owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`)).body;
    expect(data).toMatchObject({ status: 'paid', late: false });
    expect(Date.parse(data.paid_at)).toBeLessThan(Date.parse(data.expires_at));
    const { operations } = owner.expect(200, await owner.get('/wallet')).body.data;
    expect(operations[0]).toMatchObject({ type: 'invoice_payment', flags: [] });
  });

  // WAL-3, WAL-7, WAL-8
  test('an invoice expires at 24 hours, late money is credited once and flagged, and queries end after eight days', async () => {
    const owner = await api.user();
    const [late, lost, unopened] = [await opened(owner), await opened(owner), await made(owner)];
    const after = (hours: number) => new Date(Date.parse(lost.expires_at) + hours * 3_600_000 + 60_000).toISOString();
    await api.browser().put('/sandbox/clock', { now: after(0) });
    expect((await owner.get(`/invoices/${late.id}`)).body.data.status).toBe('expired');
    expect(await owner.post(`/invoices/${late.id}/checkout`)).toMatchObject(refusal(409, 'invoice_not_open'));
    await api.travelTo(after(1));
    for (const { id } of [late, lost, unopened]) {
      expect(await api.sql('select status from invoices where id = $1', [id])).toEqual([{ status: 'expired' }]);
    }
    await control(api, late.number, { outcome: 'paid' });
    const paid = await waitFor(
      async () => (await owner.get(`/invoices/${late.id}`)).body.data,
      ({ status }) => status === 'paid',
      'the late money',
    );
    expect(paid.late).toBe(true);
    await api.travelTo(after(30));
    const { data: wallet } = owner.expect(200, await owner.get('/wallet')).body;
    expect(wallet.balance_minor).toBe(150_000);
    expect(wallet.operations).toEqual([
      expect.objectContaining({
        type: 'invoice_payment',
        amount_minor: 150_000,
        balance_minor: 150_000,
        invoice_id: late.id,
        flags: ['late'],
      }),
    ]);
    expect(await api.sql(`select kind from incidents where subject_id = $1`, [String(late.id)])).toEqual([{ kind: 'late_payment' }]);
    const types = await api.sql<{ type: string }>('select type from notifications where user_id = $1 order by id', [owner.userId]);
    expect(types.map(({ type }) => type).sort()).toEqual(['invoice.expired', 'invoice.expired', 'invoice.expired', 'invoice.paid_late']);
    await api.travelTo(after(24 * 8));
    expect(await api.sql('select id from invoices where next_ask_at is not null and owner_id = $1', [owner.userId])).toEqual([]);
    await waitFor(
      () => api.platform.processes.describe(`invoice/${lost.id}`),
      (found) => found?.status === 'completed',
      'the process to end',
    );
  });
});
