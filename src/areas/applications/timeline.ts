import { assertNever } from '../../errors.ts';
import { mostTimelineSteps, type TimelineStep } from '../../http/schemas.ts';
import type { Database } from '../../platform/database/database.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { partyOf } from '../../platform/workflows/define-process.ts';
import type { ApplicationHistory } from './entities.ts';
import { situationOf } from './process.ts';
import { type ApplicationRecord } from './record.ts';
import { type ApplicationStep, isPaid, type StepActor } from './states.ts';

/** A recorded step, with the administrator's note that came with it. */
type Fact = Pick<ApplicationHistory, 'at' | 'step' | 'actor' | 'status' | 'isResubmissionDue' | 'amountMinor'> & { note: string | null };

/** Builds the timeline from the history and the administrators' notes (APP-18). The PDF step comes from the certificate's row. */
export async function buildTimeline(db: Database, record: ApplicationRecord, now: Date): Promise<TimelineStep[]> {
  const facts = await readHistory(db, record.id);
  const steps = facts.map((fact): TimelineStep => ({
    at: formatDateTime(fact.at),
    step: fact.step,
    text: textOf(fact, record),
    actor: actorOf(fact.actor),
    waiting_for: null,
  }));
  const madeAt = record.certificate?.pdf?.madeAt;
  if (madeAt) {
    const text = 'The PDF of the certificate was generated.';
    const made: TimelineStep = { at: formatDateTime(madeAt), step: 'certificate_made', text, actor: 'system', waiting_for: null };
    steps.splice(facts.findLastIndex(({ at }) => at <= madeAt) + 1, 0, made);
  }
  const last = steps.at(-1);
  if (last) last.waiting_for = partyOf(situationOf(record, now));
  return steps;
}

/** Oldest first. Uses application_history_application_index. Request and instant join a decision to its step: one transaction writes both. */
async function readHistory(db: Database, id: number): Promise<Fact[]> {
  const latest = await db
    .selectFrom('application_history as h')
    .select((eb) => [
      'h.at',
      'h.step',
      'h.actor',
      'h.status',
      'h.isResubmissionDue',
      'h.amountMinor',
      eb
        .selectFrom('review_decisions as r')
        .select('r.note')
        .whereRef('r.subjectId', '=', 'h.applicationId')
        .where('r.subjectKind', '=', 'application')
        .whereRef('r.requestId', '=', 'h.requestId')
        .whereRef('r.at', '=', 'h.at')
        .orderBy('r.id')
        .limit(1)
        .as('note'),
    ])
    .where('h.applicationId', '=', id)
    .orderBy('h.id', 'desc')
    .limit(mostTimelineSteps)
    .execute();
  return latest.toReversed();
}

function actorOf(actor: StepActor): TimelineStep['actor'] {
  return actor === 'registry' ? 'system' : actor;
}

function textOf(fact: Fact, record: ApplicationRecord): string {
  const text = sentenceOf(fact.step, fact, record);
  return fact.note === null ? text : `${text} Note: ${fact.note}`;
}

function sentenceOf(step: ApplicationStep, fact: Fact, { application, certificate }: ApplicationRecord): string {
  switch (step) {
    case 'created':
      return `The application was created; its price is ${money(fact)}.`;
    case 'updated':
      if (fact.isResubmissionDue)
        return 'Documents behind the certificate were replaced. It is not in force until the application is submitted again.';
      return fact.status === 'approved'
        ? 'Documents behind the certificate were renewed. It stays in force.'
        : `The application was changed${newPrice(fact)}.`;
    case 'submitted':
      return `The application was submitted${newPrice(fact)}.`;
    case 'paid':
      return `${money(fact)} was paid from the wallet.`;
    case 'approved': {
      if (application.kind === 'event_fee') return 'The fee is paid in full.';
      const number = certificate?.number ?? 'unknown';
      return fact.actor === 'registry'
        ? `All conditions hold: the registry approved the application automatically. Its number is ${number}.`
        : `The application was approved. Its number is ${number}.`;
    }
    case 'returned':
      return 'The federation returned the application for correction.';
    case 'cancelled':
      return isPaid(application) ? 'The application was cancelled; nothing was refunded.' : 'The application was cancelled.';
    case 'lapsed':
      return 'A document of the application expired. Attach a valid one.';
    case 'refunded':
      return `${money(fact)} was returned to the wallet.`;
    case 'closed':
      if (application.kind === 'event_fee') return 'The competition ended and its fee was closed.';
      return application.kind === 'document' && certificate !== null
        ? 'The last day of the document passed and the application was closed.'
        : 'The year of the application ended and it was closed.';
    case 'reminded':
      return `The owner was reminded that the certificate is valid until ${certificate?.validUntil ?? 'its last day'}.`;
    case 'sharing_enabled':
      return 'The owner allowed readers of the QR to see the documents.';
    case 'sharing_disabled':
      return 'Readers of the QR can no longer see the documents.';
    case 'carried_over':
      return 'The application had this state. Earlier steps were not recorded.';
    default:
      return assertNever(step);
  }
}

/** Returns the new price if the step changed it, otherwise an empty text. */
function newPrice(fact: Fact): string {
  return fact.amountMinor === null ? '' : `; its price is now ${money(fact)}`;
}

function money({ amountMinor }: Fact): string {
  return `${((amountMinor ?? 0) / 100).toFixed(2)} KZT`;
}
