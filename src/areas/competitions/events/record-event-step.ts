import type { CommandContext } from '../../../platform/context.ts';
import { processRef } from '../../../platform/process-ref.ts';
import { audit } from '../../audit/index.ts';
import type { LockedEvent } from './lock-event.ts';
import type { StageName } from './states.ts';

/**
 * Everything that happens to an event, as the audit and its timeline name it. `agreement_confirmed`, `agreement_reopened`: its contract came
 * into force, or is in force no more.
 */
export const eventSteps = [
  'created',
  'updated',
  'registration_settings_updated',
  'file_attached',
  'submitted',
  'approved',
  'returned',
  'cancelled',
  'agreement_confirmed',
  'agreement_reopened',
  'reminded',
  'intake_opened',
  'intake_closed',
] as const;
export type EventStep = (typeof eventSteps)[number];

/** What a step tells beside its name: ids, names of fields, hashes. */
export interface EventStepData {
  stage?: StageName;
  /** Of the file that the stage was handed in with. */
  sha256?: string | null;
  application_id?: number;
  changed?: string[];
  by?: 'owner' | 'administrator';
  [fact: string]: unknown;
}

/** Writes a step of an event into the audit, from which its timeline is told, and has its process look at it again. */
export async function recordEventStep(
  ctx: CommandContext,
  { event }: Pick<LockedEvent, 'event'>,
  step: EventStep,
  data: EventStepData = {},
): Promise<void> {
  await audit(ctx, `event.${step}`, { kind: 'event', id: event.id }, data);
  ctx.wake(processRef('event', event.id));
}

/** Every change of an event is seen by when it was made. */
export function markChanged(ctx: CommandContext, { event }: Pick<LockedEvent, 'event'>): void {
  event.updatedAt = ctx.now;
}
