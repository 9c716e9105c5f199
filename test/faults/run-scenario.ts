import { createRandom, type Random } from '../support/random.ts';
import { type Accepted, Crowd, liveThrough } from './applicant.ts';
import { Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { type Kill, killAtRandom } from './killer.ts';
import { findFaults } from './verdict.ts';

export interface ScenarioOptions {
  seed: number;
  /** Kills continue until each part was killed once and this time has passed. */
  killForMs: number;
  /** Parallel applicants. */
  concurrency: number;
  log(line: string): void;
  /** More that happens meanwhile, until `isOver`. */
  alongside?: (run: Alongside) => Promise<void>;
}

export interface Alongside {
  faultStack: FaultStack;
  watch: Watch;
  random: Random;
  isOver(): boolean;
}

export interface ScenarioResult {
  accepted: Accepted[];
  kills: Kill[];
  outcomes: Record<string, number>;
  /** Empty if every accepted command is in effect exactly once. */
  faults: string[];
}

/** Many people apply and pay in parallel while parts are killed at random. Then the database is compared with the confirmed answers. */
export async function runScenario({ seed, killForMs, concurrency, log, alongside }: ScenarioOptions): Promise<ScenarioResult> {
  const random = createRandom(seed);
  const faultStack = await startFaultStack();
  try {
    const { stack } = faultStack;
    const watch = new Watch();
    const surroundings = { ...faultStack, bankUrl: stack.bankUrl, watch };
    const crowd = new Crowd(faultStack);
    log(`seed ${seed}: ${concurrency} applicants at a time, kills for ${killForMs / 1000} s`);

    const applying = { isOver: false };
    const accepted: Accepted[] = [];
    const applyOneAfterTheOther = async (draws: Random) => {
      while (!applying.isOver) {
        const { person, story } = await crowd.next();
        accepted.push(await liveThrough(story, person, surroundings, draws));
      }
    };
    const applicants = Promise.allSettled(Array.from({ length: concurrency }, () => applyOneAfterTheOther(random.fork())));
    const others = Promise.allSettled([alongside?.({ faultStack, watch, random: random.fork(), isOver: () => applying.isOver })]);
    await watch.nextCommand();
    const kills = await killAtRandom(stack, watch, random, { until: Date.now() + killForMs, log }).finally(() => {
      applying.isOver = true;
    });
    const broken = [...(await applicants), ...(await others)].flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    log(`${accepted.length} people have applied and paid`);

    const faults = [...new Set([...broken, ...watch.surprises, ...(await findFaults(faultStack, accepted))])];
    return { accepted, kills, outcomes: Object.fromEntries(watch.outcomes), faults };
  } finally {
    await faultStack.stop();
  }
}
