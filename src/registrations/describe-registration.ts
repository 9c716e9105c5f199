import { assertNever } from '../errors.ts';
import { endOfDay, formatDateTime } from '../platform/date-time.ts';
import { spreadOf } from '../platform/spread.ts';
import type { NextLook, ProcessState } from '../platform/workflows/define-process.ts';
import { dueStep, eligibilityAhead, hasEnded } from './due-step.ts';
import type { RegistrationRecord } from './record.ts';
import { isLiving } from './states.ts';

/** How a registration's process stands at an instant, in words that a support person reads in the Temporal UI; no private data. */
export function describeRegistration(record: RegistrationRecord, now: Date): ProcessState {
  const { registration, event } = record;
  const isEnded = !isLiving(registration.status) || hasEnded(record, now);
  const isDue = dueStep(record, now) !== null;
  const next = isEnded ? null : nextLook(record, now);
  const { waitingFor, situation } = situationOf(record, isEnded);
  const until = next === null ? '' : ` Looks again at ${formatDateTime(next.at)}: ${next.why}.`;
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
): { waitingFor: ProcessState['waitingFor']; situation: string } {
  const { status } = registration;
  if (isEnded) return { waitingFor: 'nobody', situation: isLiving(status) ? `Over with its event, ${status}` : `Over: ${status}` };
  switch (status) {
    case 'draft':
      return { waitingFor: 'owner', situation: 'A draft. Waits for the athlete to submit it' };
    case 'submitted':
      return { waitingFor: 'organizer', situation: 'Submitted. Waits for the organizer to decide' };
    case 'returned':
      return { waitingFor: 'owner', situation: 'Returned. Waits for the athlete to correct it and to submit it again' };
    case 'approved':
      return { waitingFor: 'date', situation: `Approved. Waits for the event to end at ${formatDateTime(event.endsAt)}` };
    case 'rejected':
    case 'withdrawn':
      return { waitingFor: 'nobody', situation: `Over: ${status}` };
    default:
      return assertNever(status);
  }
}

function eligibilityWords(record: RegistrationRecord, now: Date): string {
  const [first] = eligibilityAhead(record, now).reasons;
  if (first === undefined) return '';
  return ` Not eligible on ${first.day}: ${first.code}${first.documentId === null ? '' : ` (document ${first.documentId})`}.`;
}

/** The end of the event, or before it the first day on which something behind the registration lapses. */
function nextLook({ id, event, licences, papers }: RegistrationRecord, now: Date): NextLook {
  const end: NextLook = { at: event.endsAt, why: `event ${event.id} of registration ${id} ends`, spreadMs: spreadOf(id, endSpreadSeconds) };
  const documents = [...papers, ...licences.flatMap(({ validity }) => validity.documents)];
  const lapses = [
    ...licences.map(({ validity }) => ({ at: endOfDay(validity.validUntil), why: `licence of registration ${id} lapses` })),
    ...documents.flatMap((document) =>
      document.expiresAt === null
        ? []
        : [{ at: endOfDay(document.expiresAt), why: `document ${document.id} of registration ${id} expires` }],
    ),
  ];
  const ahead = lapses.filter(({ at }) => at > now).map((lapse) => ({ ...lapse, spreadMs: spreadOf(id, lapseSpreadSeconds) }));
  return ahead.reduce<NextLook>((first, lapse) => (lapse.at < first.at ? lapse : first), end);
}

/** Thousands of registrations of an event end with it, and thousands of licences on one night: each has its own second after it. */
const endSpreadSeconds = 3600;
const lapseSpreadSeconds = 600;
