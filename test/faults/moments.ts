import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../support/wait-for.ts';

/** A named moment of an activity's transaction: before it begins, after all writes, after the commit but before the answer. */
export const moments = ['before', 'inside', 'after'] as const;
export type Moment = (typeof moments)[number];

/** What the worker does once at that moment of that activity. */
export interface Plan {
  activity: string;
  moment: Moment;
  /** Which of these moments of the worker, from 1; by default the first. */
  nth?: number;
  /** `die`: SIGKILL to itself; `hold`: pause until `release`. */
  act: 'die' | 'hold';
}

const planned = (dataDir: string) => join(dataDir, 'plan.json');
const reached = (dataDir: string) => join(dataDir, 'plan.reached.json');
const released = (dataDir: string) => join(dataDir, 'plan.released.json');

/** The test's side; the plan is in the shared data directory. */
export function arm(dataDir: string, plan: Plan): void {
  writeFileSync(`${planned(dataDir)}.new`, JSON.stringify(plan));
  renameSync(`${planned(dataDir)}.new`, planned(dataDir));
}

/** Waits until the worker has reached the moment of the plan, and deletes the plan. */
export async function whenReached(dataDir: string): Promise<void> {
  await waitFor(
    () => existsSync(reached(dataDir)),
    (isThere) => isThere,
    'the worker to reach the planned moment',
  );
  renameSync(reached(dataDir), `${reached(dataDir)}.seen`);
}

/** Lets a paused worker continue. */
export function release(dataDir: string): void {
  writeFileSync(released(dataDir), '');
}

let passed = 0;

/** The worker's side: acts if the plan names this moment. */
export async function comeTo(dataDir: string, activity: string, moment: Moment): Promise<void> {
  if (!existsSync(planned(dataDir))) return;
  const plan = JSON.parse(readFileSync(planned(dataDir), 'utf8')) as Plan;
  if (plan.activity !== activity || plan.moment !== moment) return;
  passed += 1;
  if (passed < (plan.nth ?? 1)) return;
  passed = 0;
  renameSync(planned(dataDir), reached(dataDir));
  if (plan.act === 'die') process.kill(process.pid, 'SIGKILL');
  await waitFor(
    () => existsSync(released(dataDir)),
    (isThere) => isThere,
    'the test to let the worker go on',
  );
  renameSync(released(dataDir), `${released(dataDir)}.seen`);
}
