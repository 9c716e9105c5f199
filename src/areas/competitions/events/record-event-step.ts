import type { CommandContext } from '../../../platform/commands/context.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { audit, changeVerbs } from '../../audit/index.ts';
import type { LockedEvent } from './queries.ts';
import type { StageName } from './states.ts';

/**
 * Steps of an event in the audit and in its timeline: all facts but those of participants. `agreement_confirmed`: the contract came into
 * force; `agreement_reopened`: it is no longer in force.
 */
export type EventStep = Exclude<(typeof changeVerbs)['event'][number], `participant_${string}`>;
export const eventSteps = changeVerbs.event.filter((verb): verb is EventStep => !verb.startsWith('participant_'));

/** Data of a step: ids, names of fields, hashes. */
export interface EventStepData {
  stage?: StageName;
  /** Of the file that was submitted with the stage. */
  sha256?: string | null;
  application_id?: number;
  changed?: string[];
  by?: 'owner' | 'administrator';
  [fact: string]: unknown;
}

/** Writes a step of an event into the audit, the source of its timeline, and wakes its process. */
export async function recordEventStep(
  ctx: CommandContext,
  { event }: Pick<LockedEvent, 'event'>,
  step: EventStep,
  data: EventStepData = {},
): Promise<void> {
  await audit(ctx, `event.${step}`, { kind: 'event', id: event.id }, data);
  ctx.wake(processRef('event', event.id));
}
