import {
  cancelApplicationUpdate,
  certificateUpdate,
  payApplicationUpdate,
  reviewApplicationUpdate,
  submitApplicationUpdate,
} from '../../../workflows/application-lifecycle.contract.ts';
import { searchAttributes } from '../../../workflows/process.contract.ts';
import { assertNever } from '../../errors.ts';
import { reasonWords } from '../../http/schemas.ts';
import type { Database } from '../../platform/database/database.ts';
import { endOfDay, endOfYear, formatDateTime } from '../../platform/date-time.ts';
import { spreadOf } from '../../platform/turns/spread.ts';
import { defineProcess, type NextLook, on, type ProcessState } from '../../platform/workflows/define-process.ts';
import { dueAtOf } from '../../platform/workflows/due-at.ts';
import { reminderLook } from '../documents/index.ts';
import { decisionWords } from '../reviews/index.ts';
import { cancelApplication } from './cancel-application.ts';
import { dueStep } from './due-step.ts';
import type { Application } from './entities.ts';
import { payApplication } from './payments/pay-application.ts';
import { findApplications, living } from './queries.ts';
import { assessReadiness, type ReadinessRule, waitingForFirst } from './readiness.ts';
import { reconsiderApplication } from './reconsider-application.ts';
import { type ApplicationRecord, factsOf, remindedOf } from './record.ts';
import { reviewApplication } from './review-application.ts';
import { isLiving } from './states.ts';
import { submitApplication } from './submit-application.ts';

/** Ids of living applications behind `afterId`, ascending. Uses applications_live_index. */
export async function listLiving(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('applications')
    .select('id')
    .where('id', '>', afterId)
    .where('status', 'in', living)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

const dueAt = dueAtOf('applications');

/** An application from its draft to the end of its year (design.md "Processes"). */
export const applicationProcess = defineProcess<ApplicationRecord>({
  kind: 'application',
  workflow: 'applicationLifecycle',
  queue: 'registry',
  summary: (id) => `Application ${id}: draft, payment, approval, end of its year`,
  attributes: (id) => [{ key: searchAttributes.applicationId, value: id }],
  read: findApplications,
  describe: describeApplication,
  since: ({ application }) => standsSince(application),
  reconsider: reconsiderApplication,
  dueAt: { of: ({ application }) => application.dueAt, save: dueAt.save },
  due: dueAt.list,
  living: listLiving,
  commands: [
    on(submitApplicationUpdate, submitApplication),
    on(payApplicationUpdate, payApplication),
    on(reviewApplicationUpdate, reviewApplication, decisionWords),
    on(cancelApplicationUpdate, cancelApplication, reasonWords),
  ],
  longWork: { step: 'makeCertificate', update: certificateUpdate },
});

/** When it was returned is told by its last change: nothing but its owner's next edit moves it from there. */
function standsSince({ status, createdAt, submittedAt, approvedAt, resubmissionDueSince, updatedAt }: Readonly<Application>): Date {
  switch (status) {
    case 'draft':
      return createdAt;
    case 'submitted':
      return submittedAt ?? updatedAt;
    case 'approved':
      return resubmissionDueSince ?? approvedAt ?? updatedAt;
    case 'changes':
    case 'cancelled':
    case 'closed':
      return updatedAt;
    default:
      return assertNever(status);
  }
}

/** How an application's process stands at an instant, in words that a support person reads in the Temporal UI; no private data. */
export function describeApplication(record: ApplicationRecord, now: Date): ProcessState {
  const { status } = record.application;
  const isOver = !isLiving(status);
  const next = isOver || record.application.kind === 'event_fee' ? null : nextLook(record, now);
  const until = next === null ? '' : ` Looks again at ${formatDateTime(next.at)}: ${next.why}.`;
  const { waitingFor, situation } = situationOf(record, now);
  // A fee that is paid has no certificate to be made.
  const stage = record.application.kind === 'event_fee' && status === 'approved' ? 'paid' : status;
  return { stage, waitingFor, details: `${situation}${until}`, isOver, isDue: dueStep(record, now) !== null, next };
}

function situationOf(record: ApplicationRecord, now: Date): { waitingFor: ProcessState['waitingFor']; situation: string } {
  const { status, resubmissionDueSince } = record.application;
  switch (status) {
    case 'draft':
      return { waitingFor: 'owner', situation: 'Waits for the owner: a draft, not submitted yet.' };
    case 'changes':
      return { waitingFor: 'owner', situation: 'Waits for the owner: to be corrected and submitted again.' };
    case 'approved': {
      if (record.application.kind === 'event_fee') return { waitingFor: 'date', situation: 'Paid; waits for its competition to be over.' };
      const issued = `Approved as ${record.certificate?.number ?? 'a certificate'}`;
      return resubmissionDueSince === null
        ? { waitingFor: 'date', situation: `${issued}; waits for a document to expire or the year to end.` }
        : {
            waitingFor: 'owner',
            situation: `${issued}, not in force: documents were replaced. Waits for the owner: to be submitted again.`,
          };
    }
    case 'submitted': {
      const rules = assessReadiness(factsOf(record, now));
      const waitingFor = waitingForFirst(rules) ?? 'administrator';
      return { waitingFor, situation: `Submitted. Waits for the ${waitingFor}: ${namesOf(rules, waitingFor)}.` };
    }
    case 'cancelled':
    case 'closed':
      return { waitingFor: 'nobody', situation: `Over: ${status}.` };
    default:
      return assertNever(status);
  }
}

function namesOf(rules: ReadinessRule[], party: ProcessState['waitingFor']): string {
  const names = rules.filter((rule) => rule.waiting_for === party).map((rule) => rule.rule);
  return names.length === 0 ? 'decision' : names.join(', ');
}

/** The end of the year, or before it the expiry of a document that the application stands on, or the next reminder of its certificate's end. */
function nextLook(record: ApplicationRecord, now: Date): NextLook {
  const { application, documents, certificate } = record;
  const yearEnd: NextLook = { at: endOfYear(application.year), why: 'year ends', spreadMs: spreadOf(application.id, spreadSeconds) };
  const isStanding = application.status === 'submitted' || application.status === 'approved';
  const expiries = documents.flatMap(({ id, expiresAt }): NextLook[] =>
    expiresAt === null || !isStanding ? [] : [{ at: endOfDay(expiresAt), why: `document ${id} expires` }],
  );
  const ahead = expiries.filter(({ at }) => at > now);
  const reminded = remindedOf(record);
  const what = `certificate ${certificate?.number ?? ''}`;
  const reminder = reminded && reminderLook(reminded, now, { id: application.id, what });
  return [...ahead, ...(reminder === null ? [] : [reminder])].reduce((first, next) => (next.at < first.at ? next : first), yearEnd);
}

/** All applications of a year end at the same instant; their closing is spread over an hour after it, each at its own second. */
const spreadSeconds = 3600;
