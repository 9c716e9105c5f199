import { EntityWorkflow } from './entity-workflow.ts';
import { cancelEventUpdate, reviewStageUpdate, submitStageUpdate } from './event-stages.contract.ts';
import type { RecordInput } from './process.contract.ts';

/** Runs an event's process: each stage waits for its organizer, its fee, an administrator or a date, until the results are approved. */
export async function eventStages(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('event', input);
  workflow.onCommand(submitStageUpdate);
  workflow.onCommand(reviewStageUpdate);
  workflow.onCommand(cancelEventUpdate);
  await workflow.live();
}
