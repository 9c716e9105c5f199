import type { Random } from '../../support/random.ts';
import { administratorPassword } from '../registry.ts';
import { giveMoney } from '../steps/organizers/organizer-acts.ts';
import { oneOf, type Step } from '../steps/step.ts';
import type { Person, World } from '../world.ts';
import { anApplicant, aPerson } from './cast.ts';
import { story } from './story.ts';

const reasons = ['The bank confirmed the payment.', 'Проводка сделана дважды.'] as const;
const outcomes = ['paid', 'twice', 'failed', 'wrong_amount', 'wrong_currency', 'wrong_terminal', 'wrong_invoice'] as const;
const [minuteMs, dayMs] = [60_000, 86_400_000];

export const moneyStories: readonly Step[] = [
  story('invoices are paid in every way', async function* (world, random) {
    const owner = await aPerson(world, random);
    if (!owner) return;
    for (const outcome of random.shuffled(outcomes).slice(0, 5)) {
      const id = await anInvoice(world, random, owner);
      if (id === null) return;
      await world.call(owner, 'POST /invoices/{id}/checkout', { params: { id } });
      await world.payAtBank(id, outcome);
      await world.call(owner, 'POST /invoices/{id}/verify', { params: { id } });
      yield;
    }
    await resolveIncidents(world, random, owner);
  }),
  story('money comes before, and after its day', async function* (world, random) {
    const owner = await aPerson(world, random);
    const id = owner && (await anInvoice(world, random, owner));
    const invoice = world.auditor.model.invoices.get(id ?? 0);
    if (!owner || !invoice) return;
    const call = { params: { id: invoice.id } };
    await world.call(owner, 'POST /invoices/{id}/checkout', call);
    yield;
    await world.passTo(new Date(invoice.expiresAt.getTime() - minuteMs).toISOString());
    if (random.next() < 0.3) await world.payAtBank(invoice.id, 'failed');
    await world.call(owner, 'POST /invoices/{id}/verify', call);
    yield;
    await world.passTo(new Date(invoice.expiresAt.getTime() + minuteMs).toISOString());
    yield;
    await world.payAtBank(invoice.id, 'paid');
    await world.passTo(new Date(world.now.getTime() + 1.2 * dayMs).toISOString());
    yield;
    await resolveIncidents(world, random, owner);
  }),
  story('money is given, taken back and spent', async function* (world, random) {
    const { model } = world.auditor;
    const cast = await anApplicant(world, random, random.pick(['international_licence', 'document'] as const));
    if (!cast) return;
    const { owner, application } = cast;
    yield;
    await giveMoney(world, owner, random.between(1000, 90_000) * 100 + 50);
    const entries = () => [...model.ledger.values()].filter(({ reversalOf, reversedBy }) => reversalOf === null && reversedBy === null);
    yield;
    const given = entries().at(-1);
    for (const entry of [given, given]) {
      if (entry) await reverse(world, random, entry.id);
      yield;
    }
    for (const entry of random.shuffled(entries()).slice(0, 2)) await reverse(world, random, entry.id);
    yield;
    const debit = async (tiyn: number) =>
      world.call(world.administrator, 'POST /admin/ledger/corrections', {
        body: {
          user_id: owner.accountId,
          amount: (tiyn / 100).toFixed(2),
          direction: 'debit',
          reason: random.pick(reasons),
          password: administratorPassword,
        },
      });
    const balance = model.accounts.get(owner.accountId)?.balance ?? 0;
    await debit(balance + 1);
    if (balance > 0) await debit(random.pick([balance, Math.ceil(balance / 3)]));
    yield;
    await world.call(owner, 'POST /applications/{id}/cancel', {
      params: { id: application.id },
      body: { reason: 'The season is over for me.' },
    });
  }),
];

async function anInvoice(world: World, random: Random, owner: Person): Promise<number | null> {
  const made = await world.call(owner, 'POST /invoices', { body: { amount: `${random.between(100, 9000)}.${random.between(10, 99)}` } });
  return made.status === 201 ? made.data.id : null;
}

async function reverse(world: World, random: Random, id: number): Promise<void> {
  const body = { reason: random.pick(reasons), password: administratorPassword };
  await world.call(world.administrator, 'POST /admin/ledger/{entry_id}/reverse', { params: { entry_id: id }, body });
}

/** One by its reason, one by money for its payer. */
async function resolveIncidents(world: World, random: Random, { accountId }: Person): Promise<void> {
  const queue = await world.call(world.administrator, 'GET /admin/queue', { query: '?kind=incident&limit=100' });
  const waiting = queue.data as { id: number }[];
  const first = oneOf(random, waiting);
  const reason = random.pick(reasons);
  if (first) await world.call(world.administrator, 'POST /admin/incidents/{id}/resolve', { params: { id: first.id }, body: { reason } });
  await world.auditor.askAfterStep();
  const second = waiting.find(({ id }) => id !== first?.id);
  if (!second) return;
  const body = {
    user_id: accountId,
    amount: '75.50',
    direction: 'credit',
    reason,
    password: administratorPassword,
    incident_id: second.id,
  };
  await world.call(world.administrator, 'POST /admin/ledger/corrections', { body });
}
