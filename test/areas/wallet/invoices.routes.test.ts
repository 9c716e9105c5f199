import { randomUUID } from 'node:crypto';
import { baseUrl } from '../../../src/registry/config.ts';
import { sortTwins, type TestClient } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { control, made, make, opened, refusal } from './invoice-steps.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();
const payer = await api.user();

async function balanceOf(owner: TestClient): Promise<number> {
  return owner.expect(200, await owner.get('/wallet')).body.data.balance_minor;
}

const actionsOf = async (id: number) => (await audit('invoice', id)).map(({ action }) => action);

describe('POST /invoices', () => {
  test('creates an invoice with a number, 24 hours to pay it, a process and an audit row (WAL-3)', async () => {
    const owner = await api.user();
    const answer = owner.expect(201, await make(owner));
    const { data } = answer.body;
    expect(data).toMatchObject({
      amount_minor: 150_000,
      currency: 'KZT',
      status: 'created',
      late: false,
      paid_at: null,
      bank_reference: null,
    });
    expect(data.number).toMatch(/^[0-9]{6,15}$/);
    expect(answer.headers.get('location')).toBe(`/api/v1/invoices/${data.id}`);
    expect(Date.parse(data.expires_at) - Date.parse(data.created_at)).toBe(86_400_000);
    expect(data.created_at).toMatch(/\+05:00$/);
    expect(await actionsOf(data.id)).toEqual(['invoice.created']);
    await waitFor(
      () => api.platform.processes.describe(`invoice/${data.id}`),
      (found) => found?.status === 'running',
      'the process of the invoice',
    );
  });

  // WAL-4
  test('answers the same invoice for the same key and amount, 409 for another amount; keys belong to an account', async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const key = randomUUID();
    const first = owner.expect(201, await make(owner, '1500.00', key));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const repeat = owner.expect(201, await make(owner, '1500.00', key));
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body.data).toEqual(first.body.data);
    expect(await make(owner, '1500.01', key)).toMatchObject(refusal(409, 'idempotency_key_conflict'));
    // An invoice keeps its key forever, longer than stored requests.
    await api.sql('delete from idempotent_requests');
    expect(await make(owner, '1500.01', key)).toMatchObject(refusal(409, 'idempotency_key_conflict'));
    const late = owner.expect(200, await make(owner, '1500.00', key));
    expect([late.headers.get('idempotent-replayed'), late.body.data]).toEqual(['true', first.body.data]);
    expect(other.expect(201, await make(other, '1500.01', key)).body.data.id).not.toBe(first.body.data.id);
  });

  test('fifty concurrent requests with one key create one invoice (WAL-4)', async () => {
    const owner = await api.user();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => make(owner, '2500.00', key)));
    const { effects, replays, others } = sortTwins(answers);
    expect([effects.map(({ status }) => status), others]).toEqual([[201], []]);
    for (const { body } of replays) expect(body.data.id).toBe(effects[0]?.body.data.id);
    expect(await api.sql('select id from invoices where owner_id = $1', [owner.userId])).toHaveLength(1);
  });

  test('refuses a missing key, together with all other problems (WAL-4)', async () => {
    const owner = await api.user();
    const answer = await owner.post('/invoices', { amount: 'many', currency: 'KZT' });
    expect(answer).toMatchObject(refusal(422, 'validation_failed'));
    expect(answer.body.error.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.amount',
      'body.currency',
      'headers.idempotency-key',
    ]);
  });

  test.each(['99.99', '5000000.01', '0.00', '-100.00', '100', '100.0', '1e5', ' 100.00', '1,000.00', 15000, null, '99999999999.00'])(
    'amount %j is refused (WAL-3)',
    async (amount) => {
      const answer = await make(payer, amount);
      expect(answer).toMatchObject(refusal(422, 'validation_failed'));
      expect(answer.body.error.details.fields[0].path).toBe('body.amount');
    },
  );

  test.each(['100.00', '5000000.00'])('amount %s is accepted (WAL-3)', async (amount) => {
    expect((await make(payer, amount)).status).toBe(201);
  });
});

