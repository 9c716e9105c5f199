import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { type Verdict as ClientVerdict, verifyCredential } from '../../client/src/index.ts';
import { makeCredential } from '../../src/areas/credentials/credential.ts';
import { addSigningKey, makeNextEdition } from '../../src/areas/credentials/index.ts';
import type { Signer } from '../../src/areas/credentials/signed-token.ts';
import { listedStatus, makeEdition, placesOfList, StatusBits, statusListUri } from '../../src/areas/credentials/status-list.ts';
import { required } from '../../src/registry/config.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { createRandom, type Random } from '../support/random.ts';
import { makeDatabase, withDatabase, withPlatform } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { startChild } from './support/child.ts';
import type { GateDay } from './support/gate-day.ts';
import type { LoadOrder } from './support/load-generator.ts';
import { interleaved, median, ratio, say, secondsSince, timed, type Verdict } from './support/measure.ts';
import { describe, generateLoad, rateOf, startApi } from './verification.ts';

const certificates = 10_000_000;
/** Of all places, at random. */
const shareSet = 0.01;
const siteUrl = 'https://registry.example.kz';
const connections = 25;
const warmUpSeconds = 5;
const roundSeconds = 1;
const roundsFactor = 3;
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
  return [{ what, goal: `<= ${editionMs} ms`, measured: `${measured.toFixed(0)} ms`, isMet: measured <= editionMs }];
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
  const bare = await startChild('support/bare-list-server.ts', { ...env, PORT: barePort ?? '' });
  const generator = await startChild('support/load-generator.ts', stack.env);
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
      await ours(warmUpSeconds);
      await theirs(warmUpSeconds);
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
  const gates = await startChild('support/gate-day.ts', stack.env);
  try {
    const [{ checks, asked, refreshes, verdicts }] = (await once(gates.process, 'message')) as [GateDay];
    say(`  ${checks} checks: ${JSON.stringify(verdicts)}; ${asked} made a request; ${refreshes} requests for keys and lists`);
    const share = (asked / checks) * 100;
    return { what: 'checks at a gate that make a request', goal: '< 0.1 %', measured: `${share.toFixed(4)} %`, isMet: share < 0.1 };
  } finally {
    await gates.stop();
  }
}
