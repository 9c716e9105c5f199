import { type DecideRegistrationArgs, registrationContract } from '../../../workflows/contracts/registration.contract.ts';
import { assertNever } from '../../errors.ts';
import { reasonInput } from '../../http/schemas.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { endOfDay, formatDateTime } from '../../platform/time/date-time.ts';
import { spreadOf } from '../../platform/turns/spread.ts';
import { defineProcess, type NextLook, type ProcessState, withPrivateInput } from '../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../platform/workflows/due-at.ts';
import { decideRegistration } from './decide-registration.ts';
import { correctableUntil, eligibilityOfRecord, findRegistrations, type RegistrationRecord } from './queries.ts';
import { dueStep, hasEnded, reconsiderRegistration } from './reconsider-registration.ts';
import { isLiving } from './states.ts';
import { acceptOffer } from './waiting-list/accept-offer.ts';
import { offerByHand } from './waiting-list/offer-by-hand.ts';
import { offerEndOf } from './waiting-list/places.ts';
import { withdrawRegistration } from './withdraw-registration.ts';

/** Describes the state of a registration's process for support staff in the Temporal UI. Contains no personal data. */
export function describeRegistration(record: RegistrationRecord, now: Date): ProcessState {
  const { registration, event } = record;
  const isEnded = !isLiving(registration.status) || hasEnded(record, now);
  const isDue = dueStep(record, now) !== null;
  const next = isEnded ? null : nextLook(record, now);
  const { waitingFor, situation } = situationOf(record, isEnded, now);
  const until = next === null ? '' : ` Next check at ${formatDateTime(next.at)}: ${next.why}.`;
  const about = `registration ${registration.id} of profile ${registration.profileId} for event ${event.id}`;
  return {
    stage: registration.status,
    waitingFor,
    details: `${situation} (${about}).${isEnded ? '' : eligibilityWords(record, now)}${until}`,
    isOver: isEnded && !isDue,
    isDue,
    next,
  };
}

function situationOf(
  { registration, event }: RegistrationRecord,
  isEnded: boolean,
  now: Date,
): { waitingFor: ProcessState['waitingFor']; situation: string } {
  const { status, offeredUntil } = registration;
  if (isEnded) return { waitingFor: 'none', situation: isLiving(status) ? `Over: its event has ended, ${status}` : `Over: ${status}` };
  switch (status) {
    case 'draft':
      return { waitingFor: 'owner', situation: 'A draft. Waits for the athlete to submit it' };
    case 'waiting':
      return {
        waitingFor: 'date',
        situation: now < event.startsAt ? 'In line. Waits for a free place of its class' : 'In line. The competition has begun without it',
      };
    case 'offered':
      return {
        waitingFor: 'owner',
        situation: `A place is offered until ${formatDateTime(offerEndOf({ offeredUntil: offeredUntil ?? now }, event))}. Waits for the athlete to accept it`,
      };
    case 'submitted':
      return { waitingFor: 'organizer', situation: 'Submitted. Waits for the organizer to decide' };
    case 'returned':
      if (now >= correctableUntil({ event }))
        return {
          waitingFor: 'date',
          situation: `Returned. Too late for a correction. Waits for the event to end at ${formatDateTime(event.endsAt)}`,
        };
      return { waitingFor: 'owner', situation: 'Returned. Waits for the athlete to correct and resubmit it' };
    case 'approved':
      return { waitingFor: 'date', situation: `Approved. Waits for the event to end at ${formatDateTime(event.endsAt)}` };
    case 'rejected':
    case 'withdrawn':
      return { waitingFor: 'none', situation: `Over: ${status}` };
    default:
      return assertNever(status);
  }
}

function eligibilityWords(record: RegistrationRecord, now: Date): string {
  const [first] = eligibilityOfRecord(record, now).reasons;
  if (first === undefined) return '';
  return ` Not eligible on ${first.day}: ${first.code}${first.documentId === null ? '' : ` (document ${first.documentId})`}.`;
}

/**
 * Returns the next step: the end of the event, an earlier lapse of a licence or document, or the day from which it is eligible again,
 * because a licence has begun or a consent is no longer required (REG-4, REG-6, APP-20).
 */
function nextLook(record: RegistrationRecord, now: Date): NextLook {
  const { id, event, licences, papers, registration } = record;
  const { offeredUntil } = registration;
  const end: NextLook = { at: event.endsAt, why: `event ${event.id} of registration ${id} ends`, spreadMs: spreadOf(id, endSpreadSeconds) };
  const documents = [...papers, ...licences.flatMap(({ validity }) => validity.documents)];
  // Time alone ends a lapse only when the last of its days has gone by.
  const ineligibleUntil = eligibilityOfRecord(record, now)
    .reasons.map(({ untilDay }) => untilDay)
    .toSorted()
    .at(-1);
  const dates = [
    ...(offeredUntil === null
      ? []
      : [{ at: offerEndOf({ offeredUntil }, event), why: `the place offered to registration ${id} is free again`, spreadMs: 0 }]),
    ...licences.map(({ validity }) => ({ at: endOfDay(validity.validUntil), why: `licence of registration ${id} lapses` })),
    ...documents.flatMap((document) =>
      document.expiresAt === null
        ? []
        : [{ at: endOfDay(document.expiresAt), why: `document ${document.id} of registration ${id} expires` }],
    ),
    ...(ineligibleUntil === undefined ? [] : [{ at: endOfDay(ineligibleUntil), why: `registration ${id} is eligible again` }]),
  ];
  const ahead = dates.filter(({ at }) => at > now).map((date) => ({ spreadMs: spreadOf(id, dateSpreadSeconds), ...date }));
  return ahead.reduce<NextLook>((first, date) => (date.at < first.at ? date : first), end);
}

/** Thousands of registrations end with one event, and thousands of licences change in one night; the spread gives each its own second. */
const endSpreadSeconds = 3600;
const dateSpreadSeconds = 600;

/** The organizer's decision: an offer from the line, or one on a submitted registration. */
function decide(ctx: CommandContext, id: number, { decision, ...input }: DecideRegistrationArgs & { reason?: string | null }) {
  return decision === 'offer' ? offerByHand(ctx, id, input) : decideRegistration(ctx, id, { decision, ...input });
}

const dueAt = dueAtOf('registrations');

/** Process of a registration, from its draft until the end of its event. */
export const registrationProcess = defineProcess(registrationContract, {
  summary: (id) => `Registration ${id}: decision, eligibility until the event has ended`,
  read: findRegistrations,
  describe: describeRegistration,
  since: ({ registration, history }) => history.at(-1)?.at ?? registration.createdAt,
  reconsider: reconsiderRegistration,
  dueAt: { of: ({ registration }) => registration.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('registrations', 'due_at is not null'),
  commands: {
    decide: withPrivateInput(decide, reasonInput),
    accept: acceptOffer,
    withdraw: withdrawRegistration,
  },
});
