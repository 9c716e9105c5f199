import { applicationContract } from '../../../workflows/contracts/application.contract.ts';
import { searchAttributes } from '../../../workflows/contracts/process.contract.ts';
import { assertNever } from '../../errors.ts';
import { reasonInput } from '../../http/schemas.ts';
import { literalText } from '../../platform/database/literals.ts';
import { dayAfter, endOfDay, formatDateTime, startOfDay } from '../../platform/time/date-time.ts';
import { spreadOf } from '../../platform/turns/spread.ts';
import { defineProcess, type NextLook, type ProcessState, withPrivateInput } from '../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../platform/workflows/due-at.ts';
import { comesOfAgeOn, countsOn, countsUntil } from '../catalog/index.ts';
import { reminderLook } from '../documents/index.ts';
import { decisionInput } from '../reviews/index.ts';
import { cancelApplication } from './cancel-application.ts';
import { approvesItself, dueStep, remindedOf } from './readiness/due-step.ts';
import type { Application } from './entities.ts';
import { payApplication } from './payments/pay-application.ts';
import { findApplications } from './queries.ts';
import { assessReadiness, factsOf, type ReadinessRule, waitingForFirst } from './readiness/readiness.ts';
import { reconsiderApplication } from './reconsider-application.ts';
import type { ApplicationRecord } from './record.ts';
import { reviewApplication } from './review-application.ts';
import { isLiving, livingStatuses } from './states.ts';
import { submitApplication } from './submit-application.ts';
import { endOf } from './year.ts';

const dueAt = dueAtOf('applications');

/** The process of an application, from its draft to the end of its year. */
export const applicationProcess = defineProcess(applicationContract, {
  summary: (id) => `Application ${id}: draft, payment, approval, end of its year`,
  attributes: (id) => [{ key: searchAttributes.applicationId, value: id }],
  read: findApplications,
  describe: describeApplication,
  since: ({ application }) => statusSince(application),
  reconsider: reconsiderApplication,
  dueAt: { of: ({ application }) => application.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('applications', `status in (${literalText(livingStatuses)})`),
  commands: {
    submit: submitApplication,
    pay: payApplication,
    review: withPrivateInput(reviewApplication, decisionInput),
    cancel: withPrivateInput(cancelApplication, reasonInput),
  },
});

/** Returns the start of the present status. In `changes` only the owner's next edit changes the row, so `updatedAt` serves. */
function statusSince({ status, createdAt, submittedAt, approvedAt, resubmissionDueSince, updatedAt }: Readonly<Application>): Date {
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

/** Describes the process at an instant for support staff in the Temporal UI; contains no personal data. */
function describeApplication(record: ApplicationRecord, now: Date): ProcessState {
  const { status } = record.application;
  const isOver = !isLiving(status);
  const end = endOf(record);
  const next = isOver || end === null ? null : nextLook(record, end, now);
  const until = next === null ? '' : ` Looks again at ${formatDateTime(next.at)}: ${next.why}.`;
  const { waitingFor, situation } = situationOf(record, now);
  // A paid fee gets no certificate, so its stage is `paid` (APP-17).
  const stage = record.application.kind === 'event_fee' && status === 'approved' ? 'paid' : status;
  return { stage, waitingFor, details: `${situation}${until}`, isOver, isDue: dueStep(record, now) !== null, next };
}

/** Returns who must act next, and what the application waits for in a sentence. */
export function situationOf(record: ApplicationRecord, now: Date): { waitingFor: ProcessState['waitingFor']; situation: string } {
  const { status, resubmissionDueSince } = record.application;
  switch (status) {
    case 'draft':
      return { waitingFor: 'owner', situation: 'Waits for the owner to submit the draft.' };
    case 'changes':
      return { waitingFor: 'owner', situation: 'Waits for the owner to correct and resubmit the application.' };
    case 'approved': {
      if (record.application.kind === 'event_fee') return { waitingFor: 'date', situation: 'Paid. Waits for the end of its competition.' };
      const issued = `Approved as ${record.certificate?.number ?? 'a certificate'}`;
      return resubmissionDueSince === null
        ? { waitingFor: 'date', situation: `${issued}. Waits for the expiry of a document or the end of the year.` }
        : {
            waitingFor: 'owner',
            situation: `${issued}, not in force: documents were replaced. Waits for the owner to resubmit the application.`,
          };
    }
    case 'submitted': {
      const rules = assessReadiness(factsOf(record, now));
      const waitingFor = waitingForFirst(rules) ?? 'administrator';
      return { waitingFor, situation: `Submitted. Waits for the ${waitingFor}: ${namesOf(rules, waitingFor)}.` };
    }
    case 'cancelled':
    case 'closed':
      return { waitingFor: 'none', situation: `Ended: ${status}.` };
    default:
      return assertNever(status);
  }
}

function namesOf(rules: ReadinessRule[], party: ProcessState['waitingFor']): string {
  const names = rules.filter((rule) => rule.waiting_for === party).map((rule) => rule.rule);
  return names.length === 0 ? 'decision' : names.join(', ');
}

/**
 * Returns the earliest of: the end, the expiry of an attached document that counts then, the day from which a consent is no longer required,
 * the next reminder.
 */
function nextLook(record: ApplicationRecord, end: Date, now: Date): NextLook {
  const { application, documents, certificate, profile } = record;
  // Documents end on days of their own, without a load peak.
  const endsByItself = application.kind === 'document' && certificate !== null;
  const atEnd: NextLook = endsByItself
    ? { at: end, why: 'its last day ends' }
    : { at: end, why: 'year ends', spreadMs: spreadOf(application.id, spreadSeconds) };
  const requirements = { requiredDocuments: record.service.requiredDocuments, birthDate: profile.birthDate };
  const canLapse = application.status === 'submitted' || application.status === 'approved';
  const expiries = documents.flatMap((document): NextLook[] => {
    const { id, status, expiresAt } = document;
    if (expiresAt === null || status === 'cancelled' || !canLapse || !countsOn(countsUntil(document, requirements), dayAfter(expiresAt)))
      return [];
    return [{ at: endOfDay(expiresAt), why: `document ${id} expires` }];
  });
  const ofAge: NextLook[] =
    profile.birthDate === null || !approvesItself(record) || !requirements.requiredDocuments.some(({ onlyMinors }) => onlyMinors)
      ? []
      : [{ at: startOfDay(comesOfAgeOn(profile.birthDate)), why: 'holder comes of age' }];
  const ahead = [...expiries, ...ofAge].filter(({ at }) => at > now);
  const reminded = remindedOf(record);
  const what = `certificate ${certificate?.number ?? ''}`;
  const reminder = reminded && reminderLook(reminded, now, { id: application.id, what });
  return [...ahead, ...(reminder === null ? [] : [reminder])].reduce((first, next) => (next.at < first.at ? next : first), atEnd);
}

/** Applications of a year end at the same instant; closing is spread over the hour after it to avoid a load peak. */
const spreadSeconds = 3600;
