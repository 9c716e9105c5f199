import { setTimeout } from 'node:timers/promises';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { makePeople, signInAdministrator } from './support/bench-people.ts';
import { applyAndPay } from './support/life.ts';
import { peakMb, resetPeak, residentMb } from './support/process-memory.ts';
import { say, type Verdict } from './support/report.ts';

const atOnce = 8;
const batch = 400;
/** What a start leaves behind is collected by then. */
const restMs = 20_000;
const goals = { atRestMb: 350, afterLivesMb: 700 };

/** What one worker process, serving all queues, holds at rest and after so many minutes of lives, eight at a time. Linux only. */
export async function benchWorkerMemory(stack: Stack, minutes: number): Promise<Verdict[]> {
  const pid = stack.processes.worker.pid ?? 0;
  const administrator = await signInAdministrator(stack);
  const people: InsertedPerson[] = [];
  const prepare = async () => void people.push(...(await makePeople(stack, batch, { administratorId: administrator.id })));
  await prepare();
  await setTimeout(restMs);
  const atRest = residentMb(pid);
  say(`  at rest: ${atRest} MB`);
  resetPeak(pid);
  const startedAt = Date.now();
  const until = startedAt + minutes * 60_000;
  let lives = 0;
  let preparing = Promise.resolve();
  let isPreparing = false;
  const live = async () => {
    while (Date.now() < until) {
      if (people.length < batch / 2 && !isPreparing) {
        isPreparing = true;
        preparing = prepare().finally(() => (isPreparing = false));
      }
      if (people.length === 0) await preparing;
      await applyAndPay(stack, people.shift());
      lives += 1;
    }
  };
  const told = new AbortController();
  const telling = tellEachMinute(told.signal, () => say(`  after ${lives} lives: ${residentMb(pid)} MB`));
  await Promise.all(Array.from({ length: atOnce }, live)).finally(() => told.abort());
  await Promise.all([preparing, telling]);
  const after = residentMb(pid);
  if (stack.processes.worker.pid !== pid) throw new Error('the worker was started again meanwhile');
  say(`  after ${minutes} minutes, ${lives} lives (${(lives / (minutes * 60)).toFixed(1)} a second): ${after} MB, peak ${peakMb(pid)} MB`);
  return [
    { what: 'worker at rest, MB', goal: `< ${goals.atRestMb}`, measured: String(atRest), isMet: atRest < goals.atRestMb },
    {
      what: `worker after ${minutes} minutes of lives, ${atOnce} at a time, MB`,
      goal: `< ${goals.afterLivesMb}`,
      measured: String(after),
      isMet: after < goals.afterLivesMb,
    },
  ];
}

async function tellEachMinute(signal: AbortSignal, tell: () => void): Promise<void> {
  while (!signal.aborted) {
    await setTimeout(60_000, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) tell();
  }
}
