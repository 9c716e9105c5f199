import type { Client } from 'pg';
import { once } from 'node:events';
import { writeCursor } from '../../src/areas/changes/cursor.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { startWebhookReceivers, type WebhookReceivers } from '../support/outside-servers/webhook-receiver.ts';
import { waitFor } from '../support/wait-for.ts';
import { countMissingPdfs, lifecyclesOfRound, lifecyclesPerSecond } from './commands.ts';
import { makePeople } from './support/bench-people.ts';
import { localUrl, withDatabase } from './support/bench-stack.ts';
import { applyAndPay } from './support/lifecycle.ts';
import { startChild } from './support/child.ts';
import { cpuSeconds, interleaved, pairedRatio, percentile, ratio, say, type Verdict } from './support/measure.ts';

const warmUpRounds = 3;
const roundsFactor = 2;
const goalMs = 300;
/** Deliveries of the replay, of which there are more. */
const replayed = 3_000;

/** `webhooks`: 20 parallel lifecycles while a webhook gets all their changes, to none, and the time from a change to its receiver. */
export async function benchWebhooks(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = new TestClient(localUrl(stack));
  await administrator.login(stack.administrator.email, stack.administrator.password);
  const people = await makePeople(stack, (2 * roundsFactor * rounds + warmUpRounds) * lifecyclesOfRound, {
    administratorId: administrator.userId,
  });
  const receivers = await startWebhookReceivers();
  const delays: number[] = [];
  try {
    return await withDatabase(stack.migrationDatabaseUrl, async (database) => {
      const settled = () =>
        waitFor(
          () => countMissingPdfs(database),
          (missing) => missing === 0,
          'the certificates',
        );
      const theirs = () => lifecyclesPerSecond(async () => applyAndPay(stack, people.shift()), settled);
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
      for (let round = 0; round < warmUpRounds; round += 1) await theirs();
      const seen = await interleaved(roundsFactor * rounds, { ours, theirs });
      const millis = (share: number) => percentile(delays, share).toFixed(0);
      say(`  ${delays.length} changes to the receiver: p50 ${millis(0.5)} ms, p95 ${millis(0.95)} ms, p99 ${millis(0.99)} ms`);
      await measureSending(stack, administrator, receivers);
      const p50 = percentile(delays, 0.5);
      say(`  20 parallel lifecycles beside it, with its requests and its receiver, to none: ${ratio(pairedRatio(seen.ours, seen.theirs))}`);
      return [{ what: 'a change to its receiver, p50', goal: `<= ${goalMs} ms`, measured: `${p50.toFixed(0)} ms`, isMet: p50 <= goalMs }];
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

  const sender = await startChild('support/bare-sender.ts', stack.env);
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
