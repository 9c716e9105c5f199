import { waitFor } from '../../support/wait-for.ts';
import { control, made, opened, questionsAbout, refusal } from './invoice-steps.ts';
import { useRegistry } from '../../support/use-registry.ts';

// Tests that wait for the pause between queries or for the expiry of an invoice, in a file of their own so that they run beside the others.

const { api } = await useRegistry();

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
  test('an invoice expires at 24 hours (WAL-3), late money is credited once and flagged (WAL-7), and queries end after eight days (WAL-8)', async () => {
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
