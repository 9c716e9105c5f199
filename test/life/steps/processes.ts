import type { Random } from '../../support/random.ts';
import { idsOf, knownKinds } from '../auditor/administration/expected-processes.ts';
import { type ProcessActionName, processRoutes } from '../auditor/administration/process-actions.ts';
import { askProcesses } from '../auditor/administration/process-list.ts';
import type { World } from '../world.ts';
import { anyone } from './athletes.ts';
import { oneOf, type Step, weighted } from './step.ts';

/** Administrators look at the processes of records, and act on those that work, wait and have ended. */
export const processSteps: readonly Step[] = [
  {
    name: 'an administrator looks at all processes',
    weight: 0.5,
    take: async ({ auditor: { inquiry } }) => {
      inquiry.forget();
      await askProcesses(inquiry);
    },
  },
  {
    name: 'an administrator acts on a process',
    weight: 4,
    async take(world, random) {
      const target = aProcess(world, random);
      const action = weighted<ProcessActionName>(random, [
        ['retry', 5],
        ['restart', 4],
        ['ask_bank', target.kind === 'invoice' ? 8 : 1],
      ]);
      if (isUnanswered(world, target)) return;
      await lookAt(world, target);
      await actOn(world, random, { ...target, action });
    },
  },
  {
    name: 'a person tries to act on a process',
    weight: 0.3,
    async take(world, random) {
      const by = anyone(world, random);
      if (!by) return;
      const { kind, id } = aProcess(world, random);
      await world.call(by, act, { params: { kind, id }, body: { action: 'restart', reason: 'It does not go on.' } });
    },
  },
];

const act = 'POST /admin/processes/{kind}/{id}/actions';

interface Target {
  kind: string;
  id: number;
}

/** A record's process, living or ended; now and then of no record, or of a kind without a list. */
function aProcess(world: World, random: Random): Target {
  const { model } = world.auditor;
  const kind = weighted<string>(random, [
    ...knownKinds.map((known): [string, number] => [known, known === 'webhook' ? 0.5 : 2]),
    ['delivery', 1],
    ['ownership-transfer', 0.5],
    ['captcha', 0.3],
  ]);
  const known = knownKinds.find((one) => one === kind);
  const ids = known === undefined ? [...(kind === 'delivery' ? model.accounts : model.profiles).keys()] : idsOf(model, known);
  return { kind, id: (random.next() < 0.95 ? oneOf(random, ids) : undefined) ?? 999_999 };
}

/** Whether the bank may not answer about an invoice: a refusal then comes after the action was recorded. */
function isUnanswered({ auditor: { model } }: World, { kind, id }: Target): boolean {
  return kind === 'invoice' && (model.invoices.get(id)?.unanswered ?? 0) > 0;
}

/** Reads the list and the record, as an administrator does before an action. */
async function lookAt(world: World, { kind, id }: Target): Promise<void> {
  const route = processRoutes[kind];
  await world.call(world.administrator, 'GET /admin/processes', { query: `?q=${kind}/${id}` });
  if (route !== undefined) await world.call(world.administrator, route, { params: { id } });
}

async function actOn(world: World, random: Random, { kind, id, action }: Target & { action: ProcessActionName }): Promise<void> {
  const reason = weighted(random, [
    ['The release with the fix is installed.', 12],
    ['Why?', 1],
  ] as const);
  const sent = { params: { kind, id }, body: { action, reason } };
  const { status } = await world.call(world.administrator, act, sent);
  // An impatient one acts again.
  if (status < 300 && random.next() < 0.2) await world.call(world.administrator, act, sent);
}
