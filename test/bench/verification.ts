import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { type Verdict as ClientVerdict, verifyCredential } from '../../client/src/index.ts';
import { makeCredential } from '../../src/areas/credentials/credential.ts';
import { addSigningKey, makeNextEdition } from '../../src/areas/credentials/index.ts';
import type { Signer } from '../../src/areas/credentials/signed-token.ts';
import { listedStatus, makeEdition, placesOfList, StatusBits, statusListUri } from '../../src/areas/credentials/status-list.ts';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { required } from '../../src/registry/config.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { GateDay } from './gate-day.ts';
import { atLeast, atMost, interleaved, median, pairedRatio, ratio, say, secondsSince, timed, type Verdict, within } from './measure.ts';
import type { LoadOrder, LoadReport } from './programs.ts';
import { type Child, insertCertificates, makeDatabase, startApi, startChild, startProgram, withDatabase, withPlatform } from './stack.ts';

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
  const bare = await startProgram('bareServer', { ...env, PORT: barePort });
  const generator = await startProgram('loadGenerator', stack.env);
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
  const generator = await startProgram('loadGenerator', stack.env);
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

/** @throws when a response was not the expected one: a benchmark of refusals measures nothing */
async function generateLoad(generator: Child, order: LoadOrder): Promise<LoadReport> {
  const reported = once(generator.process, 'message') as Promise<[LoadReport]>;
  generator.process.send(order);
  const [report] = await reported;
  if (report.failures > 0) throw new Error(`${report.failures} requests to ${order.url} failed`);
  return report;
}

const rateOf = (report: LoadReport) => report.requestsPerSecond;

/** Prints the rates and latencies of a side. */
function describe(name: string, reports: readonly LoadReport[]): void {
  const of = (pick: (report: LoadReport) => number) => median(reports.map(pick));
  const rates = reports.map((report) => report.requestsPerSecond.toFixed(0)).join(', ');
  say(
    `  ${name}: ${of(rateOf).toFixed(0)} requests/s (rounds: ${rates}); p50 ${of((one) => one.p50)}, p97.5 ${of((one) => one.p95)}, p99 ${of((one) => one.p99)} ms`,
  );
}

const certificates = 10_000_000;
/** Of all places, at random. */
const shareSet = 0.01;
const siteUrl = 'https://registry.example.kz';
const listWarmUpSeconds = 5;
/** The client refuses larger tokens (client/src/status-list.ts). */
const maxTokenBytes = 40_000;
/** A change may wait for an edition that has just begun, then for its own; both and the pauses between them must fit into a minute (VER-12). */
const editionMs = 20_000;

/** `offline`: what verification without a network costs: lists, editions, their download, a check in Node, a day at the gates. */
export async function benchOffline(stack: Stack, rounds: number): Promise<Verdict[]> {
  return [measureSizes(), ...(await benchEditions(stack, rounds)), await benchChecks(rounds), await benchGateDay(stack)];
}

/** Sizes of the lists of ten million certificates, each list really compressed and signed. */
function measureSizes(): Verdict {
  const [random, { signer }] = [createRandom(1), makeSigner()];
  const sizes = Array.from({ length: Math.ceil(certificates / placesOfList) }, (_, nth) => {
    const taken = Math.min(placesOfList, certificates - nth * placesOfList);
    const { cwt } = makeEdition(signer, statusListUri(siteUrl, nth + 1), fill(random, taken), Math.floor(Date.now() / 1000));
    return { plain: cwt.length, gzip: gzipSync(cwt).length };
  });
  const sum = (form: 'plain' | 'gzip') => sizes.reduce((total, size) => total + size[form], 0);
  const first = sizes[0] ?? { plain: 0, gzip: 0 };
  say(`  a list of ${placesOfList} places, ${shareSet * 100} % set: ${first.plain} bytes, gzip ${first.gzip}`);
  say(`  ${sizes.length} lists of ${certificates} certificates: ${sum('plain')} bytes, gzip ${sum('gzip')}`);
  const isMet = first.plain <= maxTokenBytes;
  return { what: `bytes of a list of ${placesOfList} places`, goal: `<= ${maxTokenBytes}`, measured: String(first.plain), isMet };
}

