import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { rebuildProcesses } from '../../src/platform/workflows/rebuild.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { adoptOrphansScheduleId, type SweepReport } from '../../workflows/adopt-orphans.contract.ts';
import { withPlatform } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { startChild } from './support/child.ts';
import { makeDatabase } from './support/make-database.ts';
import { interleaved, median, pairedRatio, timed } from './support/measure.ts';
import { makeNamespace } from './support/namespaces.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const few = 1_000;
const warmUpSweeps = 5;
const roundsFactor = 4;
const goal = 1.5;

/** A registry of its own: database, namespace, worker. */
interface Registry {
  /** One sweep without its pace, milliseconds: at its pace the audit would be most of it, on both sides. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * A minute's sweep with nothing due, among a thousand living records and among many: half of them applications in force until the year
 * ends, half documents with a last day in 2034. All of their processes run: the rebuild starts them before. The audit, which looks at 200
 * records of each kind in a minute, is told to begin where a full slice is ahead, so that it costs the same on both sides.
 */
export async function benchSweep(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  // The stack's own worker would sweep its own registry meanwhile.
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
    const share = pairedRatio(seen.ours, seen.theirs);
    return [
      {
        what: `time of a sweep with nothing due among ${many} living records against ${few}`,
        goal: `<= ${goal.toFixed(2)}`,
        measured: ratio(share),
        isMet: share <= goal,
      },
    ];
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
  // The sweeps are measured here; no other may run beside them.
  await temporal.schedule.getHandle(adoptOrphansScheduleId).pause();
  await startProcesses({ env }, name);
  const owner = new Client({ connectionString: url.owner });
  await owner.connect();
  return {
    async sweep() {
      await beginAudit(owner);
      let report: SweepReport | undefined;
      const millis = await timed(async () => {
        report = await temporal.workflow.execute<() => Promise<SweepReport>>('adoptOrphans', {
          workflowId: `adopt-orphans/${randomUUID()}`,
          taskQueue: 'registry',
          args: [{ requestId: 'bench', isPaced: false }] as never,
        });
      });
      const driven = Object.entries(report?.driven ?? {}).filter(([, count]) => count > 0);
      if (driven.length > 0) throw new Error(`there was something to do in ${name}: ${JSON.stringify(Object.fromEntries(driven))}`);
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

/** The audit's next slice begins at the first record: a full one, whose processes run. */
async function beginAudit(owner: Client): Promise<void> {
  await owner.query(`delete from cursors where name like 'audit/%'`);
}

function describe(millis: readonly number[]): string {
  return `${median(millis).toFixed(0)} ms (rounds: ${millis.map((value) => value.toFixed(0)).join(', ')})`;
}
