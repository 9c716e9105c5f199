import type { ManagedProcess } from '../../src/tools/embedded/managed-process.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import type { Random } from '../support/random.ts';
import type { Watch } from './careful-client.ts';

export const victims = ['worker', 'api', 'temporal', 'postgres'] as const;
export type Victim = (typeof victims)[number];

/** The recovery after a kill -9: until the process was ready, and until a command succeeded. */
export interface Kill {
  victims: Victim[];
  readyAfterMs: number;
  commandAfterMs: number;
}

/** A stack is not healthy again when a command has not gone through for so long. */
const longestRecoveryMs = 180_000;

/** Kills parts together by SIGKILL, and waits until the supervisor has restarted them and a command succeeds. */
export async function kill(stack: Stack, names: Victim[], watch: Watch): Promise<Kill> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  const parts = names.map((name) => partOf(stack, name));
  await Promise.all(parts.map((part) => part.kill('SIGKILL')));
  // Only from now on: a command that was almost answered before the kill proves nothing.
  await Promise.all(parts.map((part) => part.whenReady()));
  const readyAfterMs = since();
  await within(watch.nextCommand(), longestRecoveryMs, `no command went through after the kill of ${names.join(' and ')}`);
  return { victims: names, readyAfterMs, commandAfterMs: since() };
}

/** Kills at random moments: each part once in a random order, then one or two parts until the end. */
export async function killAtRandom(
  stack: Stack,
  watch: Watch,
  random: Random,
  options: { until: number; log(line: string): void },
): Promise<Kill[]> {
  const kills: Kill[] = [];
  const rounds: Victim[][] = random.shuffled(victims).map((name) => [name]);
  for (;;) {
    const names = rounds.shift() ?? random.shuffled(victims).slice(0, random.between(1, 2));
    if (kills.length >= victims.length && Date.now() >= options.until) return kills;
    await new Promise((resolve) => setTimeout(resolve, random.between(300, 2_000)));
    const one = await kill(stack, names, watch);
    options.log(describeKill(one));
    kills.push(one);
  }
}

export function describeKill({ victims: names, readyAfterMs, commandAfterMs }: Kill): string {
  return `kill -9 ${names.join(' + ')}: serves again after ${readyAfterMs} ms, first command in effect after ${commandAfterMs} ms`;
}

export function partOf(stack: Stack, name: Victim): ManagedProcess {
  const victim = stack.processes[name];
  if (!victim) throw new Error(`the ${name} is not part of this stack`);
  return victim;
}

async function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${ms / 1000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