/** Compresses a list whose first places are taken. */
function fill(random: Random, taken: number): Buffer {
  const bits = new StatusBits();
  for (let place = 0; place < taken; place += 1)
    if (random.next() < shareSet) bits.set(place, random.pick([listedStatus.invalid, listedStatus.suspended]));
  return bits.compress();
}

function makeSigner(): { signer: Signer; jwk: { kty: string; kid: string } } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const kid = 'bench';
  return { signer: { kid, privateKey }, jwk: { kty: 'OKP', ...publicKey.export({ format: 'jwk' }), kid } };
}

/** Makes editions of a full list of a database, then downloads the latest one from an API and from the bare server. */
async function benchEditions(stack: Stack, rounds: number): Promise<Verdict[]> {
  const url = await makeDatabase(stack, 'bench_offline');
  await insertList(url.owner);
  const env = { ...stack.env, DATABASE_URL: url.application };
  const millis: number[] = [];
  await withPlatform(
    stack,
    async (platform) => {
      await addSigningKey(platform, required(platform.config, 'ENCRYPTION_KEY'), { onlyFirst: true });
      const caller = { actor: { kind: 'process' }, requestId: 'bench', ip: null } as const;
      for (let turn = 0; turn < rounds; turn += 1)
        millis.push(await timed(() => makeNextEdition(platform, caller, 1, new AbortController().signal)));
    },
    { DATABASE_URL: url.application },
  );
  await withDatabase(url.owner, async (owner) => {
    const { rows } = await owner.query<{ edition: number; bytes: number }>('select edition, length(cwt) as bytes from status_lists');
    if (rows[0]?.edition !== rounds) throw new Error(`${rows[0]?.edition} editions instead of ${rounds}`);
    say(`  editions of ${placesOfList} certificates: ${millis.map((each) => each.toFixed(0)).join(', ')} ms; ${rows[0].bytes} bytes`);
  });
  await benchDownloads(stack, env, rounds);
  const measured = median(millis);
  const what = `edition of a full list, ${placesOfList} certificates`;
  return [within(editionMs, what, measured, 'ms')];
}

/** Fills a list with certificates at random places; the applications behind one in a hundred are under correction. */
async function insertList(databaseUrl: string): Promise<void> {
  const startedAt = performance.now();
  await insertCertificates(databaseUrl, placesOfList, 0);
  await withDatabase(databaseUrl, async (owner) => {
    await owner.query("set session_replication_role = 'replica'");
    await owner.query('insert into status_lists (id, opened_at) values (1, now())');
    await owner.query(
      'insert into credentials (application_id, list_id, place) select n, 1, row_number() over (order by md5(n::text)) - 1 from generate_series(1, $1::int) n',
      [placesOfList],
    );
    await owner.query("update applications set status = 'changes' where id % $1::int = 0", [Math.round(1 / shareSet)]);
    await owner.query('vacuum analyze credentials, applications');
  });
  say(`  ${placesOfList} certificates inserted in ${secondsSince(startedAt)} s`);
}

