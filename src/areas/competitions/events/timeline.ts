import { sql } from 'kysely';
import { assertNever } from '../../../errors.ts';
import type { TimelineStep } from '../../../http/schemas.ts';
import type { Database } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import { wasOwner } from '../../profiles/index.ts';
import { situationOf } from './process.ts';
import { type EventStep, eventSteps } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import { isLiving } from './states.ts';

/** Bounds the response: the timeline of an event with more steps omits the oldest. */
const mostSteps = 1000;

/** A recorded step, with the administrator's note that came with it. */
interface Fact {
  at: Date;
  step: EventStep;
  stage: string | null;
  /** The account that acted; null for the registry. */
  userId: number | null;
  /** Whether this account owned the profile then and does not own it now. */
  isFormerOwner: boolean;
  note: string | null;
}

/** Builds an event's timeline from its audit rows and the administrators' notes. The payment comes from the fee application. */
export async function tellTimeline(db: Database, record: EventRecord, now: Date): Promise<TimelineStep[]> {
  const facts = await readFacts(db, record);
  const steps = facts.map((fact): TimelineStep => ({
    at: formatDateTime(fact.at),
    step: fact.step,
    text: textOf(fact, record),
    actor: actorOf(fact, record),
    waiting_for: null,
  }));
  const paidAt = record.fee?.paidAt;
  if (paidAt) {
    const text = 'The fee was paid.';
    const paid: TimelineStep = { at: formatDateTime(paidAt), step: 'fee_paid', text, actor: 'owner', waiting_for: null };
    steps.splice(facts.findLastIndex(({ at }) => at <= paidAt) + 1, 0, paid);
  }
  const last = steps.at(-1);
  if (last) last.waiting_for = waitingForOf(record, now);
  return steps;
}

/** Joins a decision to its step by request and instant: both are written in one transaction. */
async function readFacts(db: Database, { id, event }: EventRecord): Promise<Fact[]> {
  const userId = sql<number | null>`coalesce(${sql.ref('a.impersonatedUserId')}, ${sql.ref('a.actorId')})`;
  const latest = await db
    .selectFrom('audit_events as a')
    .where('a.subjectKind', '=', 'event')
    .where('a.subjectId', '=', String(id))
    .where(
      'a.action',
      'in',
      eventSteps.map((step) => `event.${step}`),
    )
    .select((eb) => [
      'a.at',
      sql<EventStep>`split_part(${sql.ref('a.action')}, '.', 2)`.as('step'),
      sql<string | null>`${sql.ref('a.data')}->>'stage'`.as('stage'),
      userId.as('userId'),
      wasOwner(sql<number>`${event.profileId}::int`, userId).as('isFormerOwner'),
      eb
        .selectFrom('review_decisions as r')
        .select('r.note')
        .where('r.subjectKind', '=', 'event_stage')
        .where('r.subjectId', '=', id)
        .whereRef('r.requestId', '=', 'a.requestId')
        .whereRef('r.at', '=', 'a.at')
        .orderBy('r.id')
        .limit(1)
        .as('note'),
    ])
    .orderBy('a.at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(mostSteps)
    .execute();
  return latest.toReversed();
}

function actorOf({ userId, isFormerOwner }: Fact, { event }: EventRecord): TimelineStep['actor'] {
  if (userId === null) return 'system';
  return userId === event.ownerId || isFormerOwner ? 'owner' : 'administrator';
}

function waitingForOf(record: EventRecord, now: Date): TimelineStep['waiting_for'] {
  if (!isLiving(record.event.status)) return null;
  const { waitingFor } = situationOf(record, now);
  return waitingFor === 'none' ? null : waitingFor;
}

function textOf(fact: Fact, record: EventRecord): string {
  const text = sentenceOf(fact, record);
  return fact.note === null ? text : `${text} Note: ${fact.note}`;
}

function sentenceOf({ step, stage, note }: Fact, { event }: EventRecord): string {
  switch (step) {
    case 'created':
      return 'The competition was opened as a draft.';
    case 'updated':
      return 'What the competition says of itself was changed.';
    case 'registration_settings_updated':
      return 'The settings of registration were changed.';
    case 'file_attached':
      return `A file was put to the stage "${stage ?? 'unknown'}".`;
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
