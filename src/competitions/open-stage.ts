import type { LockedEvent } from './lock-event.ts';
import { stageTransition } from './states.ts';
import type { StageName } from './states.ts';

/** Opens a stage that waited for the one before it; one that was open before stays as it is. */
export function openStage({ stages }: Pick<LockedEvent, 'stages'>, name: StageName): void {
  if (stages[name].status === 'locked') stageTransition(stages[name], 'open');
}
