import type { EntityManager } from '@mikro-orm/postgresql';
import type { TimelineStep } from '../http/schemas.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { assessReadiness, waitingForFirst } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import { isLive } from './states.ts';

interface FactRow {
  step: string;
  at: string;
  actor_id: number | null;
  amount_minor: number | null;
  number: string | null;
  resubmission_due: boolean | null;
  note: string | null;
}

/**
 * Tells an application's life from what was recorded of it: the audit of its steps, the ledger's amounts, the certificate's
 * number, the administrators' notes.
 */
export async function tellTimeline(em: EntityManager, record: ApplicationRecord, now: Date): Promise<TimelineStep[]> {
  const rows = await em.execute<FactRow[]>(
    `select split_part(e.action, '.', 2) as step, e.at, e.actor_id, (e.data->>'amount_minor')::float8 as amount_minor, e.data->>'number' as number,
       (e.data->>'resubmission_due')::boolean as resubmission_due,
       (select r.note from review_decisions r
        where r.subject_kind = 'application' and r.subject_id = ? and r.request_id = e.request_id and r.at = e.at order by r.id limit 1) as note
     from audit_events e
     where e.subject_kind = 'application' and e.subject_id = ? and e.action like 'application.%'
     order by e.id`,
    [record.id, String(record.id)],
  );
  const steps = rows.map((row): TimelineStep => ({
    at: formatDateTime(new Date(row.at)),
    step: row.step,
    text: textOf(row),
    actor: row.actor_id === null ? 'system' : row.actor_id === record.ownerId ? 'owner' : 'administrator',
    waiting_for: null,
  }));
  const last = steps.at(-1);
  if (last) last.waiting_for = waitingForOf(record, now);
  return steps;
}

function waitingForOf(record: ApplicationRecord, now: Date): TimelineStep['waiting_for'] {
  if (!isLive(record.status)) return null;
  if (record.status === 'approved') return record.resubmissionDueSince === null ? 'date' : 'owner';
  return waitingForFirst(assessReadiness(factsOf(record, now))) ?? 'administrator';
}

const texts: Record<string, (row: FactRow) => string> = {
  created: (row) => `The application was opened; its price is ${money(row)}.`,
  updated: (row) =>
    row.resubmission_due
      ? 'Documents behind the certificate were replaced; it is not in force until the application is submitted again.'
      : 'The application was changed.',
  submitted: () => 'The application was submitted.',
  paid: (row) => `${money(row)} was paid from the wallet.`,
  approved: (row) => `The application was approved; its number is ${row.number ?? 'unknown'}.`,
  returned: () => 'The federation returned the application for correction.',
  cancelled: () => 'The application was cancelled.',
  lapsed: () => 'A document behind the application expired; a valid one is needed.',
  refunded: (row) => `${money(row)} was returned to the wallet.`,
  closed: () => 'The year of the application ended and it was closed.',
  certificate_made: () => 'The certificate was made as a PDF.',
  sharing_enabled: () => 'The owner allowed whoever scans the QR to see the documents.',
  sharing_disabled: () => 'The documents are no longer shown to whoever scans the QR.',
};

function textOf(row: FactRow): string {
  const text = texts[row.step]?.(row) ?? `${row.step.replaceAll('_', ' ')}.`;
  return row.note === null ? text : `${text} Note: ${row.note}`;
}

function money({ amount_minor }: FactRow): string {
  return `${((amount_minor ?? 0) / 100).toFixed(2)} KZT`;
}
