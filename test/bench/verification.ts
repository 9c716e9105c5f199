import { Client } from 'pg';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { startChild } from './support/child.ts';
import { generateLoad, type LoadReport } from './support/load.ts';
import { makeDatabase } from './support/make-database.ts';
import { interleaved, median, pairedRatio } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const connections = 25;
// The larger of the two servers takes longer until its hot paths are compiled; what is compared is both at full speed.
const warmUpSeconds = 10;
// Short rounds, and more of them than of the others: the machine's own speed changes from one minute to the next.
const roundSeconds = 1;
const roundsFactor = 3;
// The difference looked for is smaller than that of two rounds.
const sizeRoundsFactor = 8;
// As many different questions on all sides: all that there are among a thousand.
const sampledTokens = 1_000;

/** `GET /verify/{token}` against the least server that could answer it, one row, both warm. */
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
    const ask = (to: string, path: string, seconds: number) =>
      generateLoad(generator, { url: `http://127.0.0.1:${to}`, paths: tokens.map((token) => `${path}/${token}`), connections, seconds });
    const ours = (seconds: number) => ask(apiPort, `${apiPrefix}/verify`, seconds);
    const theirs = (seconds: number) => ask(barePort, '/verify', seconds);
    await ours(warmUpSeconds);
    await theirs(warmUpSeconds);
    const seen = await interleaved(roundsFactor * rounds, { ours: () => ours(roundSeconds), theirs: () => theirs(roundSeconds) });
    describe('GET /verify/{token}', seen.ours);
    describe('bare Koa + pg, the same statement', seen.theirs);
    const share = pairedRatio(seen.ours.map(rateOf), seen.theirs.map(rateOf));
    return [
      {
        what: 'verification, requests per second against a bare server',
        goal: '>= 1.00',
        measured: ratio(share),
        isMet: share >= 1,
      },
    ];
  } finally {
    await Promise.all([api.stop(), bare.stop(), generator.stop()]);
  }
}

/**
 * The same question among a thousand certificates and among a million: the time of an answer, one after another. How many can be answered
 * at full load is told beside it: there the processor's caches have their say, which hold all of the smaller table and little of the
 * larger.
 */
export async function benchTableSize(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const generator = await startChild('support/load-generator.ts', stack.env);
  const ports = await freePorts(2);
  const start = async (name: string, count: number, port: number | undefined) => {
    const url = await makeDatabase(stack, name);
    const startedAt = performance.now();
    const tokens = await insertCertificates(url.owner, count, sampledTokens);
    say(`  ${count} certificates written in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    const api = await startApi({ ...stack.env, DATABASE_URL: url.application, PORT: String(port) });
    const order = { url: `http://127.0.0.1:${port}`, paths: tokens.map((token) => `${apiPrefix}/verify/${token}`) };
    return { api, ask: (atOnce: number, seconds: number) => generateLoad(generator, { ...order, connections: atOnce, seconds }) };
  };
  const few = await start('bench_few', 1_000, ports[0]);
  const large = await start('bench_many', many, ports[1]);
  try {
    await few.ask(connections, warmUpSeconds);
    await large.ask(connections, warmUpSeconds);
    const loaded = await interleaved(roundsFactor * rounds, {
      ours: () => large.ask(connections, roundSeconds),
      theirs: () => few.ask(connections, roundSeconds),
    });
    describe(`full load, among ${many} certificates`, loaded.ours);
    describe('full load, among 1000 certificates', loaded.theirs);
    say(`  full load: ${ratio(pairedRatio(loaded.ours.map(rateOf), loaded.theirs.map(rateOf)))} of the answers`);
    const seen = await interleaved(sizeRoundsFactor * rounds, {
      ours: () => large.ask(1, roundSeconds),
      theirs: () => few.ask(1, roundSeconds),
    });
    const millis = (reports: readonly LoadReport[]) => reports.map((report) => 1000 / report.requestsPerSecond);
    say(
      `  one after another: ${median(millis(seen.ours)).toFixed(3)} ms among ${many}, ${median(millis(seen.theirs)).toFixed(3)} ms among 1000`,
    );
    const share = pairedRatio(millis(seen.ours), millis(seen.theirs));
    return [
      {
        what: `time of a verification among ${many} certificates against 1000`,
        goal: '<= 1.10',
        measured: ratio(share),
        isMet: share <= 1.1,
      },
    ];
  } finally {
    await Promise.all([few.api.stop(), large.api.stop(), generator.stop()]);
    const owner = new Client({ connectionString: stack.migrationDatabaseUrl });
    await owner.connect();
    for (const name of ['bench_few', 'bench_many']) await owner.query(`drop database ${name} with (force)`);
    await owner.end();
  }
}

/** As the stack starts it. */
const startApi = (env: Record<string, string>) => startChild('../../src/api.ts', env);

const rateOf = (report: LoadReport) => report.requestsPerSecond;

function describe(name: string, reports: readonly LoadReport[]): void {
  const of = (pick: (report: LoadReport) => number) => median(reports.map(pick));
  const rates = reports.map((report) => report.requestsPerSecond.toFixed(0)).join(', ');
  say(
    `  ${name}: ${of((one) => one.requestsPerSecond).toFixed(0)} requests/s (rounds: ${rates}); p50 ${of((one) => one.p50)}, p97.5 ${of((one) => one.p95)}, p99 ${of((one) => one.p99)} ms`,
  );
}
