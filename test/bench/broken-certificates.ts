import { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { processRef } from '../../src/platform/process-ref.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { waitFor } from '../support/wait-for.ts';
import { makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { inParallel, localUrl, withPlatform, withTemporal } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { describeLatencies, percentile, timed } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const samplesOfRound = 50;
const warmUpSamples = 20;
const goal = 1.5;
/** What a stack does at least, so that waiting for the processes ends. */
const slowestPerSecond = 5;

/** So many of them are woken a second while reviews are measured: each looks at its record and tries once more. */
const wokenPerSecond = 5;

/**
 * Reviews beside so many certificates that cannot be made, because their photo is not in the storage: one at a time, before there are any,
 * when all of their processes have tried and say that they are stuck, and while some of these are woken and try again.
 */
export async function benchBrokenCertificates(stack: Stack, rounds: number, count: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  // First, since these rows have their ids from 1 on. Their photo is a file of the registry that nobody has stored.
  await insertCertificates(stack.migrationDatabaseUrl, count, 0, null);
  await givePhotos(stack);
  const people = await makePeople(stack, warmUpSamples + 3 * rounds * samplesOfRound, {
    administratorId: administrator.id,
    isMedicalPending: () => true,
  });
  await untilSettled(stack);
  const reviewer = new TestClient(localUrl(stack), administrator.key);
  let refused = 0;
  const review = (person: InsertedPerson) =>
    timed(async () => {
      const decision = { kind: 'document', id: person.documentIds[1], decision: 'approve' };
      const { status } = await reviewer.post('/admin/review', decision, { 'idempotency-key': randomUUID() });
      if (status !== 200) refused += 1;
    });
  const measure = async (samples: number) => {
    const millis: number[] = [];
    for (const person of people.splice(0, samples)) millis.push(await review(person));
    return millis;
  };
  await measure(warmUpSamples);
  const without = await measure(rounds * samplesOfRound);
  say(`  reviews without: ${describeLatencies(without)}`);

  const startedAt = performance.now();
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const { stuck, trying } = await withPlatform(stack, async ({ processes }) => {
    const wake = (id: number) => processes.wake({ process: processRef('application', id), requestId: randomUUID() });
    await inParallel(ids, 8, wake);
    await waitFor(
      () => countStuck(stack),
      (found) => found === count,
      `${count} processes to show themselves as stuck`,
      (count / slowestPerSecond) * 1000 + 60_000,
    );
    say(`  ${count} processes stuck within ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    const whenStuck = await measure(rounds * samplesOfRound);
    say(`  reviews when all are stuck: ${describeLatencies(whenStuck)}`);
    const end = new AbortController();
    const waking = wakeSteadily(ids, wake, end.signal);
    const whenTrying = await measure(rounds * samplesOfRound);
    end.abort();
    say(`  reviews while ${await waking} of them are woken: ${describeLatencies(whenTrying)}`);
    return { stuck: whenStuck, trying: whenTrying };
  });
  const share = (millis: number[]) => percentile(millis, 0.5) / percentile(without, 0.5);
  const verdict = (when: string, millis: number[]): Verdict => ({
    what: `reviews beside ${count} certificates that cannot be made, ${when}, p50 against none`,
    goal: `<= ${goal.toFixed(2)}`,
    measured: ratio(share(millis)),
    isMet: share(millis) <= goal,
  });
  return [
    verdict('all stuck', stuck),
    verdict(`${wokenPerSecond} a second woken`, trying),
    { what: 'of them not served (503 and the like)', goal: '0', measured: String(refused), isMet: refused === 0 },
  ];
}

/** @returns how many were woken until the end */
async function wakeSteadily(ids: readonly number[], wake: (id: number) => Promise<void>, end: AbortSignal): Promise<number> {
  let woken = 0;
  for (const id of ids) {
    if (end.aborted) break;
    await wake(id);
    woken += 1;
    await setTimeout(1000 / wokenPerSecond);
  }
  return woken;
}

/** The snapshot of a certificate as an approval writes it, as far as drawing it needs it. */
async function givePhotos(stack: Stack): Promise<void> {
  const owner = new Client({ connectionString: stack.migrationDatabaseUrl });
  await owner.connect();
  try {
    await owner.query(
      `update certificates set snapshot = jsonb_build_object('holderName', 'Person ' || application_id, 'birthDate', null, 'citizenship', null,
         'serviceTitle', jsonb_build_object('kk', 'B', 'ru', 'B', 'en', 'B'), 'serviceCategory', 'B', 'disciplineTitle', null, 'team', null,
         'sport', null, 'insuranceTerritory', 'KZ', 'insuranceCoverageMinor', null, 'photoFileId', '00000000-0000-4000-8000-000000000001')`,
    );
  } finally {
    await owner.end();
  }
}

async function countStuck(stack: Stack): Promise<number> {
  return withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => {
    const { count } = await client.workflow.count("ExecutionStatus = 'Running' AND WaitingFor = 'support'");
    return count;
  });
}
