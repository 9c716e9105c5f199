import { topUp } from '../../support/factories.ts';
import { startTestApi, type TestApi } from '../../support/test-api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('an unused wallet is empty', async () => {
  const owner = await api.user();
  const { body } = owner.expect(200, await owner.get('/wallet'));
  expect(body).toMatchObject({
    data: { balance_minor: 0, currency: 'KZT', invoices: [], operations: [] },
    meta: { total: 0, page: 1, limit: 20 },
  });
});

test('shows the balance after each operation, newest first, page by page', async () => {
  const owner = await api.user();
  const ids = [];
  for (const amount of ['100.00', '200.00', '300.50']) ids.push(await topUp(owner, api.surroundings.bank.url, amount));
  const { body } = owner.expect(200, await owner.get('/wallet?page=1&limit=2'));
  expect(body.meta).toEqual({ total: 3, page: 1, limit: 2 });
  expect(body.data.balance_minor).toBe(60_050);
  expect(
    body.data.operations.map((row: Record<string, unknown>) => [row['type'], row['amount_minor'], row['balance_minor'], row['invoice_id']]),
  ).toEqual([
    ['invoice_payment', 30_050, 60_050, ids[2]],
    ['invoice_payment', 20_000, 30_000, ids[1]],
  ]);
  expect(body.data.invoices.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed());
  const second = owner.expect(200, await owner.get('/wallet?page=2&limit=2')).body;
  expect(second.data.operations).toEqual([
    expect.objectContaining({ amount_minor: 10_000, balance_minor: 10_000, flags: [], reversal_of: null }),
  ]);
  const beyond = owner.expect(200, await owner.get('/wallet?page=9&limit=2')).body;
  expect(beyond).toMatchObject({ data: { operations: [], balance_minor: 60_050 }, meta: { total: 3 } });
});

test("shows only the caller's own wallet", async () => {
  const [owner, other] = [await api.user(), await api.user()];
  await topUp(owner, api.surroundings.bank.url, '100.00');
  expect(other.expect(200, await other.get('/wallet')).body.data).toMatchObject({ balance_minor: 0, operations: [], invoices: [] });
  expect(await api.browser().get('/wallet')).toMatchObject({ status: 401, body: { error: { code: 'unauthenticated' } } });
  const program = await owner.program(['profiles:read']);
  expect(await program.get('/wallet')).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
});

test.each(['limit=0', 'limit=101', 'page=0', 'page=x', 'sort=at'])('refuses ?%s', async (query) => {
  const owner = await api.user();
  expect(await owner.get(`/wallet?${query}`)).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
});
