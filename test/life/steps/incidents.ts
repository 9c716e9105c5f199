import { noIncident } from '../auditor/wallet/incidents.ts';
import { administratorPassword } from '../registry.ts';
import { oneOf, type Step, weighted } from './step.ts';

const reasons = ['The bank confirmed the payment.', 'The payer has got the money back.', 'No.'] as const;

/** Administrators settle what the bank has said wrong or late: by a reason, or by moving money. */
export const incidentSteps: readonly Step[] = [
  {
    name: 'an administrator resolves an incident',
    weight: 3,
    async take(world, random) {
      const { model } = world.auditor;
      await world.call(world.administrator, 'GET /admin/queue', { query: '?kind=incident&limit=100' });
      const id = random.next() < 0.9 ? oneOf(random, model.incidents.known.keys()) : noIncident;
      const person = oneOf(random, world.people);
      if (id === undefined || !person) return;
      const reason = weighted(random, [
        [reasons[0], 6],
        [reasons[1], 4],
        [reasons[2], 1],
      ]);
      if (random.next() < 0.6) {
        await world.call(world.administrator, 'POST /admin/incidents/{id}/resolve', { params: { id }, body: { reason } });
        return;
      }
      const amount = `${random.between(10, 3000)}.00`;
      const direction = random.next() < 0.7 ? 'credit' : 'debit';
      const body = { user_id: person.accountId, amount, direction, reason, password: administratorPassword, incident_id: id };
      await world.call(world.administrator, 'POST /admin/ledger/corrections', { body });
    },
  },
];
