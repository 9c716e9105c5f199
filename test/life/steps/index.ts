import { administratorSteps } from './administrators.ts';
import { athleteSteps } from './athletes.ts';
import { clerkSteps } from './clerks.ts';
import { faultSteps } from './faults.ts';
import type { Step } from './step.ts';
import { timeSteps } from './time.ts';

/** Everything that happens in a life. */
export const steps: readonly Step[] = [...athleteSteps, ...clerkSteps, ...administratorSteps, ...timeSteps, ...faultSteps];
