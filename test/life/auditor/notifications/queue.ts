import { type Area, touchedIds } from '../area.ts';
import { dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import { readinessOf, serviceOf } from '../applications/readiness.ts';

/** The administrators' queue of papers and applications, by `docs/rules/reviews.md`. */
export const queueArea: Area = {
  async ask({ model, now, listed, eventually, same }, touched) {
    const isTouched = (['profile', 'document', 'application'] as const).some((kind) => touchedIds(touched, kind).length > 0);
    if (!isTouched) return;
    await eventually(async () => {
      const rows = await listed<{ kind: string; id: number }>('GET /admin/queue');
      const queued = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
      for (const [kind, ids] of waitingPapers(model))
        same(`the queue holds each ${kind} that waits for a decision, and no other (REV-3)`, inOrder(ids), inOrder(queued(kind)));
      const missing = readyApplications(model, dayOf(now)).filter((id) => !queued('application').includes(id));
      same('the queue holds each application that only a decision is missing of (REV-3)', [], missing);
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

/** Submitted ones that no rule holds up. */
function readyApplications(model: Model, today: string): number[] {
  return [...model.applications.values()]
    .filter((application) => application.status === 'submitted' && !undecided.has(serviceOf(model, application).kind))
    .filter((application) => [...readinessOf(model, application, today).values()].every(Boolean))
    .map(({ id }) => id);
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
