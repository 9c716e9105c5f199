import { sql } from 'kysely';
import { assertNever } from '../../../errors.ts';
import type { TimelineStep } from '../../../http/schemas.ts';
import type { Database } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import { wasOwner } from '../../profiles/index.ts';
import { isAbandoned } from './describe-agreement.ts';
import type { ContractRecord } from './queries.ts';

/** The audit actions that the timeline shows; reads and downloads are left out. */
const steps = ['created', 'generated', 'scan_uploaded', 'confirmed', 'rejected', 'replaced', 'cancelled', 'reminded'] as const;
type Step = (typeof steps)[number];

interface Fact {
  step: Step;
  at: Date;
  actorId: number | null;
  impersonatedUserId: number | null;
  /** Whether the actor owned the organizer profile then and does not any more. */
  isFormerOwner: boolean;
  /** Note of a decision. */
  note: string | null;
  /** Recipient of a reminder. */
  of: unknown;
}

/** Builds the timeline of an agreement from its audit, with the reasons of decisions. */
export async function tellTimeline(db: Database, record: ContractRecord): Promise<TimelineStep[]> {
  const facts = await readFacts(db, record);
  return facts.map((fact, index) => ({
    at: formatDateTime(fact.at),
    step: fact.step,
    text: textOf(fact, record),
    actor: actorOf(fact, record.contract.ownerId),
    waiting_for: index === facts.length - 1 ? waitingForOf(record) : null,
  }));
}

/** Uses audit_events_subject_index. A decision and its audit row share request id and instant, as they share a transaction. */
async function readFacts(db: Database, { id, contract }: ContractRecord): Promise<Fact[]> {
  const organizerId = sql<number>`(select e.profile_id from events e where e.id = ${contract.eventId})`;
  const userId = sql<number | null>`coalesce(${sql.ref('a.impersonatedUserId')}, ${sql.ref('a.actorId')})`;
  const rows = await db
    .selectFrom('audit_events as a')
    .select((eb) => [
      'a.action',
      'a.at',
      'a.actorId',
      'a.impersonatedUserId',
      'a.data',
      wasOwner(organizerId, userId).as('isFormerOwner'),
      eb
        .selectFrom('review_decisions as r')
        .select('r.note')
        .where('r.subjectKind', '=', 'contract')
        .where('r.subjectId', '=', id)
        .whereRef('r.requestId', '=', 'a.requestId')
        .whereRef('r.at', '=', 'a.at')
        .orderBy('r.id')
        .limit(1)
        .as('note'),
    ])
    .where('a.subjectKind', '=', 'contract')
    .where('a.subjectId', '=', String(id))
    .where(
      'a.action',
      'in',
      steps.map((step) => `contract.${step}`),
    )
    .orderBy('a.at')
    .orderBy('a.id')
    .execute();
  return rows.flatMap(({ action, data, ...fact }) => {
    const step = steps.find((known) => `contract.${known}` === action);
    return step === undefined ? [] : [{ ...fact, step, of: data['of'] }];
  });
}

/** Names the system as the maker of the PDF. */
function actorOf({ step, actorId, impersonatedUserId, isFormerOwner }: Fact, ownerId: number): TimelineStep['actor'] {
  const userId = impersonatedUserId ?? actorId;
  if (userId === null || step === 'generated') return 'system';
  return userId === ownerId || isFormerOwner ? 'owner' : 'administrator';
}

function waitingForOf(record: ContractRecord): TimelineStep['waiting_for'] {
  const { status } = record.contract;
  if (isAbandoned(record)) return null;
  switch (status) {
    case 'generated':
    case 'rejected':
      return 'owner';
    case 'pending':
      return 'administrator';
    case 'confirmed':
    case 'replaced':
    case 'cancelled':
      return null;
    default:
      return assertNever(status);
  }
}

function textOf({ step, note, of }: Fact, { contract: { number, reason }, replacedByNumber }: ContractRecord): string {
  switch (step) {
    case 'created':
      return `The agreement was made as ${number}.`;
    case 'generated':
      return "Its PDF was made, with the federation's signature and stamp; it waits to be signed by the organizer.";
    case 'scan_uploaded':
      return 'The signed scan was sent and waits for the federation.';
    case 'confirmed':
      return 'The federation confirmed the signed agreement: it is in force.';
    case 'rejected':
      return `The federation did not accept the scan.${because(note)}`;
    case 'replaced':
      return `The agreement was replaced by ${replacedByNumber ?? 'another version'}.${because(reason)}`;
    case 'cancelled':
      return `The agreement was cancelled.${because(reason)}`;
    case 'reminded':
      return of === 'federation'
        ? 'The federation was reminded of the scan that waits.'
        : 'The organizer was reminded of the missing scan.';
    default:
      return assertNever(step);
  }
}

function because(reason: string | null): string {
  return reason === null ? '' : ` Reason: ${reason}`;
}
