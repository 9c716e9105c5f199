import { topUp } from '../../support/factories.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api } = await useRegistry();

test('an unused wallet is empty', async () => {
  const owner = await api.user();
  const { body } = owner.expect(200, await owner.get('/wallet'));
  expect(body).toMatchObject({
    data: { balance_minor: 0, currency: 'KZT', invoices: [], operations: [] },
    meta: { total: 0, page: 1, limit: 20, invoices_total: 0 },
  });
});

test('shows the balance after each operation, newest first, page by page', async () => {
  const owner = await api.user();
  const ids = [];
  for (const amount of ['100.00', '200.00', '300.50']) ids.push(await topUp(owner, api.surroundings.bank.url, amount));
  const { body } = owner.expect(200, await owner.get('/wallet?page=1&limit=2'));
  expect(body.meta).toEqual({ total: 3, page: 1, limit: 2, invoices_total: 3 });
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

test('leads to all invoices, newest first, by the status that each shows now (WAL-16)', async () => {
  const [owner, other] = [await api.user(), await api.user()];
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const rows = Array.from({ length: 23 }, (_, index) => {
    const status = index < 2 ? 'expired' : index < 5 ? 'pending' : index < 9 ? 'created' : 'mismatch';
    // One of the pending invoices is past its end before its timer has fired.
    return { ownerId: owner.userId, status, expiresAt: index < 3 ? at(-1) : at(20), index };
  });
  for (const { ownerId, status, expiresAt, index } of [...rows, { ...rows[9], ownerId: other.userId, index: 99 } as (typeof rows)[number]])
    await api.sql(
      `insert into invoices (owner_id, number, amount_minor, currency, status, idempotency_key, late, created_at, expires_at, updated_at)
       values ($1, $2, 10000, 'KZT', $3, $2, false, now(), $4, now())`,
      [ownerId, `9${String(owner.userId).padStart(6, '0')}${String(index).padStart(2, '0')}`, status, expiresAt],
    );
  const wallet = owner.expect(200, await owner.get('/wallet')).body;
  expect([wallet.data.invoices.length, wallet.meta.invoices_total]).toEqual([20, 23]);
  const list = async (query: string) => owner.expect(200, await owner.get(`/invoices?${query}`)).body;
  const pages = [await list('limit=20'), await list('limit=20&page=2')];
  expect(pages.map(({ data, meta }) => [data.length, meta])).toEqual([
    [20, { total: 23, page: 1, limit: 20 }],
    [3, { total: 23, page: 2, limit: 20 }],
  ]);
  expect(pages[0].data).toEqual(wallet.data.invoices);
  const ids = pages.flatMap(({ data }) => data.map(({ id }: { id: number }) => id));
  expect(ids).toEqual([...new Set<number>(ids)].toSorted((left, right) => right - left));
  const counts = Object.fromEntries(
    await Promise.all(
      ['created', 'pending', 'expired', 'mismatch', 'failed'].map(async (status) => {
        const { data, meta } = await list(`status=${status}&limit=100`);
        expect(data.every((invoice: { status: string }) => invoice.status === status)).toBe(true);
        return [status, meta.total];
      }),
    ),
  );
  expect(counts).toEqual({ created: 4, pending: 2, expired: 3, mismatch: 14, failed: 0 });
  expect((await owner.get('/invoices?status=late')).status).toBe(422);
  expect((await (await owner.program(['profiles:read'])).get('/invoices')).status).toBe(403);
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
