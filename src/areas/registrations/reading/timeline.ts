import { assertNever } from '../../../errors.ts';
import { mostTimelineSteps, type TimelineStep } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { partyOf } from '../../../platform/workflows/define-process.ts';
import { describeRegistration } from '../process.ts';
import type { RegistrationRecord } from '../queries.ts';
import type { RegistrationStatus } from '../states.ts';

/** Builds a registration's timeline from its history, with the organizer's reasons and a current lapse (REG-6). */
export function buildTimeline(record: RegistrationRecord, now: Date): TimelineStep[] {
  const { history, registration } = record;
  const steps = history.map(({ at, status, actor, reason, startNumber }, index): TimelineStep => {
    // Only a change of the start number leaves the status.
    const before = history[index - 1]?.status;
    const isNumbering = before === status;
    const text = isNumbering ? numberingOf(startNumber) : sentenceOf(status, before);
    return {
      at: formatDateTime(at),
      step: isNumbering ? 'numbered' : stepOf(status, before),
      text: reason === null ? text : `${text} Reason: ${reason}`,
      actor: actor === 'athlete' ? 'owner' : actor === 'registry' ? 'system' : actor,
      waiting_for: null,
    };
  });
  const lapsedAt = registration.ineligibleSince;
  if (lapsedAt !== null) {
    const text = 'The registration is no longer eligible on every day of the event.';
    const lapsed: TimelineStep = { at: formatDateTime(lapsedAt), step: 'lapsed', text, actor: 'system', waiting_for: null };
    steps.splice(history.findLastIndex(({ at }) => at <= lapsedAt) + 1, 0, lapsed);
  }
  // What the first of a cut history changed is not known.
  if (history.length === mostTimelineSteps) steps.shift();
  const last = steps.at(-1);
  if (last) last.waiting_for = partyOf(describeRegistration(record, now));
  return steps;
}

function numberingOf(startNumber: string | null): string {
  return startNumber === null ? 'The organizer removed the start number.' : `The organizer set the start number ${startNumber}.`;
}

/** Returns the step's name in the audit. */
function stepOf(status: RegistrationStatus, before: RegistrationStatus | undefined): string {
  if (status === 'waiting') return before === 'offered' ? 'requeued' : 'queued';
  if (status === 'submitted' && before === 'offered') return 'accepted';
  return status === 'draft' ? 'created' : status;
}

function sentenceOf(status: RegistrationStatus, before: RegistrationStatus | undefined): string {
  switch (status) {
    case 'draft':
      return 'The registration was saved as a draft.';
    case 'submitted':
      if (before === 'offered') return 'The offered place was accepted.';
      return before === undefined ? 'The registration was created and submitted.' : 'The registration was submitted.';
    case 'waiting':
      return before === 'offered'
        ? 'The offer ran out; the registration waits at the end of the line.'
        : 'The class is full; the registration waits for a place.';
    case 'offered':
      return 'A place was offered.';
    case 'returned':
      return 'The organizer returned the registration for correction.';
    case 'rejected':
      return 'The organizer rejected the registration.';
    case 'approved':
      return 'The organizer approved the registration.';
    case 'withdrawn':
      return 'The registration was withdrawn.';
    default:
      return assertNever(status);
  }
}
