import { once } from 'node:events';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { makeDatabase, withDatabase } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { type Child, startChild } from './support/child.ts';
import type { LoadOrder, LoadReport } from './support/load-generator.ts';
import { atLeast, atMost, interleaved, median, pairedRatio, ratio, say, secondsSince, type Verdict } from './support/measure.ts';

const connections = 25;
// The larger server takes longer until its hot paths are compiled; the comparison is of both at full speed.
const warmUpSeconds = 10;
// Many short rounds: the machine's speed changes from one minute to the next.
const roundSeconds = 1;
const roundsFactor = 3;
// The expected difference is smaller than that of two rounds.
const sizeRoundsFactor = 8;
// The same number of tokens on all sides: all of a thousand certificates.
const sampledTokens = 1_000;

/** `verify`: throughput of `GET /verify/{token}`, to the minimal server for the same question, one row, both warm. */
export async function benchVerification(stack: Stack, rounds: number): Promise<Verdict[]> {
  const [port] = await freePorts(1);
  const url = await makeDatabase(stack, 'bench_verify');
  const tokens = await insertCertificates(url.owner, 1_000, sampledTokens);
  const env = { ...stack.env, DATABASE_URL: url.application, DATABASE_POOL: String(stack.config.DATABASE_POOL) };
  const [apiPort, barePort] = [String(port), String((await freePorts(1))[0])];
  const api = await startApi({ ...env, PORT: apiPort });
  const bare = await startChild('support/bare-server.ts', { ...env, PORT: barePort });
  const generator = await startChild('support/load-generator.ts', stack.env);
  try {
    const load = (to: string, path: string, seconds: number) =>
      generateLoad(generator, { url: `http://127.0.0.1:${to}`, paths: tokens.map((token) => `${path}/${token}`), connections, seconds });
    const ours = (seconds: number) => load(apiPort, `${apiPrefix}/verify`, seconds);
    const theirs = (seconds: number) => load(barePort, '/verify', seconds);
    await ours(warmUpSeconds);
    await theirs(warmUpSeconds);
    const seen = await interleaved(roundsFactor * rounds, { ours: () => ours(roundSeconds), theirs: () => theirs(roundSeconds) });
    describe('GET /verify/{token}', seen.ours);
    describe('bare Koa + pg, the same statement', seen.theirs);
    const share = pairedRatio(seen.ours.map(rateOf), seen.theirs.map(rateOf));
    return [atLeast(1, 'verification, requests a second, to a bare server', share)];
  } finally {
    await Promise.all([api.stop(), bare.stop(), generator.stop()]);
  }
}

/**
 * `size`: time of a verification among many certificates, to a thousand, one request after another. Prints the throughput at full load
 * too; there the result depends on the processor's caches, which hold the small table and little of the large one.
 */
export async function benchTableSize(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const generator = await startChild('support/load-generator.ts', stack.env);
  const ports = await freePorts(2);
  const start = async (name: string, count: number, port: number | undefined) => {
    const url = await makeDatabase(stack, name);
    const startedAt = performance.now();
    const tokens = await insertCertificates(url.owner, count, sampledTokens);
    say(`  ${count} certificates inserted in ${secondsSince(startedAt)} s`);
    const api = await startApi({ ...stack.env, DATABASE_URL: url.application, PORT: String(port) });
    const order = { url: `http://127.0.0.1:${port}`, paths: tokens.map((token) => `${apiPrefix}/verify/${token}`) };
    return { api, load: (atOnce: number, seconds: number) => generateLoad(generator, { ...order, connections: atOnce, seconds }) };
  };
  const few = await start('bench_few', 1_000, ports[0]);
  const large = await start('bench_many', many, ports[1]);
  try {
    await few.load(connections, warmUpSeconds);
    await large.load(connections, warmUpSeconds);
    const loaded = await interleaved(roundsFactor * rounds, {
      ours: () => large.load(connections, roundSeconds),
      theirs: () => few.load(connections, roundSeconds),
    });
    describe(`full load, among ${many} certificates`, loaded.ours);
    describe('full load, among 1000 certificates', loaded.theirs);
    say(`  full load: throughput ratio ${ratio(pairedRatio(loaded.ours.map(rateOf), loaded.theirs.map(rateOf)))}`);
    const seen = await interleaved(sizeRoundsFactor * rounds, {
      ours: () => large.load(1, roundSeconds),
      theirs: () => few.load(1, roundSeconds),
    });
    const millis = (reports: readonly LoadReport[]) => reports.map((report) => 1000 / report.requestsPerSecond);
    say(
      `  one after another: ${median(millis(seen.ours)).toFixed(3)} ms among ${many}, ${median(millis(seen.theirs)).toFixed(3)} ms among 1000`,
    );
    const share = pairedRatio(millis(seen.ours), millis(seen.theirs));
    return [atMost(1.1, `time of a verification among ${many} certificates, to 1000`, share)];
  } finally {
    await Promise.all([few.api.stop(), large.api.stop(), generator.stop()]);
    await withDatabase(stack.migrationDatabaseUrl, async (owner) => {
      for (const name of ['bench_few', 'bench_many']) await owner.query(`drop database ${name} with (force)`);
    });
  }
}

export const startApi = (env: Record<string, string>) => startChild('../../src/api.ts', env);

/** @throws when a response was not the expected one: a benchmark of refusals measures nothing */
export async function generateLoad(generator: Child, order: LoadOrder): Promise<LoadReport> {
  const reported = once(generator.process, 'message') as Promise<[LoadReport]>;
  generator.process.send(order);
  const [report] = await reported;
  if (report.failures > 0) throw new Error(`${report.failures} requests to ${order.url} failed`);
  return report;
}

export const rateOf = (report: LoadReport) => report.requestsPerSecond;

/** Prints the rates and latencies of a side. */
export function describe(name: string, reports: readonly LoadReport[]): void {
  const of = (pick: (report: LoadReport) => number) => median(reports.map(pick));
  const rates = reports.map((report) => report.requestsPerSecond.toFixed(0)).join(', ');
  say(
    `  ${name}: ${of(rateOf).toFixed(0)} requests/s (rounds: ${rates}); p50 ${of((one) => one.p50)}, p97.5 ${of((one) => one.p95)}, p99 ${of((one) => one.p99)} ms`,
  );
}
