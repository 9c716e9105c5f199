import { randomUUID } from 'node:crypto';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { startBaseline } from './baseline.ts';
import { countEvents, type Draft, eventsOf, makeDraft, makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { localUrl } from './support/bench-stack.ts';
import { describeLatencies, interleaved, pairedRatio, percentile, timed } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const samplesOfRound = 50;
const warmUpSamples = 20;

/**
 * One command at a time: HTTP, update, local activity, SQL, against the baseline: an accepted update with a regular activity that does
 * nothing. Each sample goes to a process of its own that runs already, on both sides.
 */
export async function benchCommand(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const count = rounds * samplesOfRound + warmUpSamples;
  const people = await makePeople(stack, count, { administratorId: administrator.id, isMedicalPending: () => true });
  const baseline = await startBaseline(stack);
  try {
    const drafts: Draft[] = [];
    for (const person of people) drafts.push(await makeDraft(stack, person));
    for (const index of people.keys()) {
      await baseline.touch('application', index);
      await baseline.touch('document', index);
    }
    await untilSettled(stack);
    await untilSettled(stack, baseline.namespace);

    const reviewer = new TestClient(localUrl(stack), administrator.key);
    const submit = async (index: number) => {
      const { id, client } = at(drafts, index);
      client.expect(200, await client.post(`/applications/${id}/submit`, undefined, { 'idempotency-key': randomUUID() }));
    };
    const review = async (index: number) => {
      const decision = { kind: 'document', id: at(people, index).documentIds[1], decision: 'approve' };
      reviewer.expect(200, await reviewer.post('/admin/review', decision, { 'idempotency-key': randomUUID() }));
    };
    for (const work of [submit, baseline.submit, review, baseline.review])
      for (let index = 0; index < warmUpSamples; index += 1) await work(index);

    const sample = (work: (index: number) => Promise<void>) => async (round: number) => {
      const millis: number[] = [];
      for (let index = 0; index < samplesOfRound; index += 1)
        millis.push(await timed(() => work(warmUpSamples + round * samplesOfRound + index)));
      return millis;
    };
    const submits = await interleaved(rounds, { ours: sample(submit), theirs: sample(baseline.submit) });
    say(
      `  POST /applications/{id}/submit: ${describeLatencies(submits.ours.flat())}; ${countEvents(await eventsOf(stack, `application/${at(drafts, warmUpSamples).id}`))}`,
    );
    say(
      `  baseline: ${describeLatencies(submits.theirs.flat())}; ${countEvents(await eventsOf(stack, `application/${warmUpSamples}`, baseline.namespace))}`,
    );
    const reviews = await interleaved(rounds, { ours: sample(review), theirs: sample(baseline.review) });
    say(`  POST /admin/review of a document: ${describeLatencies(reviews.ours.flat())}`);
    say(`  baseline: ${describeLatencies(reviews.theirs.flat())}`);
    return [...judge('submit', submits), ...judge('review', reviews)];
  } finally {
    await baseline.stop();
  }
}

function judge(name: string, { ours, theirs }: { ours: number[][]; theirs: number[][] }): Verdict[] {
  const middles = (rounds: number[][]) => rounds.map((round) => percentile(round, 0.5));
  const share = pairedRatio(middles(ours), middles(theirs));
  const all = ours.flat();
  const tail = percentile(all, 0.99) / percentile(all, 0.5);
  return [
    { what: `command (${name}), p50 against the baseline's`, goal: '<= 1.00', measured: ratio(share), isMet: share <= 1 },
    { what: `command (${name}), p99 against its own p50`, goal: '<= 5.00', measured: ratio(tail), isMet: tail <= 5 },
  ];
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}
