import type { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeCursor } from '../../src/areas/changes/cursor.ts';
import { parseRow } from '../../src/areas/registrations/check-row.ts';
import { saveRegistrations } from '../../src/areas/registrations/save-registrations.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { countStatements } from '../support/count-statements.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes, type LicensedAthlete } from '../support/factories/registrations.ts';
import { startWebhookReceivers, type WebhookReceivers } from '../support/outside-servers/webhook-receiver.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Baseline, startBaseline } from './baseline/client.ts';
import {
  atLeast,
  atMost,
  cpuSeconds,
  describeLatencies,
  figure,
  interleaved,
  median,
  pairedRatio,
  percentile,
  ratio,
  say,
  timed,
  type Verdict,
  within,
} from './measure.ts';
import {
  applyAndPay,
  countEvents,
  type Draft,
  eventsOf,
  inParallel,
  type Lifecycle,
  localUrl,
  makeDraft,
  makePeople,
  makeReviewer,
  signInAdministrator,
  startProgram,
  untilCertificates,
  untilSettled,
  withDatabase,
  withPlatform,
} from './stack.ts';

const samplesOfRound = 50;
const warmUpSamples = 20;

/**
 * `command`: one command at a time, with HTTP, update, local activity and SQL, to the baseline: an update with a regular activity that does
 * nothing. On both sides, each sample goes to a running process of its own.
 */
export async function benchCommand(stack: Stack, rounds: number): Promise<Verdict[]> {
  const count = rounds * samplesOfRound + warmUpSamples;
  const people = await makePeople(stack, count, { isMedicalPending: () => true });
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

    const reviewer = await makeReviewer(stack);
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
    return [...judgeCommand('submit', submits), ...judgeCommand('review', reviews)];
  } finally {
    await baseline.stop();
  }
}

function judgeCommand(name: string, { ours, theirs }: { ours: number[][]; theirs: number[][] }): Verdict[] {
  const medians = (rounds: number[][]) => rounds.map((round) => percentile(round, 0.5));
  const all = ours.flat();
  return [
    atMost(1, `command (${name}), p50 to the baseline`, pairedRatio(medians(ours), medians(theirs))),
    atMost(5, `command (${name}), p99 to its own p50`, percentile(all, 0.99) / percentile(all, 0.5)),
  ];
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}

const parallelLifecycles = 20;
// Many short rounds: the machine's speed changes from one minute to the next.
const lifecyclesOfRound = 80;
const roundsFactor = 3;
// A new process runs uncompiled code for some hundreds of lifecycles, and ours has more code.
const warmUpRounds = 4;

/**
 * `lifecycle`: throughput of 20 parallel lifecycles, to the same messages of the baseline. A round of either side includes the
 * certificates that follow the approvals in the background, so that they do not slow the other side.
 */
export async function benchLifecycle(stack: Stack, rounds: number): Promise<Verdict[]> {
  const people = await makePeople(stack, (roundsFactor * rounds + warmUpRounds) * lifecyclesOfRound);
  const baseline = await startBaseline(stack);
  let lastId = 0;
  const done: { ours: Lifecycle[]; theirs: Lifecycle[] } = { ours: [], theirs: [] };
  return withDatabase(stack.migrationDatabaseUrl, async (database) => {
    const ours = () =>
      lifecyclesPerSecond(
        async () => done.ours.push(await applyAndPay(stack, people.shift())),
        () => untilCertificates(database),
      );
    const theirs = () =>
      lifecyclesPerSecond(
        async () => done.theirs.push(await runBaselineLifecycle(baseline, (lastId += 1))),
        () => baseline.settle(),
      );
    for (let round = 0; round < warmUpRounds; round += 1) {
      await ours();
      await theirs();
    }
    const seen = await interleaved(roundsFactor * rounds, { ours, theirs });
    await describe('applications', seen.ours, done.ours[0], (id) => eventsOf(stack, id));
    await describe('baseline', seen.theirs, done.theirs[0], (id) => eventsOf(stack, id, baseline.namespace));
    return [atLeast(0.95, '20 parallel lifecycles, throughput to the baseline', pairedRatio(seen.ours, seen.theirs))];
  }).finally(() => baseline.stop());
}

async function describe(
  name: string,
  rates: number[],
  lifecycle: Lifecycle | undefined,
  events: (id: string) => Promise<string[]>,
): Promise<void> {
  say(`  ${name}: ${median(rates).toFixed(1)} lifecycles/s (rounds: ${rates.map((value) => value.toFixed(1)).join(', ')})`);
  if (!lifecycle) return;
  say(`    application: ${countEvents(await events(`application/${lifecycle.applicationId}`))}`);
  say(`    invoice, last run: ${countEvents(await events(`invoice/${lifecycle.invoiceId}`))}`);
}

