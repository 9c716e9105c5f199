import { randomUUID } from 'node:crypto';
import type { Stack } from '../../src/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import type { PreparedPerson } from '../support/prepared-people.ts';
import { countEvents, eventsOf, makePeople, signInAdministrator } from './bench-people.ts';
import { localUrl } from './bench-stack.ts';
import { describeLatencies, interleaved, pairedRatio, percentile, timed } from './measure.ts';
import { ratio, say } from './report.ts';
import type { Verdict } from './report.ts';
import { startTwin } from './twin.ts';

const samplesOfRound = 50;
const warmUpSamples = 20;

/**
 * One command at a time: HTTP, update, activity, SQL, against an accepted update with a no-op activity. Each sample goes to a
 * process of its own that runs already, on both sides.
 */
export async function benchCommand(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const count = rounds * samplesOfRound + warmUpSamples;
  const people = await makePeople(stack, count, { administratorId: administrator.id, isMedicalPending: () => true });
  const twin = await startTwin(stack);
  try {
    const drafts: { id: number; client: TestClient }[] = [];
    for (const person of people) drafts.push(await makeDraft(stack, person));
    for (const index of people.keys()) {
      await twin.touch('application', index);
      await twin.touch('document', index);
    }

    const reviewer = new TestClient(localUrl(stack), administrator.key);
    const submit = async (index: number) => {
      const { id, client } = at(drafts, index);
      client.expect(200, await client.post(`/applications/${id}/submit`, undefined, { 'idempotency-key': randomUUID() }));
    };
    const review = async (index: number) => {
      const decision = { kind: 'document', id: at(people, index).documentIds[1], decision: 'approve' };
      reviewer.expect(200, await reviewer.post('/admin/review', decision, { 'idempotency-key': randomUUID() }));
    };
    for (const work of [submit, twin.submit, review, twin.review]) for (let index = 0; index < warmUpSamples; index += 1) await work(index);

    const sample = (work: (index: number) => Promise<void>) => async (round: number) => {
      const millis: number[] = [];
      for (let index = 0; index < samplesOfRound; index += 1)
        millis.push(await timed(() => work(warmUpSamples + round * samplesOfRound + index)));
      return millis;
    };
    const submits = await interleaved(rounds, { ours: sample(submit), twin: sample(twin.submit) });
    say(
      `  POST /applications/{id}/submit: ${describeLatencies(submits.ours.flat())}; ${countEvents(await eventsOf(stack, `application/${at(drafts, warmUpSamples).id}`))}`,
    );
    say(
      `  no-op twin: ${describeLatencies(submits.twin.flat())}; ${countEvents(await eventsOf(stack, `application/${warmUpSamples}`, twin.namespace))}`,
    );
    const reviews = await interleaved(rounds, { ours: sample(review), twin: sample(twin.review) });
    say(`  POST /admin/review of a document: ${describeLatencies(reviews.ours.flat())}`);
    say(`  no-op twin: ${describeLatencies(reviews.twin.flat())}`);
    return [...judge('submit', submits), ...judge('review', reviews)];
  } finally {
    await twin.stop();
  }
}

function judge(name: string, { ours, twin }: { ours: number[][]; twin: number[][] }): Verdict[] {
  const middles = (rounds: number[][]) => rounds.map((round) => percentile(round, 0.5));
  const share = pairedRatio(middles(ours), middles(twin));
  const all = ours.flat();
  const tail = percentile(all, 0.99) / percentile(all, 0.5);
  return [
    { what: `command (${name}), p50 against its no-op twin`, goal: '<= 1.80', measured: ratio(share), isMet: share <= 1.8 },
    { what: `command (${name}), p99 against its own p50`, goal: '<= 5.00', measured: ratio(tail), isMet: tail <= 5 },
  ];
}

async function makeDraft(stack: Stack, person: PreparedPerson): Promise<{ id: number; client: TestClient }> {
  const client = new TestClient(localUrl(stack), person.key);
  const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  return { id: client.expect(201, await client.post('/applications', body)).body.data.id, client };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}
