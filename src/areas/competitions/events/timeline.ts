import { sql } from 'kysely';
import { assertNever } from '../../../errors.ts';
import type { TimelineStep } from '../../../http/schemas.ts';
import type { Database } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { partyOf } from '../../../platform/workflows/define-process.ts';
import { actorOfStep, type AuditedStep, readAuditedSteps } from '../../profiles/index.ts';
import { situationOf } from './process.ts';
import { type EventStep, eventSteps } from './record-event-step.ts';
import type { EventRecord } from './record.ts';

type Fact = AuditedStep<EventStep>;

/** Steps of one side; an agreement is reopened by the side that ends it. */
const parts = {
  created: 'owner',
  updated: 'owner',
  registration_settings_updated: 'owner',
  file_attached: 'owner',
  submitted: 'owner',
  approved: 'administrator',
  returned: 'administrator',
  agreement_confirmed: 'administrator',
} as const;

/** Builds an event's timeline from its audit rows and the administrators' notes. The payment comes from the fee application. */
export async function buildTimeline(db: Database, record: EventRecord, now: Date): Promise<TimelineStep[]> {
  const profileId = sql<number>`${record.event.profileId}::int`;
  const facts = await readAuditedSteps(db, { kind: 'event', id: record.id }, { steps: eventSteps, reviewedAs: 'event_stage', profileId });
  const steps = facts.map((fact): TimelineStep => ({
    at: formatDateTime(fact.at),
    step: fact.step,
    text: textOf(fact, record),
    actor: actorOfStep(fact, record.event.ownerId, parts),
    waiting_for: null,
  }));
  const paidAt = record.fee?.paidAt;
  if (paidAt) {
    const text = 'The fee was paid.';
    const paid: TimelineStep = { at: formatDateTime(paidAt), step: 'fee_paid', text, actor: 'owner', waiting_for: null };
    steps.splice(facts.findLastIndex(({ at }) => at <= paidAt) + 1, 0, paid);
  }
  const last = steps.at(-1);
  if (last) last.waiting_for = partyOf(situationOf(record, now));
  return steps;
}

function textOf(fact: Fact, record: EventRecord): string {
  const text = sentenceOf(fact, record);
  return fact.note === null ? text : `${text} Note: ${fact.note}`;
}

function sentenceOf({ step, data, note }: Fact, { event }: EventRecord): string {
  const stage = typeof data['stage'] === 'string' ? data['stage'] : null;
  switch (step) {
    case 'created':
      return 'The competition was created as a draft.';
    case 'updated':
      return 'The data of the competition was changed.';
    case 'registration_settings_updated':
      return 'The registration settings were changed.';
    case 'file_attached':
      return `A file was attached to the stage "${stage ?? 'unknown'}".`;
    case 'submitted':
      return `The stage "${stage ?? 'unknown'}" was submitted.`;
    case 'approved':
      return `The federation approved the stage "${stage ?? 'unknown'}".${consequenceOf(stage)}`;
    case 'returned':
      return `The federation returned the stage "${stage ?? 'unknown'}" for correction.`;
    case 'cancelled':
      return `The competition was cancelled.${note === null && event.cancelReason !== null ? ` Reason: ${event.cancelReason}` : ''}`;
    case 'agreement_confirmed':
      return 'The agreement was confirmed.';
    case 'agreement_reopened':
      return 'The agreement is no longer in force; another one is needed.';
    case 'reminded':
      return `The organizer was reminded of the stage "${stage ?? 'unknown'}".`;
    case 'intake_opened':
      return 'Registration opened.';
    case 'intake_closed':
      return 'Registration closed.';
    default:
      return assertNever(step);
  }
}

function consequenceOf(stage: string | null): string {
  if (stage === 'details') return ' It is published.';
  return stage === 'results' ? ' It is completed.' : '';
}