/** @param settle waits for the background work of the round */
async function lifecyclesPerSecond(run: () => Promise<unknown>, settle: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await inParallel(Array.from({ length: lifecyclesOfRound }), parallelLifecycles, run);
  await settle();
  return lifecyclesOfRound / ((performance.now() - startedAt) / 1000);
}

/** The same messages in the same order; the hint is the bank's callback. */
async function runBaselineLifecycle(baseline: Baseline, id: number): Promise<Lifecycle> {
  await baseline.touch('application', id);
  await baseline.submit(id);
  await baseline.touch('invoice', id);
  await baseline.checkout(id);
  baseline.hint(id);
  await baseline.verify(id);
  await baseline.pay(id);
  return { applicationId: id, invoiceId: id };
}

const rowsOfBatch = 100;
const batchGoalMs = 1500;

/**
 * `batch`: 100 registrations in one batch, to 100 single requests: SQL statements of the command, and the time of the responses over HTTP.
 * Each round has athletes of its own.
 */
export async function benchBatch(stack: Stack, rounds: number): Promise<Verdict[]> {
  const [owner, organizer] = await makePeople(stack, 2);
  if (!owner || !organizer) throw new RangeError('two people are needed');
  return withPlatform(stack, async (platform) => {
    const db = databaseOf(platform.orm.em.fork());
    const { id: eventId } = await eventFixtures(platform).event(organizer, { settings: { classes: ['Абсолют'] } });
    const athletes = await insertAthletes(
      db,
      Array.from({ length: rowsOfBatch * (2 * rounds + 3) }, () => owner.userId),
      new Date(),
    );
    const take = () => athletes.splice(0, rowsOfBatch).map(rowOf);

    const [warmUp, counted] = [take(), take()];
    const [one, ...others] = warmUp;
    await countSave(platform, owner, eventId, others);
    const single = await countSave(platform, owner, eventId, [one]);
    const batch = await countSave(platform, owner, eventId, counted);
    say(`  statements: ${batch} of a batch of ${rowsOfBatch}, ${single} of a single registration`);

    const client = new TestClient(localUrl(stack), owner.key);
    const path = `/events/${eventId}/registrations/batch`;
    const send = async (registrations: unknown[]) => {
      const { results } = client.expect(200, await client.post(path, { registrations, submit: true })).body.data;
      if (results.some(({ ok }: { ok: boolean }) => !ok)) throw new Error(JSON.stringify(results.slice(0, 3)));
    };
    await send(take());
    const { ours, theirs } = await interleaved(rounds, {
      ours: async () => {
        const rows = take();
        return timed(() => send(rows));
      },
      theirs: async () => {
        const rows = take();
        return timed(async () => {
          for (const row of rows) await send([row]);
        });
      },
    });
    say(`  one batch: ${describeLatencies(ours)}; ${rowsOfBatch} single requests: ${describeLatencies(theirs)}`);
    return [
      atLeast(10, `statements of ${rowsOfBatch} single registrations, to a batch`, (single * rowsOfBatch) / batch),
      within(batchGoalMs, `a batch of ${rowsOfBatch} registrations, p50`, median(ours), 'ms'),
      figure(`${rowsOfBatch} single requests, p50`, `${median(theirs).toFixed(0)} ms`),
    ];
  });
}

const rowOf = ({ profileId, applicationId }: LicensedAthlete) => ({
  profile_id: profileId,
  application_id: applicationId,
  class: 'Абсолют',
});

/** SQL statements of the command alone. */
async function countSave(platform: Platform, owner: InsertedPerson, eventId: number, sent: unknown[]): Promise<number> {
  const actor = { kind: 'user', userId: owner.userId, isAdministrator: false, impersonatedUserId: null } as const;
  const rows = sent.map((row, index) => parseRow(`body.registrations.${index}`, row));
  const { statements, result } = await countStatements(() =>
    commit(platform, { actor, requestId: 'bench', ip: null }, (ctx) =>
      saveRegistrations(ctx, { eventId, rows, isSubmitted: true, asksForDetails: true }),
    ),
  );
  if (result.some((outcome) => 'refusal' in outcome)) throw new Error('a row was refused');
  // The delivery of wake-ups deletes outbox rows at any moment.
  return statements.filter(({ text }) => !text.startsWith('delete from "outbox"')).length;
}

const webhookWarmUpRounds = 3;
const webhookRoundsFactor = 2;
const webhookGoalMs = 300;
/** Deliveries of the replay, of which there are more. */
const replayed = 3_000;

