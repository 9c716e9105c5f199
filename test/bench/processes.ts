import { Client as TemporalClient, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { Client } from 'pg';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rebuildProcesses } from '../../src/platform/workflows/rebuild.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { nodeFlags } from '../../src/tools/embedded/scripts.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { type SweepReport, sweepScheduleId } from '../../workflows/contracts/sweep.contract.ts';
import { historiesFolder, listHistories, readHistory } from '../replay/stored-history.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  atMost,
  cpuSeconds,
  describeLatencies,
  figure,
  interleaved,
  median,
  pairedRatio,
  residentMb,
  say,
  timed,
  type Verdict,
} from './measure.ts';
import {
  applyAndPay,
  type Child,
  inParallel,
  insertCertificates,
  makeDatabase,
  makeDraft,
  makeNamespace,
  makePeople,
  startApi,
  startChild,
  untilCertificates,
  untilSettled,
  withDatabase,
  withPlatform,
  withTemporal,
} from './stack.ts';

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
    say(`  among ${many} living records: ${describeMillis(seen.ours)}`);
    say(`  among ${few} living records: ${describeMillis(seen.theirs)}`);
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

function describeMillis(millis: readonly number[]): string {
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

const parallelLifecycles = 20;
const lifecyclesOfRound = 80;
const athletes = 100_000;
const tablesShown = 10;
const { History: HistoryMessage } = proto.temporal.api.history.v1;

/**
 * `growing`: what one lifecycle costs each part in processor time, and stores in tables and histories; then the throughput with 1, 2 and
 * 4 APIs and workers. A lifecycle is a new athlete with two documents, one application, its payment and its certificate. Linux only.
 */
export async function benchGrowing(stack: Stack, rounds: number): Promise<Verdict[]> {
  const makeAthletes = (count: number) => makePeople(stack, count);
  return withDatabase(stack.migrationDatabaseUrl, async (database) => {
    const warmUp = await makeAthletes(2 * lifecyclesOfRound);
    await runRound(database, [stack], warmUp);
    const before = await readTableBytes(database);
    const people = await makeAthletes(rounds * lifecyclesOfRound);
    await untilSettled(stack);
    const count = people.length;
    const parts = partsOf(stack).map((part) => ({ ...part, usedBefore: cpuSeconds(part.pid) }));
    const rates: number[] = [];
    while (people.length > 0) rates.push(await runRound(database, [stack], people.splice(0, lifecyclesOfRound)));
    const costs = parts.map(({ name, pid, usedBefore }) => ({ name, seconds: (cpuSeconds(pid) - usedBefore) / count }));
    const verdicts = costs.map(({ name, seconds }) =>
      figure(
        `processor time of one lifecycle, ${name}`,
        `${(seconds * 1000).toFixed(0)} ms, so ${Math.floor(3600 / seconds)} an hour and core`,
      ),
    );
    verdicts.push(...reportTables(before, await readTableBytes(database), count), ...reportHistories());

    say(`  1 API, 1 worker: ${describeRates(rates)}`);
    const others: Child[] = [];
    const apis = [stack];
    try {
      for (const processes of [2, 4]) {
        while (apis.length < processes) {
          const [port = 0] = await freePorts(1);
          others.push(await startApi({ ...stack.env, PORT: String(port) }), await startWorker(stack));
          apis.push({ ...stack, config: { ...stack.config, PORT: port } });
        }
        await runRound(database, apis, await makeAthletes(2 * lifecyclesOfRound));
        const seen: number[] = [];
        for (let round = 0; round < rounds; round += 1) seen.push(await runRound(database, apis, await makeAthletes(lifecyclesOfRound)));
        say(`  ${processes} APIs, ${processes} workers: ${describeRates(seen)}`);
        verdicts.push(figure(`lifecycles a second, ${processes} APIs and workers to 1`, (median(seen) / median(rates)).toFixed(2)));
      }
    } finally {
      await Promise.all(others.map((other) => other.stop()));
    }
    return verdicts;
  });
}

const startWorker = (stack: Stack) => startChild('../../worker/main.ts', { ...stack.env, METRICS_PORT: '' });

function partsOf({ processes: { api, worker, postgres, temporal } }: Stack): { name: string; pid: number }[] {
  return Object.entries({ API: api, worker, PostgreSQL: postgres, Temporal: temporal }).map(([name, part]) => ({
    name,
    pid: part?.pid ?? 0,
  }));
}

/** Runs one lifecycle for each person, spread over the APIs, with the certificates. @returns lifecycles a second */
async function runRound(database: Client, apis: readonly Stack[], people: Awaited<ReturnType<typeof makePeople>>): Promise<number> {
  const count = people.length;
  const startedAt = performance.now();
  await inParallel([...people.entries()], parallelLifecycles, async ([index, person]) => {
    const api = apis[index % apis.length];
    if (api) await applyAndPay(api, person);
  });
  await untilCertificates(database);
  return count / ((performance.now() - startedAt) / 1000);
}

/** Bytes of each table with its indexes and long values. */
async function readTableBytes(database: Client): Promise<Map<string, number>> {
  await database.query('vacuum analyze');
  const { rows } = await database.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

function reportTables(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, lifecycles: number): Verdict[] {
  const grown = [...after]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / lifecycles }))
    .toSorted((left, right) => right.bytes - left.bytes);
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes } of grown.slice(0, tablesShown))
    say(`  ${name}: ${bytes.toFixed(0)} bytes a lifecycle, ${megabytes(bytes * athletes)} for ${athletes} athletes`);
  return [figure('all tables, bytes a lifecycle', `${total.toFixed(0)}, ${megabytes(total * athletes)} for ${athletes} athletes`)];
}

