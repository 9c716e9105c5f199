import { cancelEventUpdate, reviewStageUpdate, submitStageUpdate } from '../../workflows/event-stages.contract.ts';
import { searchAttributes } from '../../workflows/process.contract.ts';
import { reasonWords } from '../http/schemas.ts';
import { defineProcess, on } from '../platform/workflows/define-process.ts';
import { dueAtOf } from '../platform/workflows/due-at.ts';
import { decisionWords } from '../reviews/index.ts';
import { cancelEvent } from './cancel-event.ts';
import { describeEvent } from './describe-event.ts';
import { listLiving } from './process-queries.ts';
import { findEvents } from './queries.ts';
import { reconsiderEvent } from './reconsider-event.ts';
import type { EventRecord } from './record.ts';
import { reviewStage } from './review-stage.ts';
import { stageNames } from './states.ts';
import { submitStage } from './submit-stage.ts';

const dueAt = dueAtOf('events');

/** Since when the stage that it waits for stands as it does; before anything was submitted or decided, since the event was made. */
function standsSince({ event, stages }: EventRecord): Date {
  const ofStages = stageNames.flatMap((name) => [stages[name].submittedAt, stages[name].decidedAt]);
  const steps = [...ofStages, event.agreementScanAt].filter((at) => at !== null);
  return steps.reduce((last, at) => (at > last ? at : last), event.createdAt);
}

/** An event from its draft through its stages to its results (design.md "Processes"). */
export const eventProcess = defineProcess<EventRecord>({
  kind: 'event',
  workflow: 'eventStages',
  queue: 'competitions',
  summary: (id) => `Event ${id}: agreement, details and fee, regulations, results`,
  attributes: (id) => [{ key: searchAttributes.eventId, value: id }],
  read: findEvents,
  describe: describeEvent,
  since: standsSince,
  reconsider: reconsiderEvent,
  dueAt: { of: ({ event }) => event.dueAt, save: dueAt.save },
  due: dueAt.list,
  living: listLiving,
  commands: [
    on(submitStageUpdate, submitStage),
    on(reviewStageUpdate, reviewStage, decisionWords),
    on(cancelEventUpdate, cancelEvent, reasonWords),
  ],
});