/** Requests a second of the list, compressed as browsers ask, and of its 304, to bare `node:http` with the same bytes in memory. */
async function benchDownloads(stack: Stack, env: Record<string, string>, rounds: number): Promise<void> {
  const [apiPort, barePort] = (await freePorts(2)).map(String);
  const api = await startApi({ ...env, PORT: apiPort ?? '' });
  const bare = await startProgram('bareListServer', { ...env, PORT: barePort ?? '' });
  const generator = await startProgram('loadGenerator', stack.env);
  try {
    const tagAt = async (port: string | undefined, encoding: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/status-lists/1`, { headers: { 'accept-encoding': encoding } });
      await response.arrayBuffer();
      return response.headers.get('etag') ?? '';
    };
    const forms: [string, string, LoadOrder['expected']][] = [
      ['GET /status-lists/1', 'identity', '2xx'],
      ['GET /status-lists/1, brotli', 'br', '2xx'],
      ['GET /status-lists/1, 304', 'identity', '3xx'],
    ];
    for (const [name, encoding, expected = '2xx'] of forms) {
      const side = async (port: string | undefined) => {
        const headers = {
          'accept-encoding': encoding,
          ...(expected === '3xx' && { 'if-none-match': await tagAt(port, encoding) }),
        };
        const order = { url: `http://127.0.0.1:${port}`, paths: ['/status-lists/1'], connections, headers, expected };
        return (seconds: number) => generateLoad(generator, { ...order, seconds });
      };
      const [ours, theirs] = [await side(apiPort), await side(barePort)];
      await ours(listWarmUpSeconds);
      await theirs(listWarmUpSeconds);
      const seen = await interleaved(roundsFactor * rounds, { ours: () => ours(roundSeconds), theirs: () => theirs(roundSeconds) });
      describe(name, seen.ours);
      describe('  bare node:http, the same bytes', seen.theirs);
      say(`  ${name}, to bare node:http: ${ratio(median(seen.ours.map(rateOf)) / median(seen.theirs.map(rateOf)))}`);
    }
  } finally {
    await Promise.all([api.stop(), bare.stop(), generator.stop()]);
  }
}

/** Verifications a second of different credentials, one after another, with one full list. */
async function benchChecks(rounds: number): Promise<Verdict> {
  const [random, { signer, jwk }, now] = [createRandom(2), makeSigner(), new Date()];
  const uri = statusListUri(siteUrl, 1);
  const { cwt } = makeEdition(signer, uri, fill(random, placesOfList), Math.floor(now.getTime() / 1000));
  const material = { jwks: { keys: [jwk] }, statusLists: { [uri]: new Uint8Array(cwt) }, at: now };
  const year = now.getFullYear();
  const dates = { validFrom: `${year - 1}-01-01`, validUntil: `${year + 1}-12-31` };
  const texts = Array.from({ length: 1_000 }, (_, nth) => {
    const facts = { kind: 'national_certificate', number: `KZ-N-${year}-${nth}`, category: 'B', discipline: 'rally' } as const;
    const place = random.between(0, placesOfList - 1);
    return `${siteUrl}/v/token#${makeCredential(signer, siteUrl, { ...facts, ...dates, listId: 1, place }, now)}`;
  });
  const verifyAll = async () => {
    const verdicts: ClientVerdict['verdict'][] = [];
    for (const text of texts) verdicts.push((await verifyCredential(text, material)).verdict);
    if (verdicts.includes('cannot_tell')) throw new Error('a credential could not be verified');
  };
  await verifyAll();
  const rates: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) rates.push((texts.length * 1000) / (await timed(verifyAll)));
  say(`  verifyCredential: ${rates.map((rate) => rate.toFixed(0)).join(', ')} a second`);
  const measured = median(rates);
  return { what: 'verifications a second in Node', goal: '>= 100', measured: measured.toFixed(0), isMet: measured >= 100 };
}

/** Share of the checks of a day at the gates that make a request, by the page's own script. */
async function benchGateDay(stack: Stack): Promise<Verdict> {
  const gates = await startChild('gate-day.ts', stack.env);
  try {
    const [{ checks, asked, refreshes, verdicts }] = (await once(gates.process, 'message')) as [GateDay];
    say(`  ${checks} checks: ${JSON.stringify(verdicts)}; ${asked} made a request; ${refreshes} requests for keys and lists`);
    const share = (asked / checks) * 100;
    return { what: 'checks at a gate that make a request', goal: '< 0.1 %', measured: `${share.toFixed(4)} %`, isMet: share < 0.1 };
  } finally {
    await gates.stop();
  }
}