describe('access', () => {
  test('is refused to an anonymous caller and to a key without the scope', async () => {
    const owner = await api.user();
    const invoice = await made(owner);
    const reader = await owner.program(['wallet:read']);
    for (const [method, path] of [
      ['POST', '/invoices'],
      ['POST', `/invoices/${invoice.id}/checkout`],
      ['POST', `/invoices/${invoice.id}/verify`],
    ] as const) {
      const browser = api.browser();
      expect(await browser.request(method, path)).toMatchObject({ status: 401 });
      expect(await reader.request(method, path)).toMatchObject(refusal(403, 'insufficient_scope'));
    }
    expect((await reader.get(`/invoices/${invoice.id}`)).status).toBe(200);
    expect(await api.browser().get(`/invoices/${invoice.id}`)).toMatchObject(refusal(401, 'unauthenticated'));
    const without = api.browser();
    without.cookie = owner.cookie;
    expect(await without.post(`/invoices/${invoice.id}/verify`)).toMatchObject(refusal(419, 'csrf_failed'));
  });

  // WAL-15, API-3
  test("to another account's invoice answers 404; an administrator reads it with its process but cannot pay it", async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const invoice = await made(owner);
    for (const answer of [
      await other.get(`/invoices/${invoice.id}`),
      await other.get(`/invoices/${invoice.id}/timeline`),
      await other.post(`/invoices/${invoice.id}/checkout`),
      await other.post(`/invoices/${invoice.id}/verify`),
      await owner.get('/invoices/2147483647'),
    ]) {
      expect(answer).toMatchObject(refusal(404, 'not_found'));
    }
    const administrator = await api.administrator();
    const seen = administrator.expect(200, await administrator.get(`/invoices/${invoice.id}`)).body.data;
    expect(seen.process).toMatchObject({ workflow_id: `invoice/${invoice.id}`, waiting_for: 'owner', next_timer_at: invoice.expires_at });
    expect(owner.expect(200, await owner.get(`/invoices/${invoice.id}`)).body.data).toEqual(invoice);
    expect(await administrator.post(`/invoices/${invoice.id}/checkout`)).toMatchObject(refusal(404, 'not_found'));
    expect(await owner.get('/invoices/abc')).toMatchObject(refusal(422, 'validation_failed'));
  });
});

