import { administratorPassword } from '../registry.ts';
import { signIn } from '../sign-in.ts';
import { isLiving } from '../auditor/applications/ends.ts';
import { serviceOf } from '../auditor/applications/readiness.ts';
import { oneOf, type Step, weighted } from './step.ts';

const amountOf = (tiyn: number) => (tiyn / 100).toFixed(2);

/** Administrators: they block, correct money and papers, and annul. */
export const administratorSteps: readonly Step[] = [
  {
    name: 'an administrator gives or takes money',
    weight: 5,
    async take(world, random) {
      const person = oneOf(random, world.people);
      if (!person) return;
      const balance = world.auditor.model.accounts.get(person.accountId)?.balance ?? 0;
      const [direction, tiyn] = weighted(random, [
        [['credit', random.between(1000, 60_000) * 100], 72],
        [['debit', balance + 1], 10],
        [['debit', random.between(1, Math.max(1, balance))], 10],
        [['credit', 0], 8],
      ] as const);
      const body = {
        user_id: person.accountId,
        amount: amountOf(tiyn),
        direction,
        reason: 'A payment arrived without its number.',
        password: random.next() < 0.12 ? 'not-the-password-of-anyone' : administratorPassword,
      };
      const operation = 'POST /admin/ledger/corrections';
      if (random.next() < 0.9) {
        await world.call(world.administrator, operation, { body });
        return;
      }
      const headers = { 'idempotency-key': `correction-${world.nextMark()}` };
      const again = random.next() < 0.5 ? body : { ...body, amount: amountOf(tiyn + 100) };
      for (const sent of [body, again]) await world.call(world.administrator, operation, { body: sent, headers });
    },
  },
  {
    name: 'an administrator reverses a transaction',
    weight: 3,
    async take(world, random) {
      const all = [...world.auditor.model.ledger.values()];
      const settled = all.filter(({ reversalOf, reversedBy }) => reversalOf !== null || reversedBy !== null);
      const entry = oneOf(random, settled.length > 0 && random.next() < 0.3 ? settled : all);
      if (!entry) return;
      const body = {
        reason: random.next() < 0.1 ? 'No.' : 'Проводка сделана дважды.',
        password: random.next() < 0.15 ? 'not-the-password-of-anyone' : administratorPassword,
      };
      await world.call(world.administrator, 'POST /admin/ledger/{entry_id}/reverse', { params: { entry_id: entry.id }, body });
    },
  },
  {
    name: 'an administrator blocks or unblocks an account',
    weight: 3,
    async take(world, random) {
      const accounts = [...world.auditor.model.accounts.values()].filter(({ role }) => role === 'user');
      const blocked = accounts.filter(({ status }) => status === 'blocked');
      const account = oneOf(random, blocked.length > 0 && random.next() < 0.7 ? blocked : accounts);
      const person = account && world.people.find(({ accountId }) => accountId === account.id);
      if (!account || !person) return;
      const status = account.status === 'active' ? 'blocked' : 'active';
      const body = { status, password: administratorPassword };
      const answer = await world.call(world.administrator, 'PATCH /admin/users/{id}', { params: { id: account.id }, body });
      if (answer.status === 200 && status === 'active' && random.next() < 0.8) await signIn(world, person);
    },
  },
  {
    name: 'an administrator annuls a certificate',
    weight: 2,
    async take(world, random) {
      const { model } = world.auditor;
      const living = [...model.applications.values()].filter((one) => isLiving(one) && one.status !== 'draft');
      const issued = living.filter(({ certificate }) => certificate !== null);
      const submitted = living.filter((one) => serviceOf(model, one).kind !== 'event_fee');
      const application = oneOf(random, issued.length > 0 && random.next() < 0.6 ? issued : submitted);
      if (!application) return;
      const record = await world.auditor.inquiry.asAdministrator('GET /admin/records/{kind}/{id}', {
        params: { kind: 'application', id: application.id },
      });
      const body = {
        kind: 'application',
        id: application.id,
        decision: 'cancel',
        note: 'It was issued by mistake.',
        revision: record.data.revision,
      };
      await world.call(world.administrator, 'POST /admin/review', { body });
    },
  },
];
