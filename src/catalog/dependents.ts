import type { CommandContext } from '../platform/context.ts';
import { definePoint } from '../platform/extensions.ts';

/** Records of an upper area that stand on services. */
export interface ServiceDependents {
  /** A service asks for other documents now: what waits for its conditions becomes due, in one statement, and the sweeper takes it at its pace. */
  makeDue(ctx: CommandContext, serviceId: number): Promise<void>;
}

export const serviceDependents = definePoint<ServiceDependents>('what stands on a service');