describe('checkout and payment', () => {
  test("the form leads to the bank's page, and paying there credits the invoice without a verification", async () => {
    const owner = await api.user();
    const invoice = await made(owner);
    const { data } = owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`)).body;
    expect(data).toMatchObject({
      method: 'POST',
      action: `${api.surroundings.bank.url}/pay`,
      invoice: { id: invoice.id, status: 'pending' },
    });
    expect(data.fields).toMatchObject({ invoice: invoice.number, amount: '150000', currency: 'KZT' });
    const returnUrl = data.fields.return_url.replace(baseUrl(api.platform.config), api.url);
    // Some banks return the browser by POST.
    for (const form of [{}, { method: 'POST', body: new URLSearchParams({ status: 'paid' }) }]) {
      const back = await fetch(returnUrl, { headers: { 'accept-language': 'en' }, ...form });
      expect([back.status, back.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await back.text()).toContain('You can close this page');
    }
    const words = await (await fetch(returnUrl)).text();
    expect(words + data.fields.return_url).not.toMatch(new RegExp(`${invoice.number}|invoices|paid for`));
    const page = await (await fetch(data.action, { method: 'POST', body: new URLSearchParams(data.fields) })).text();
    const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(page) ?? [];
    const click = await fetch(`${api.surroundings.bank.url}/pay/${invoice.number}`, {
      method: 'POST',
      body: new URLSearchParams({ ticket, decision: 'pay' }),
    });
    expect(click.status).toBe(200);
    const paid = await waitFor(
      async () => (await owner.get(`/invoices/${invoice.id}`)).body.data,
      ({ status }) => status === 'paid',
      'the callback to do its work',
    );
    expect(paid).toMatchObject({ late: false, bank_reference: expect.stringMatching(/^RRN/), paid_at: expect.stringMatching(/\+05:00$/) });
    expect(await balanceOf(owner)).toBe(150_000);
    expect(await actionsOf(invoice.id)).toEqual(['invoice.created', 'invoice.checked_out', 'invoice.paid']);
    const { data: timeline } = owner.expect(200, await owner.get(`/invoices/${invoice.id}/timeline`)).body;
    expect(timeline.map(({ step, actor }: { step: string; actor: string }) => `${step} ${actor}`)).toEqual([
      'created owner',
      'checked_out owner',
      'bank_paid bank',
      'paid system',
    ]);
    expect(timeline.at(-1).waiting_for).toBeNull();
    expect(await owner.post(`/invoices/${invoice.id}/checkout`)).toMatchObject({ ...refusal(409, 'invoice_not_open') });
    expect(owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`)).body.data.status).toBe('paid');
  });

  test('checkout can be repeated while the invoice is open', async () => {
    const owner = await api.user();
    const invoice = await opened(owner);
    const again = owner.expect(
      200,
      await owner.post(`/invoices/${invoice.id}/checkout`, undefined, { 'idempotency-key': 'again-and-again' }),
    ).body.data;
    expect(again.invoice.status).toBe('pending');
    owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`, undefined, { 'idempotency-key': 'again-and-again' }));
    expect((await actionsOf(invoice.id)).filter((action) => action === 'invoice.checked_out')).toHaveLength(2);
  });

  test.each([
    ['failed', 'failed'],
    ['wrong_amount', 'mismatch'],
  ])('the bank answers `%s`: the invoice is `%s` and cannot be paid any more', async (outcome, status) => {
    const owner = await api.user();
    const invoice = await opened(owner);
    await control(api, invoice.number, { outcome });
    const { data } = owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`)).body;
    expect(data).toMatchObject({ status, paid_at: null, bank_reference: null });
    expect(await owner.post(`/invoices/${invoice.id}/checkout`)).toMatchObject({
      status: 409,
      body: { error: { code: 'invoice_not_open', details: { status } } },
    });
    expect(await balanceOf(owner)).toBe(0);
  });

  test('an unavailable bank: 503 with Retry-After, and the invoice stays unchanged', async () => {
    const owner = await api.user();
    const invoice = await opened(owner);
    await control(api, invoice.number, { outcome: 'error', times: 1 });
    const answer = await owner.post(`/invoices/${invoice.id}/verify`);
    expect(answer).toMatchObject(refusal(503, 'bank_unavailable'));
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect((await owner.get(`/invoices/${invoice.id}`)).body.data.status).toBe('pending');
  });
});

describe('POST /bank/callback', () => {
  const call = (init: RequestInit, query = '') => fetch(`${api.url}/api/v1/bank/callback${query}`, { method: 'POST', ...init });

  test.each<[string, RequestInit, string]>([
    ['nothing', {}, ''],
    ['JSON', { body: '{"invoice_number":"1999999999"}', headers: { 'content-type': 'application/json' } }, ''],
    ['JSON that is none', { body: '{"invoice', headers: { 'content-type': 'application/json' } }, ''],
    ['a form', { body: new URLSearchParams({ invoice: '1999999999' }) }, ''],
    ['bytes', { body: Buffer.from([0, 255, 0, 1]), headers: { 'content-type': 'application/octet-stream' } }, ''],
    ['XML', { body: '<x/>', headers: { 'content-type': 'text/xml' } }, ''],
    ['too much', { body: 'x'.repeat(200_000) }, ''],
    ['a query', {}, '?invoice=1999999999&whatever=1&whatever=2'],
  ])('accepts %s', async (_, init, query) => {
    const answer = await call(init, query);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { received: true } });
  });

  test('only causes a query, even when it says "paid" (WAL-5)', async () => {
    const owner = await api.user();
    const invoice = await opened(owner);
    const claim = {
      invoice_number: invoice.number,
      state: 'paid',
      amount_minor: 150_000,
      currency: 'KZT',
      reference: 'RRN666',
      terminal: 'TEST0001',
    };
    for (let time = 0; time < 3; time += 1) expect((await call({ body: JSON.stringify(claim) })).status).toBe(200);
    await waitFor(
      () => api.sql<{ n: string }>('select count(*) as n from bank_answers where invoice_id = $1', [invoice.id]),
      ([row]) => row?.n === '1',
      'the query',
    );
    expect((await owner.get(`/invoices/${invoice.id}`)).body.data.status).toBe('pending');
    expect(await balanceOf(owner)).toBe(0);
  });
});
