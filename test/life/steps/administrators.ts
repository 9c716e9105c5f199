import { administratorPassword } from '../registry.ts';
import { signIn } from '../sign-in.ts';
import { isLiving } from '../auditor/applications/ends.ts';
import { serviceOf } from '../auditor/applications/readiness.ts';
import { addDays } from '../auditor/days.ts';
import { oneOf, type Step } from './step.ts';

/** Administrators: they block, correct money and papers, and annul. */
export const administratorSteps: readonly Step[] = [
  {
    name: 'an administrator gives money',
    weight: 4,
    async take(world, random) {
      const person = oneOf(random, world.people);
      if (!person) return;
      const body = {
        user_id: person.accountId,
        amount: `${random.between(1000, 60_000)}.00`,
        direction: 'credit',
        reason: 'A payment arrived without its number.',
        password: administratorPassword,
      };
      await world.call(world.administrator, 'POST /admin/ledger/corrections', { body });
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
    name: 'an administrator corrects the last day of a paper',
    weight: 2,
    async take(world, random) {
      const document = oneOf(random, world.auditor.model.documents.values());
      if (!document) return;
      const record = await world.auditor.inquiry.asAdministrator('GET /admin/records/{kind}/{id}', {
        params: { kind: 'document', id: document.id },
      });
      const body = { expires_at: addDays(world.auditor.inquiry.today, random.between(-5, 90)), updated_at: record.data.updated_at };
      await world.call(world.administrator, 'PATCH /admin/records/document/{id}', { params: { id: document.id }, body });
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
