import proto from '@temporalio/proto';
import type { Client } from 'pg';
import { readdirSync } from 'node:fs';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { historiesFolder, listHistories, readHistory } from '../replay/stored-history.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeDraft, makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { inParallel, withDatabase } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { type Child, startChild } from './support/child.ts';
import { applyAndPay } from './support/lifecycle.ts';
import { cpuSeconds, describeLatencies, median, residentMb, say, timed, type Verdict } from './support/measure.ts';
import { runRebuild } from './processes.ts';

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
  const administrator = await signInAdministrator(stack);
  const makeAthletes = (count: number) => makePeople(stack, count, { administratorId: administrator.id });
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

    say(`  1 API, 1 worker: ${describe(rates)}`);
    const others: Child[] = [];
    const apis = [stack];
    try {
      for (const processes of [2, 4]) {
        while (apis.length < processes) {
          const [port = 0] = await freePorts(1);
          others.push(await startChild('../../src/api.ts', { ...stack.env, PORT: String(port) }), await startWorker(stack));
          apis.push({ ...stack, config: { ...stack.config, PORT: port } });
        }
        await runRound(database, apis, await makeAthletes(2 * lifecyclesOfRound));
        const seen: number[] = [];
        for (let round = 0; round < rounds; round += 1) seen.push(await runRound(database, apis, await makeAthletes(lifecyclesOfRound)));
        say(`  ${processes} APIs, ${processes} workers: ${describe(seen)}`);
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
  await waitFor(
    async () => (await database.query('select 1 from certificates where pdf_storage_key is null limit 1')).rows.length,
    (missing) => missing === 0,
    'the certificates',
    60_000,
  );
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
  const administrator = await signInAdministrator(stack);
  say(`  Temporal at rest: ${residentMb(temporal)} MB`);
  // First, because these rows have ids from 1.
  await insertCertificates(stack.migrationDatabaseUrl, Math.ceil(living / 2), 0);
  const people = await makePeople(stack, warmUpUpdates + 2 * updates, { administratorId: administrator.id });
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

/** A figure without a goal: it is a basis for sizing. */
function figure(what: string, measured: string): Verdict {
  return { what, goal: '', measured, isMet: true };
}

function describe(rates: readonly number[]): string {
  return `${median(rates).toFixed(1)} lifecycles/s (rounds: ${rates.map((value) => value.toFixed(1)).join(', ')})`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
