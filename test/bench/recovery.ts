import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { type Draft, makeDraft, makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { inParallel } from './support/bench-stack.ts';
import { median } from './support/measure.ts';
import { say, type Verdict } from './support/report.ts';

const clients = 8;
/** A client sends a command this often at the most. */
const periodMs = 100;
/** Of commands before each kill: a worker that served shorter than five seconds would be started again later each time. */
const calmMs = 6_000;
/** Commands go on for this long, at the most, after each kill. */
const aftermathMs = 3_000;
const retryMs = 50;
const goalSeconds = 4;
const longestMs = 30_000;

interface Sent {
  sentAt: number;
  doneAt: number | null;
  /** Why it was sent again, by code, and when. */
  refusals: string[];
}

/**
 * The worker killed outright (SIGKILL) in the middle of commands; the supervisor starts it again. Measured from the kill: until the first
 * command is in effect again, and until the last of those is that the worker had in its hands.
 */
export async function benchRecovery(stack: Stack, kills: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const count = kills * Math.ceil((calmMs + aftermathMs) / periodMs) * clients;
  const people = await makePeople(stack, count, { administratorId: administrator.id });
  const drafts: Draft[] = [];
  await inParallel(people, clients, async (person) => drafts.push(await makeDraft(stack, person)));
  await untilSettled(stack);
  const sent = new Set<Sent>();
  const isOver = new AbortController();
  const crowd = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!isOver.signal.aborted) {
        const draft = drafts.pop();
        if (!draft) throw new RangeError('prepare more drafts');
        await Promise.all([submit(draft, sent), setTimeout(periodMs)]);
      }
    }),
  );
  const firsts: number[] = [];
  const lasts: number[] = [];
  try {
    for (let nth = 1; nth <= kills; nth += 1) {
      await Promise.race([setTimeout(calmMs), crowd]);
      const killedAt = performance.now();
      await stack.processes.worker.kill('SIGKILL');
      await stack.processes.worker.whenReady();
      const readyAfter = (performance.now() - killedAt) / 1000;
      const inHand = [...sent].filter(({ sentAt, doneAt }) => sentAt < killedAt && (doneAt === null || doneAt > killedAt + onTheWayMs));
      const firstAt = await until(() => firstDone(sent, killedAt), crowd);
      await until(() => inHand.every(({ doneAt }) => doneAt !== null) || null, crowd);
      const first = (firstAt - killedAt) / 1000;
      const last = Math.max(...inHand.map(({ doneAt }) => ((doneAt ?? Number.NaN) - killedAt) / 1000));
      const refusals = inHand.flatMap((one) => one.refusals);
      say(
        `  kill ${nth}: serves after ${readyAfter.toFixed(2)} s, first command in effect after ${first.toFixed(2)} s; the last of ${inHand.length} that it had in hand after ${last.toFixed(2)} s (${refusals.length === 0 ? 'none was sent again' : `sent again: ${refusals.join(', ')}`})`,
      );
      firsts.push(first);
      if (Number.isFinite(last)) lasts.push(last);
      sent.clear();
    }
  } finally {
    isOver.abort();
    await crowd;
  }
  say(`  median: first command ${median(firsts).toFixed(2)} s, last in hand ${median(lasts).toFixed(2)} s`);
  return [
    verdict(`killed worker: first command in effect, longest of ${kills}, s`, firsts),
    verdict(`killed worker: commands in its hands in effect, longest of ${kills}, s`, lasts),
  ];
}

function verdict(what: string, seconds: readonly number[]): Verdict {
  // Without any sample nothing was shown.
  const longest = seconds.length === 0 ? Number.NaN : Math.max(...seconds);
  return { what, goal: `<= ${goalSeconds}`, measured: longest.toFixed(2), isMet: longest <= goalSeconds };
}

/** Answers that were on their way when the worker died arrive within this; no new one serves so soon. */
const onTheWayMs = 100;

/** The earliest end of a command that only the worker after the kill can have carried out. */
function firstDone(sent: Iterable<Sent>, killedAt: number): number | null {
  const ends = [...sent].flatMap(({ doneAt }) => (doneAt !== null && doneAt > killedAt + onTheWayMs ? [doneAt] : []));
  return ends.length === 0 ? null : Math.min(...ends);
}

/** As the API's document asks: what was answered 503 is sent again with the same key. */
async function submit({ id, client }: Draft, sent: Set<Sent>): Promise<void> {
  const one: Sent = { sentAt: performance.now(), doneAt: null, refusals: [] };
  sent.add(one);
  const key = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await client.post(`/applications/${id}/submit`, undefined, key);
    if (answer.status !== 503) {
      client.expect(200, answer);
      break;
    }
    one.refusals.push(`${answer.body?.error?.code ?? answer.bytes} after ${((performance.now() - one.sentAt) / 1000).toFixed(1)} s`);
    await setTimeout(retryMs);
  }
  one.doneAt = performance.now();
}

/** @param alive fails when the clients do */
async function until<T>(look: () => T | null, alive: Promise<unknown>): Promise<T> {
  const deadline = Date.now() + longestMs;
  for (;;) {
    const seen = look();
    if (seen !== null) return seen;
    if (Date.now() > deadline) throw new Error(`no command went through within ${longestMs / 1000} s of the kill`);
    await Promise.race([setTimeout(10), alive]);
  }
}
