import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rebuildProcesses } from '../../src/platform/workflows/rebuild.ts';
import { nodeFlags } from '../../src/tools/embedded/scripts.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { sweepScheduleId, type SweepReport } from '../../workflows/sweep.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeDatabase, makeNamespace, withPlatform, withTemporal } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { startChild } from './support/child.ts';
import { atMost, interleaved, median, pairedRatio, say, timed, type Verdict } from './support/measure.ts';

const few = 1_000;
const warmUpSweeps = 5;
const roundsFactor = 4;

/** A database, a namespace and a worker of its own. */
interface Registry {
  /** Time of one sweep without its pace, milliseconds; with it, the pauses of the audit would be most of the time. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * `sweep`: a sweep with nothing due among many living records, to a thousand. Half are applications valid until the end of the year, half
 * documents with a last day in 2034; all their processes run. The audit checks 200 records of each kind and starts where it has a full
 * slice, so that it costs the same on both sides.
 */
export async function benchSweep(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  // The stack's own worker would run sweeps too.
  await stack.processes.worker.stop();
  const large = await startRegistry(stack, 'bench_sweep_many', many);
  const small = await startRegistry(stack, 'bench_sweep_few', few);
  try {
    for (let nth = 0; nth < warmUpSweeps; nth += 1) {
      await large.sweep();
      await small.sweep();
    }
    const seen = await interleaved(roundsFactor * rounds, { ours: () => large.sweep(), theirs: () => small.sweep() });
    say(`  among ${many} living records: ${describe(seen.ours)}`);
    say(`  among ${few} living records: ${describe(seen.theirs)}`);
    return [atMost(1.5, `sweep with nothing due among ${many} living records, to ${few}`, pairedRatio(seen.ours, seen.theirs))];
  } finally {
    await Promise.all([large.stop(), small.stop()]);
  }
}

async function startRegistry(stack: Stack, name: string, living: number): Promise<Registry> {
  const url = await makeDatabase(stack, name);
  await insertCertificates(url.owner, Math.ceil(living / 2), 0);
  await makeNamespace(stack.temporalAddress, name);
  const env = { ...stack.env, DATABASE_URL: url.application, TEMPORAL_NAMESPACE: name };
  const worker = await startChild('../../worker/main.ts', env);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const temporal = new TemporalClient({ connection, namespace: name });
  // Scheduled sweeps must not run beside the measured ones.
  await temporal.schedule.getHandle(sweepScheduleId).pause();
  await startProcesses({ env }, name);
  const owner = new Client({ connectionString: url.owner });
  await owner.connect();
  return {
    async sweep() {
      // The audit starts at the first record again, where it has a full slice.
      await owner.query(`delete from cursors where name like 'audit/%'`);
      let report: SweepReport | undefined;
      const millis = await timed(async () => {
        report = await temporal.workflow.execute<() => Promise<SweepReport>>('sweep', {
          workflowId: `sweep/${randomUUID()}`,
          taskQueue: 'registry',
          args: [{ requestId: 'bench', isPaced: false }] as never,
        });
      });
      const driven = Object.entries(report?.driven ?? {}).filter(([, count]) => count > 0);
      if (driven.length > 0) throw new Error(`${name} had overdue records: ${JSON.stringify(Object.fromEntries(driven))}`);
      return millis;
    },
    async stop() {
      await owner.end();
      await connection.close();
      await worker.stop();
    },
  };
}

async function startProcesses(stack: Pick<Stack, 'env'>, name: string): Promise<void> {
  const startedAt = performance.now();
  let started = 0;
  await withPlatform(stack, (platform) => {
    const records = platform.definitions.filter((definition) => definition.type === 'record');
    const byKind = new Map<string, number>();
    return rebuildProcesses(platform, records, {
      isReplacing: false,
      isStopped: () => false,
      report: (progress) => {
        byKind.set(progress.kind, progress.started);
        started = byKind.values().reduce((sum, count) => sum + count, 0);
      },
    });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  say(`  ${name}: ${started} processes started in ${seconds.toFixed(0)} s (${(started / seconds).toFixed(0)} a second)`);
}

function describe(millis: readonly number[]): string {
  return `${median(millis).toFixed(0)} ms (rounds: ${millis.map((value) => value.toFixed(0)).join(', ')})`;
}

const goalPerSecond = 150;
const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/**
 * `rebuild`: `npm run registry -- processes rebuild` when all processes were lost. Half of the records are applications, half documents. The time
 * includes the start of the program; a worker runs beside it.
 */
export async function benchRebuild(stack: Stack, records: number): Promise<Verdict[]> {
  await insertCertificates(stack.migrationDatabaseUrl, Math.ceil(records / 2), 0);
  const before = await countRunning(stack);
  const startedAt = performance.now();
  await runRebuild(stack);
  const seconds = (performance.now() - startedAt) / 1000;
  // Temporal's list of workflows is updated a moment later.
  const running = await waitFor(
    () => countRunning(stack),
    (seen) => seen >= before + records,
    `${before + records} running processes`,
  );
  const started = running - before;
  const rate = started / seconds;
  say(`  ${started} processes started in ${seconds.toFixed(1)} s`);
  return [
    {
      what: `processes started a second by the rebuild of ${records} living records`,
      goal: `>= ${goalPerSecond}`,
      measured: rate.toFixed(0),
      isMet: rate >= goalPerSecond,
    },
  ];
}

/** @throws when the program fails */
export async function runRebuild(stack: Stack): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, program, 'processes', 'rebuild'], {
    env: stack.env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the rebuild ended with code ${code}`);
}

async function countRunning(stack: Stack): Promise<number> {
  const query = `ExecutionStatus = 'Running' AND WorkflowType IN ('applicationLifecycle', 'documentReview')`;
  return withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => (await client.workflow.count(query)).count);
}
