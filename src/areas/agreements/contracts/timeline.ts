import { sql } from 'kysely';
import { assertNever } from '../../../errors.ts';
import type { TimelineStep } from '../../../http/schemas.ts';
import type { Database } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { partyOf } from '../../../platform/workflows/define-process.ts';
import { actorOfStep, type AuditedStep, readAuditedSteps } from '../../profiles/index.ts';
import { describeAgreement } from './process.ts';
import type { ContractRecord } from './queries.ts';

/** The audit actions that the timeline shows; reads and downloads are left out. */
const steps = ['created', 'generated', 'scan_uploaded', 'confirmed', 'rejected', 'replaced', 'cancelled', 'reminded'] as const;
type Fact = AuditedStep<(typeof steps)[number]>;

/** Only the organizer replaces, only an administrator decides; both may cancel. */
const parts = {
  created: 'owner',
  scan_uploaded: 'owner',
  replaced: 'owner',
  confirmed: 'administrator',
  rejected: 'administrator',
} as const;

/** Builds the timeline of an agreement from its audit, with the reasons of decisions. */
export async function buildTimeline(db: Database, record: ContractRecord, now: Date): Promise<TimelineStep[]> {
  const { id, contract } = record;
  const profileId = sql<number>`(select e.profile_id from events e where e.id = ${contract.eventId})`;
  const facts = await readAuditedSteps(db, { kind: 'contract', id }, { steps, reviewedAs: 'contract', profileId });
  return facts.map((fact, index) => ({
    at: formatDateTime(fact.at),
    step: fact.step,
    text: textOf(fact, record),
    // The registry generates the PDF.
    actor: fact.step === 'generated' ? 'system' : actorOfStep(fact, contract.ownerId, parts),
    waiting_for: index === facts.length - 1 ? partyOf(describeAgreement(record, now)) : null,
  }));
}

function textOf({ step, note, data }: Fact, { contract: { number, reason }, replacedByNumber }: ContractRecord): string {
  switch (step) {
    case 'created':
      return `The agreement ${number} was created.`;
    case 'generated':
      return "The PDF was generated with the federation's signature and stamp. It waits for the organizer's signature.";
    case 'scan_uploaded':
      return 'The signed scan was sent. It waits for the federation.';
    case 'confirmed':
      return 'The federation confirmed the signed agreement. It is in force.';
    case 'rejected':
      return `The federation rejected the scan.${because(note)}`;
    case 'replaced':
      return `The agreement was replaced by ${replacedByNumber ?? 'another version'}.${because(reason)}`;
    case 'cancelled':
      return `The agreement was cancelled.${because(reason)}`;
    case 'reminded':
      return data['of'] === 'federation'
        ? 'The federation was reminded of the waiting scan.'
        : 'The organizer was reminded of the missing scan.';
    default:
      return assertNever(step);
  }
}

function because(reason: string | null): string {
  return reason === null ? '' : ` Reason: ${reason}`;
}