/** Size of the stored histories of each type of workflow (`test/replay/`), as Temporal stores them. */
function reportHistories(): Verdict[] {
  return readdirSync(historiesFolder).map((type) => {
    const sizes = listHistories(type).map((path) => HistoryMessage.encode(readHistory(path)).finish().length);
    return figure(`history of ${type}, median and largest`, `${kilobytes(median(sizes))}, ${kilobytes(Math.max(...sizes))}`);
  });
}

const updates = 100;
const warmUpUpdates = 20;

/**
 * `population`: start of `living` processes from their records, then commands that start a process, one at a time, beside them: the memory
 * of Temporal and the latency. `TEMPORAL_CLI_PATH` may name a server with another number of shards; the program itself has one. Linux only.
 */
export async function benchPopulation(stack: Stack, living: number): Promise<Verdict[]> {
  const temporal = stack.processes.temporal?.pid ?? 0;
  say(`  Temporal at rest: ${residentMb(temporal)} MB`);
  // First, because these rows have ids from 1.
  await insertCertificates(stack.migrationDatabaseUrl, Math.ceil(living / 2), 0);
  const people = await makePeople(stack, warmUpUpdates + 2 * updates);
  const submit = async (count: number) => {
    const millis: number[] = [];
    for (const person of people.splice(0, count)) {
      const { id, client } = await makeDraft(stack, person);
      millis.push(await timed(async () => client.expect(200, await client.post(`/applications/${id}/submit`))));
    }
    return millis;
  };
  await submit(warmUpUpdates);
  say(`  submissions without them: ${describeLatencies(await submit(updates))}`);
  const [before, startedAt] = [cpuSeconds(temporal), performance.now()];
  await runRebuild(stack);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(temporal) - before;
  say(`  ${living} processes started in ${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of Temporal's processor time`);
  const among = await submit(updates);
  return [
    figure('processes started a second', (living / seconds).toFixed(0)),
    figure(`submissions among ${living} living processes`, describeLatencies(among)),
    figure(`memory of Temporal with ${living} living processes`, `${residentMb(temporal)} MB`),
  ];
}

function describeRates(rates: readonly number[]): string {
  return `${median(rates).toFixed(1)} lifecycles/s (rounds: ${rates.map((value) => value.toFixed(1)).join(', ')})`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
