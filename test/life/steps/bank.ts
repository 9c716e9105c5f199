import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import type { Invoice } from '../auditor/wallet/wallet-records.ts';
import type { Person, World } from '../world.ts';
import { anyone } from './athletes.ts';
import { oneOf, type Step, weighted } from './step.ts';

const dayMs = 86_400_000;

/** Payers and the bank: it answers late, twice, wrong or not at all, and money comes after its day. */
export const bankSteps: readonly Step[] = [
  {
    name: 'a person makes an invoice',
    weight: 2,
    async take(world, random) {
      const owner = anyone(world, random);
      const amount = weighted(random, [
        [`${random.between(100, 30_000)}.${String(random.between(0, 99)).padStart(2, '0')}`, 8],
        ['100.00', 1],
        ['99.99', 1],
        ['5000000.00', 1],
        ['5000000.01', 1],
      ] as const);
      if (owner) await world.call(owner, 'POST /invoices', { body: { amount } });
    },
  },
  {
    name: 'a person makes an invoice twice by one key',
    weight: 0.5,
    async take(world, random) {
      const owner = anyone(world, random);
      if (!owner) return;
      const key = `invoice-${random.between(1, 1_000_000)}`;
      const amount = `${random.between(100, 900)}.00`;
      for (const again of [amount, amount, random.next() < 0.5 ? amount : '777.00'])
        await world.call(owner, 'POST /invoices', { body: { amount: again }, headers: { 'idempotency-key': key } });
    },
  },
  onInvoice('a payer opens the form of the bank', 2, async (world, owner, { id }) => {
    await world.call(owner, 'POST /invoices/{id}/checkout', { params: { id } });
  }),
  onInvoice('the bank says how a payment ended', 4, async (world, _owner, invoice, random) => {
    if (invoice.isCredited || invoice.status === 'mismatch') return;
    const outcome = weighted(random, [
      ['paid', 8],
      ['twice', 2],
      ['late', 1],
      ['failed', 3],
      ['wrong_amount', 0.5],
      ['wrong_currency', 0.5],
      ['wrong_terminal', 0.5],
      ['wrong_invoice', 0.5],
    ] as const);
    await world.payAtBank(invoice.id, outcome, outcome === 'late' ? { delay_ms: 300 } : {});
  }),
  {
    name: 'money comes after a refusal, or after its day',
    weight: 1,
    async take(world, random) {
      const open = [...world.auditor.model.invoices.values()].filter(({ isCredited, status }) => !isCredited && status !== 'mismatch');
      const invoice = oneOf(random, open);
      const owner = invoice && world.auditor.inquiry.personOf(invoice.ownerId);
      if (!owner) return;
      const askBank = () => world.call(owner, 'POST /invoices/{id}/verify', { params: { id: invoice.id } });
      const kind = random.pick(['refused', 'refused', 'expired', 'expired', 'not asked for'] as const);
      if (kind === 'refused') await world.payAtBank(invoice.id, 'failed');
      else {
        if (!invoice.isCheckedOut) await world.call(owner, 'POST /invoices/{id}/checkout', { params: { id: invoice.id } });
        await world.passTo(new Date(invoice.expiresAt.getTime() + dayMs / 2).toISOString());
      }
      if (kind !== 'not asked for') await askBank();
      // Whether it failed or expired is seen only before the next word of the bank.
      await world.auditor.askAfterStep();
      await world.payAtBank(invoice.id, 'paid');
      if (kind !== 'not asked for') await askBank();
      // The registry asks the bank each day by itself (WAL-7).
      else await world.passTo(new Date(world.now.getTime() + 1.2 * dayMs).toISOString());
    },
  },
  onInvoice('the bank does not answer', 0.5, async (world, _owner, { id }, random) => {
    const outcome = random.next() < 0.7 ? 'error' : 'timeout';
    await world.payAtBank(id, outcome, { times: random.between(1, 2), ...(outcome === 'timeout' ? { delay_ms: 100 } : {}) });
  }),
  onInvoice('a payer asks how an invoice stands', 1.5, async (world, owner, { id }) => {
    await world.call(owner, 'POST /invoices/{id}/verify', { params: { id } });
  }),
  onInvoice('a stranger says that an invoice is paid', 0.5, async (world, _owner, { number }) => {
    const stranger = { name: 'a stranger', client: new TestClient(world.registry.url), accountId: 0, administratorId: null, scopes: null };
    await world.call(stranger, 'POST /bank/callback', { body: { invoice_number: number, state: 'paid' } });
  }),
  {
    name: 'the time of an invoice ends',
    weight: 1,
    async take(world, random) {
      const { now } = world;
      const invoice = oneOf(
        random,
        [...world.auditor.model.invoices.values()].filter(({ expiresAt }) => expiresAt.getTime() + 8 * dayMs > now.getTime()),
      );
      const instant = weighted(random, [
        [-60_000, 2],
        [60_000, 3],
        [6 * dayMs, 1],
        [7 * dayMs + 3_600_000, 1],
      ]);
      if (invoice) await world.passTo(new Date(invoice.expiresAt.getTime() + instant).toISOString());
    },
  },
  {
    name: 'a person pays two applications at once',
    weight: 1.5,
    async take(world, random) {
      const owner = anyone(world, random);
      const due = [...world.auditor.model.applications.values()].filter(({ status, isPaid, profileId }) => {
        return status === 'submitted' && !isPaid && world.auditor.model.profiles.get(profileId)?.ownerId === owner?.accountId;
      });
      if (!owner || due.length < 2) return;
      const requests = due.slice(0, 2).map(({ id }) => ({ by: owner, operation: 'POST /applications/{id}/pay', call: { params: { id } } }));
      await world.race(requests);
    },
  },
];

/** A step about an invoice, mostly a recent one. */
function onInvoice(
  name: string,
  weight: number,
  take: (world: World, owner: Person, invoice: Invoice, random: Random) => Promise<void>,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const all = [...world.auditor.model.invoices.values()];
      const invoice = oneOf(random, random.next() < 0.8 ? all.slice(-8) : all);
      const owner = invoice && world.people.find(({ accountId }) => accountId === invoice.ownerId);
      if (invoice && owner) await take(world, owner, invoice, random);
    },
  };
}
