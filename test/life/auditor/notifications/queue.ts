import { type Area, touchedIds } from '../area.ts';
import { dayOf, type Model } from '../model.ts';
import { readinessOf } from '../applications/readiness.ts';
import { serviceOf } from '../applications/applications.ts';

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

/** Submitted ones that no rule holds up; a national certificate approves itself (APP-5). */
function readyApplications(model: Model, today: string): number[] {
  return [...model.applications.values()]
    .filter((application) => application.status === 'submitted' && serviceOf(model, application).kind !== 'national_certificate')
    .filter((application) => [...readinessOf(model, application, today).values()].every(Boolean))
    .map(({ id }) => id);
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
