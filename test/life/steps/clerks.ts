import type { Random } from '../../support/random.ts';
import { addDays } from '../auditor/days.ts';
import type { World } from '../world.ts';
import { anExplanation, oneOf, type Step, weighted } from './step.ts';

const notes = ['The scan cannot be read.', 'Фотография не подходит: другой человек.', 'Құжаттың мерзімі өтіп кеткен.'] as const;

interface QueueRow {
  kind: string;
  id: number;
  updated_at: string | null;
  revision?: number;
}

const decidable: ReadonlySet<string> = new Set(['profile', 'photo', 'document', 'application']);

/** Clerks: they take the oldest record of the queue, decide on an old read, or two decide on one record. */
export const clerkSteps: readonly Step[] = [
  {
    name: 'a clerk decides on the oldest record',
    weight: 30,
    async take(world, random) {
      const queue = await world.auditor.inquiry.asAdministrator('GET /admin/queue', { query: '?limit=20' });
      const rows = (queue.data as QueueRow[]).filter(({ kind }) => decidable.has(kind));
      const row = random.next() < 0.7 ? rows[0] : oneOf(random, rows);
      if (!row) return;
      const decision = weighted(random, [
        ['approve', 10],
        ['changes', 2],
        ['cancel', 0.5],
      ] as const);
      await world.call(world.administrator, 'POST /admin/review', {
        body: {
          ...decisionOn(row, decision, random.pick(notes)),
          ...(row.kind === 'application' && decision === 'approve' ? daysOf(world, random, row.id) : {}),
          ...formerOf(world, random, row),
        },
      });
    },
  },
  {
    name: 'a clerk returns what was approved',
    weight: 2,
    async take(world, random) {
      const { model } = world.auditor;
      const documents = [...model.documents.values()]
        .filter(({ status }) => status === 'approved')
        .map(({ id }) => ({ kind: 'document', id }));
      const profiles = [...model.profiles.values()]
        .filter(({ data }) => data.status === 'approved')
        .map(({ id }) => ({ kind: random.next() < 0.5 ? 'profile' : 'photo', id }));
      const row = oneOf(random, [...documents, ...profiles]);
      if (!row) return;
      const decision = random.next() < 0.8 ? 'changes' : 'cancel';
      await world.call(world.administrator, 'POST /admin/review', { body: { ...row, decision, note: random.pick(notes) } });
    },
  },
  {
    name: 'a clerk decides on any paper',
    weight: 3,
    async take(world, random) {
      const documents = [...world.auditor.model.documents.values()];
      const status = oneOf(random, new Set(documents.map((one) => one.status)));
      const document = oneOf(
        random,
        documents.filter((one) => one.status === status),
      );
      if (!document) return;
      const decision = weighted(random, [
        ['approve', 5],
        ['changes', 3],
        ['cancel', 2],
      ] as const);
      const row = { kind: 'document', id: document.id, updated_at: null };
      await world.call(world.administrator, 'POST /admin/review', { body: decisionOn(row, decision, random.pick(notes)) });
    },
  },
  {
    name: 'two clerks decide alike at once',
    weight: 2,
    async take(world, random) {
      const document = oneOf(
        random,
        [...world.auditor.model.documents.values()].filter(({ status }) => status === 'pending'),
      );
      if (!document) return;
      const body = { kind: 'document', id: document.id, decision: 'approve' };
      await world.race([1, 2].map(() => ({ by: world.administrator, operation: 'POST /admin/review', call: { body } })));
    },
  },
  {
    name: 'a clerk forgets the note',
    weight: 2,
    async take(world, random) {
      const document = oneOf(random, world.auditor.model.documents.values());
      const note = random.next() < 0.4 ? {} : { note: anExplanation(random) };
      if (document)
        await world.call(world.administrator, 'POST /admin/review', {
          body: { kind: 'document', id: document.id, decision: 'changes', ...note },
        });
    },
  },
];

function decisionOn({ kind, id, updated_at: version, revision }: QueueRow, decision: string, note: string) {
  const seen = kind === 'application' ? { revision } : version === null ? {} : { updated_at: version };
  return { kind, id, decision, ...seen, ...(decision === 'approve' ? {} : { note }) };
}

/** The days of a certificate are given by the clerk, mostly as the rules allow (APP-8). */
function daysOf(world: World, random: Random, id: number): Record<string, string> {
  const { model, inquiry } = world.auditor;
  const year = model.applications.get(id)?.year ?? 0;
  return weighted<Record<string, string>>(random, [
    [{}, 5],
    [{ valid_until: addDays(inquiry.today, random.between(3, 40)) }, 4],
    [{ valid_from: addDays(inquiry.today, random.between(0, 5)) }, 0.5],
    [{ valid_until: `${year + 1}-01-01` }, 0.3],
    [{ valid_from: inquiry.today, valid_until: addDays(inquiry.today, -1) }, 0.3],
  ]);
}

/** Now and then, what the record was before: a clerk decides on an old read (REV-5, APP-6). */
function formerOf({ auditor: { model } }: World, random: Random, { kind, id }: QueueRow): Record<string, number | string> {
  const former = random.next() < 0.15 ? oneOf(random, model.shown.former(`${kind === 'photo' ? 'profile' : kind}/${id}`)) : undefined;
  return former === undefined ? {} : { [kind === 'application' ? 'revision' : 'updated_at']: former };
}
