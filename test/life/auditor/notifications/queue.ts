import type { Area } from '../area.ts';
import { profileOfRecord } from '../accounts/records.ts';
import { dayOf } from '../days.ts';
import type { Application } from '../applications/application-records.ts';
import { isOver } from '../applications/ends.ts';
import { readinessOf, serviceOf } from '../applications/readiness.ts';
import type { Model } from '../model.ts';
import { askSearch } from './queue-search.ts';

/** The auditor notes an instant with the answer to a request, which may be repeated until a process has started again. */
const toleranceMs = 120_000;

interface Row {
  kind: string;
  id: number;
  waiting_since: string;
}

/** The administrators' queue of papers and applications, by `docs/rules/reviews.md`. */
export const queueArea: Area = {
  async ask(inquiry, touched) {
    const { model, now, listed, eventually, same } = inquiry;
    const first = touched.find(({ kind }) => kind === 'profile' || kind === 'document' || kind === 'application');
    if (!first) return;
    await eventually(async () => {
      const rows = await listed<Row>('GET /admin/queue');
      const queued = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
      for (const [kind, ids] of waitingPapers(model))
        same(`the queue holds each ${kind} that waits for a decision, and no other (REV-3)`, inOrder(ids), inOrder(queued(kind)));
      const missing = readyApplications(model, dayOf(now)).filter((id) => !queued('application').includes(id));
      same('the queue holds each application that only a decision is missing of (REV-3)', [], missing);
      const idle = queued('application').filter((id) => !waitsForDecision(model, model.applications.get(id)));
      same('the queue holds no application that waits for its owner or for the registry (REV-3, APP-5)', [], idle);
      const times = rows.map((row) => Date.parse(row.waiting_since));
      same(
        'the queue is in the order of waiting, the oldest first (REV-3)',
        times.toSorted((left, right) => left - right),
        times,
      );
      const moved = rows.filter((row) => Date.parse(row.waiting_since) > sinceOf(model, row) + toleranceMs);
      same('a record keeps its place in the queue from its submission to its decision (REV-3)', [], moved);
      await askSearch(inquiry, rows, profileOfRecord(model, first.kind, Number(first.id)) ?? 0);
    });
  },
};

function waitingPapers({ profiles, documents }: Model): [string, number[]][] {
  const all = [...profiles.values()];
  return [
    ['profile', all.filter(({ data }) => data.status === 'pending').map(({ id }) => id)],
    ['photo', all.filter(({ photo }) => photo?.status === 'pending').map(({ id }) => id)],
    ['document', [...documents.values()].filter(({ status }) => status === 'pending').map(({ id }) => id)],
  ];
}

/** Kinds that are approved without a decision (APP-5, APP-17). */
const undecided: ReadonlySet<string> = new Set(['national_certificate', 'event_fee']);

/** Submitted and paid, of a kind that administrators approve. */
function waitsForDecision(model: Model, application: Application | undefined): boolean {
  if (!application) return true;
  const { status, isPaid, amount } = application;
  return status === 'submitted' && (isPaid || amount === 0) && !undecided.has(serviceOf(model, application).kind);
}

/** Since when a record waits, milliseconds; of one of another area the end of time. */
function sinceOf({ profiles, documents, applications }: Model, { kind, id }: Row): number {
  const since = {
    profile: profiles.get(id)?.data.since,
    photo: profiles.get(id)?.photo?.since,
    document: documents.get(id)?.since,
    application: applications.get(id)?.since,
  }[kind];
  return since?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** Submitted ones that no rule holds up, nor the end of their year (APP-13). */
function readyApplications(model: Model, today: string): number[] {
  return [...model.applications.values()]
    .filter((application) => waitsForDecision(model, application) && !isOver(model, application, today))
    .filter((application) => [...readinessOf(model, application, today).values()].every(Boolean))
    .map(({ id }) => id);
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
