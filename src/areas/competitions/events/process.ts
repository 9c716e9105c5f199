import { eventContract } from '../../../../workflows/contracts/event.contract.ts';
import { searchAttributes } from '../../../../workflows/contracts/process.contract.ts';
import { assertNever } from '../../../errors.ts';
import { reasonInput } from '../../../http/schemas.ts';
import { literalText } from '../../../platform/database/literals.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { spreadOf } from '../../../platform/turns/spread.ts';
import { defineProcess, type NextLook, type ProcessState, withPrivateInput } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import { decisionInput } from '../../reviews/index.ts';
import { cancelEvent } from './cancel-event.ts';
import { intakeOf } from './dates.ts';
import { scheduledSteps } from './schedule.ts';
import { findEvents } from './queries.ts';
import { reconsiderEvent } from './reconsider-event.ts';
import type { EventRecord } from './record.ts';
import { reviewStage } from './review-stage.ts';
import { livingStatuses, isLiving, type StageName, stageNames } from './states.ts';
import { submitStage } from './submit-stage.ts';

/** Describes the state of an event's process for support staff in the Temporal UI. Contains no personal data. */
export function describeEvent(record: EventRecord, now: Date): ProcessState {
  const { status } = record.event;
  const steps = scheduledSteps(record);
  const next = nextLook(record, now);
  const { waitingFor, situation } = situationOf(record, now);
  const until = next === null ? '' : ` Next check at ${formatDateTime(next.at)}: ${next.why}.`;
  return {
    stage: status,
    waitingFor,
    details: `${situation} Stages: ${describeStages(record)}.${describeIntake(record, now)}${until}`,
    isOver: !isLiving(status),
    isDue: steps.some(({ at }) => at <= now),
    next,
  };
}

export function situationOf(record: EventRecord, now: Date): { waitingFor: ProcessState['waitingFor']; situation: string } {
  const { event, stages } = record;
  const stage = stageNames.find((name) => stages[name].status !== 'approved');
  if (!isLiving(event.status) || stage === undefined) return { waitingFor: 'none', situation: `Over: ${event.status}.` };
  const { status } = stages[stage];
  switch (status) {
    case 'submitted':
      return stage === 'details' && record.fee?.paid !== true
        ? { waitingFor: 'owner', situation: `Waits for the owner to pay the fee, application ${record.fee?.id ?? 'unknown'}.` }
        : { waitingFor: 'administrator', situation: `Waits for an administrator to review the ${stage}.` };
    case 'changes':
      return { waitingFor: 'owner', situation: `Waits for the owner to correct and resubmit the ${stage}.` };
    case 'open':
    case 'locked':
      if (stage === 'agreement' && event.agreementScanAt !== null)
        return { waitingFor: 'administrator', situation: 'Waits for an administrator to decide on the signed scan of the agreement.' };
      return stage === 'results' && now < event.endsAt
        ? { waitingFor: 'date', situation: `Waits for the competition to end at ${formatDateTime(event.endsAt)}.` }
        : { waitingFor: 'owner', situation: `Waits for the owner to ${nextTaskOf(record, stage)}.` };
    case 'approved':
      throw new Error('an approved stage waits for no party');
    default:
      return assertNever(status);
  }
}

function nextTaskOf({ event }: EventRecord, stage: StageName): string {
  if (stage !== 'agreement') return `submit the ${stage}`;
  return event.agreementFlow === 3 ? 'create a contract and send its signed scan' : 'send the scan of the signed agreement';
}

function describeStages({ stages }: EventRecord): string {
  return stageNames.map((name) => `${name} ${stages[name].status}`).join(', ');
}

function describeIntake({ event, settings }: EventRecord, now: Date): string {
  return event.status === 'published' ? ` Registrations: ${intakeOf(event, settings, now).replace('_', ' ')}.` : '';
}

/** Returns the next scheduled step. Steps of many events at one instant are spread over the following minutes. */
function nextLook(record: EventRecord, now: Date): NextLook | null {
  const first = scheduledSteps(record).find(({ at }) => at > now);
  return first === undefined ? null : { at: first.at, why: first.why, spreadMs: spreadOf(record.id, spreadSeconds) };
}

/** Events start and end at round hours; the spread gives each event its own second. */
const spreadSeconds = 600;

const dueAt = dueAtOf('events');

/** Returns the instant of the last submission or decision; before the first one, of the event's creation. */
function lastStepAt({ event, stages }: EventRecord): Date {
  const ofStages = stageNames.flatMap((name) => [stages[name].submittedAt, stages[name].decidedAt]);
  const steps = [...ofStages, event.agreementScanAt].filter((at) => at !== null);
  return steps.reduce((last, at) => (at > last ? at : last), event.createdAt);
}

/** Process of an event, from its draft through its stages to its results. */
export const eventProcess = defineProcess(eventContract, {
  summary: (id) => `Event ${id}: agreement, details and fee, regulations, results`,
  attributes: (id) => [{ key: searchAttributes.eventId, value: id }],
  read: findEvents,
  describe: describeEvent,
  since: lastStepAt,
  reconsider: reconsiderEvent,
  dueAt: { of: ({ event }) => event.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('events', `status in (${literalText(livingStatuses)})`),
  commands: {
    submit: submitStage,
    review: withPrivateInput(reviewStage, decisionInput),
    cancel: withPrivateInput(cancelEvent, reasonInput),
  },
});