/** `webhooks`: 20 parallel lifecycles while a webhook gets all their changes, to none, and the time from a change to its receiver. */
export async function benchWebhooks(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, (2 * webhookRoundsFactor * rounds + webhookWarmUpRounds) * lifecyclesOfRound);
  const receivers = await startWebhookReceivers();
  const delays: number[] = [];
  try {
    return await withDatabase(stack.migrationDatabaseUrl, async (database) => {
      const theirs = () =>
        lifecyclesPerSecond(
          async () => applyAndPay(stack, people.shift()),
          () => untilCertificates(database),
        );
      const ours = async () => {
        const receiver = receivers.make();
        const { id } = administrator.expect(
          201,
          await administrator.post('/webhooks', { url: receiver.url, types: ['*'], password: administrator.password }),
        ).body.data;
        await waitFor(() => isAsleep(database, id), Boolean, 'the webhook to wait for changes');
        const rate = await theirs();
        const wanted = await countChanges(database, id);
        await waitFor(
          () => receiver.arrivals().length,
          (count) => count >= wanted,
          'all changes',
        );
        administrator.expect(200, await administrator.delete(`/webhooks/${id}`));
        delays.push(...(await readDelays(database, receiver.arrivals())));
        return rate;
      };
      for (let round = 0; round < webhookWarmUpRounds; round += 1) await theirs();
      const seen = await interleaved(webhookRoundsFactor * rounds, { ours, theirs });
      const millis = (share: number) => percentile(delays, share).toFixed(0);
      say(`  ${delays.length} changes to the receiver: p50 ${millis(0.5)} ms, p95 ${millis(0.95)} ms, p99 ${millis(0.99)} ms`);
      await measureSending(stack, administrator, receivers);
      const p50 = percentile(delays, 0.5);
      say(`  20 parallel lifecycles beside it, with its requests and its receiver, to none: ${ratio(pairedRatio(seen.ours, seen.theirs))}`);
      return [within(webhookGoalMs, 'a change to its receiver, p50', p50, 'ms')];
    });
  } finally {
    await receivers.close();
  }
}

/** Prints a worker's processor time for a thousand deliveries of a replay, and that of a program that only posts and signs. */
async function measureSending(stack: Stack, administrator: TestClient, receivers: WebhookReceivers): Promise<void> {
  const [receiver, other] = [receivers.make(), receivers.make()];
  const workerPid = stack.processes.worker.pid ?? 0;
  const { id } = administrator.expect(
    201,
    await administrator.post('/webhooks', { url: receiver.url, types: ['*'], password: administrator.password }),
  ).body.data;
  const before = cpuSeconds(workerPid);
  const after = writeCursor({ place: 0, id: 0, at: new Date() });
  administrator.expect(200, await administrator.post(`/webhooks/${id}/replay`, { after }));
  await waitFor(
    () => receiver.arrivals().length,
    (count) => count >= replayed,
    'the replay',
  );
  const ofWorker = (cpuSeconds(workerPid) - before) / receiver.arrivals().length;
  administrator.expect(200, await administrator.delete(`/webhooks/${id}`));

  const sender = await startProgram('bareSender', stack.env);
  try {
    const atStart = cpuSeconds(sender.pid);
    sender.process.send({ url: other.url, count: replayed });
    await once(sender.process, 'message');
    const ofSender = (cpuSeconds(sender.pid) - atStart) / replayed;
    const shown = (seconds: number) => `${(seconds * 1_000_000).toFixed(0)} ms`;
    say(`  processor time of 1,000 deliveries: a worker ${shown(ofWorker)}, posting and signing alone ${shown(ofSender)}`);
  } finally {
    await sender.stop();
  }
}

async function isAsleep(database: Client, id: number): Promise<boolean> {
  const { rowCount } = await database.query('select from change_waiters where process = $1', [`webhook/${id}`]);
  return rowCount === 1;
}

async function countChanges(database: Client, webhookId: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::int from changes c join webhooks w on w.id = $1 where c.written_at > w.created_at',
    [webhookId],
  );
  return rows[0]?.count ?? 0;
}

/** Milliseconds from the beginning of the transaction of each change to its arrival. */
async function readDelays(database: Client, arrivals: readonly { id: string; at: number }[]): Promise<number[]> {
  const numbers = arrivals.map(({ id }) => Number(id.split('-')[1]));
  const { rows } = await database.query<{ id: string; at: Date }>('select id, written_at as at from changes where id = any($1::bigint[])', [
    numbers,
  ]);
  const writtenAt = new Map(rows.map(({ id, at }) => [Number(id), at.getTime()]));
  return arrivals.map(({ at }, nth) => at - (writtenAt.get(numbers[nth] ?? 0) ?? at));
}
