import { Client } from 'pg';
import sharp from 'sharp';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createFirstAdministrator } from '../../src/areas/accounts/users/create-first-administrator.ts';
import { audit } from '../../src/areas/audit/index.ts';
import type { Position } from '../../src/areas/changes/cursor.ts';
import { type ChangesWanted, readChanges } from '../../src/areas/changes/read-changes.ts';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { extensions } from '../../src/registry/areas.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { setList } from '../support/factories/national-lists.ts';
import { insertNational } from '../support/factories/national.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { insertRegistry } from '../support/factories/registries.ts';
import { insertUsers } from '../support/factories/rows.ts';
import {
  atMost,
  besideQuiet,
  describeLatencies,
  interleaved,
  median,
  peakMb,
  percentile,
  resetPeak,
  residentMb,
  say,
  secondsSince,
  timed,
  timeRequestsDuring,
  type Verdict,
  within,
} from './measure.ts';
import {
  type Child,
  heapMb,
  inParallel,
  insertCertificates,
  makeDatabase,
  signInAdministrator,
  startApi,
  withDatabase,
  withPlatform,
} from './stack.ts';

const fewEvents = 100;
const calendarWarmUps = 200;
const calendarSamples = 200;

/** Requests to the calendar, by name; each is measured separately. */
const calendarRequests: Record<string, string> = {
  'first page': '/events/public',
  'from a day': '/events/public?from=2027-06-01',
  'one discipline': '/events/public?discipline_id=3&limit=50',
  'a word of one event in fifty': `/events/public?q=${encodeURIComponent('серия7')}`,
  'a word of all events': `/events/public?q=${encodeURIComponent('кубок')}`,
  'two words, a discipline and a day': `/events/public?q=${encodeURIComponent('кубок алматы')}&discipline_id=3&from=2027-02-01`,
  'the HTML page': '/events?from=2027-01-01',
};

/** `calendar`: p95 of each request to the public calendar, to one with a hundred events of the same seasons. Alternates both. */
export async function benchCalendar(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const ports = await freePorts(2);
  const start = async (name: string, count: number, port: number | undefined) => {
    const url = await makeDatabase(stack, name);
    await insertEvents(url.owner, count);
    const api = await startApi({ ...stack.env, DATABASE_URL: url.application, PORT: String(port) });
    return { api, time: (path: string) => timed(() => read(`http://127.0.0.1:${port}${path}`)) };
  };
  const small = await start('bench_calendar_few', fewEvents, ports[0]);
  const large = await start('bench_calendar_many', many, ports[1]);
  try {
    const verdicts: Verdict[] = [];
    for (const [name, url] of Object.entries(calendarRequests)) {
      const path = url.startsWith('/events/public') ? apiPrefix + url : url;
      const seen = { few: [] as number[], many: [] as number[] };
      for (let turn = -calendarWarmUps; turn < rounds * calendarSamples; turn += 1) {
        const [inFew, inMany] = [await small.time(path), await large.time(path)];
        if (turn < 0) continue;
        seen.few.push(inFew);
        seen.many.push(inMany);
      }
      say(`  ${name}: ${describeLatencies(seen.many)} among ${many}, ${describeLatencies(seen.few)} among ${fewEvents}`);
      const share = percentile(seen.many, 0.95) / percentile(seen.few, 0.95);
      verdicts.push(atMost(2, `calendar, ${name}: p95 among ${many} events, to ${fewEvents}`, share));
    }
    return verdicts;
  } finally {
    await Promise.all([small.api.stop(), large.api.stop()]);
  }
}

/** @throws when the response is not 200: a benchmark of refusals measures nothing */
async function read(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}`);
}

/** Inserts published events of four seasons, fifty organizers and five disciplines. */
async function insertEvents(databaseUrl: string, count: number): Promise<void> {
  await withDatabase(databaseUrl, async (owner) => {
    await owner.query(
      `insert into users (id, email, password_hash, name, role, status, created_at, updated_at)
       select n, 'organizer-' || n || '@example.kz', 'not a password hash', 'Person ' || n, 'user', 'active', now(), now() from generate_series(1, 50) n`,
    );
    await owner.query(
      `insert into profiles (id, owner_id, kind, name, data, status, photo_status, ever_approved, created_at, updated_at)
       select n, n, 'organizer', 'Автоклуб ' || n, '{}', 'approved', 'approved', true, now(), now() from generate_series(1, 50) n`,
    );
    await owner.query(
      `insert into events (owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
       select 1 + n % 50, 1 + n % 50, 30, 1 + n % 5, 'Кубок Республики, серия' || n % 50 || ', этап ' || n, (array['Алматы', 'Астана', 'Өскемен', 'Шымкент'])[1 + n % 4],
         s, s + interval '2 days', 'published', now(), now(), now()
       from generate_series(1, $1::int) n, lateral (select timestamptz '2025-01-01 09:00+05' + (n * interval '4 years' / $1::int) as s) as start`,
      [count],
    );
    await owner.query('vacuum analyze events, calendar_entries, profiles');
  });
}

const goalMs = 100;
const listWarmUps = 10;
const listSamples = 10;

const year = new Date().getFullYear();
/** Query strings of each list, beside the empty one; a search needs a text. */
const listQueries: Record<string, readonly string[]> = {
  '/admin/athletes': [
    '?limit=100',
    '?page=4000',
    '?status=approved',
    '?status=pending&certificate=issued',
    '?certificate=issued&limit=100',
    '?certificate=not_issued',
    '?certificate=pending&status=changes',
    '?certificate=pending&page=500',
    '?q=Редкостнович',
    '?q=Маратұлы&page=200',
    '?q=алматы&certificate=not_issued&status=approved',
    '?q=иванов сергей редкостнович',
    '?q=person-77@mail.example',
    '?q=example',
    '?q=+7 (701) 000-12-34',
    '?q=900000001234',
    '?q=777',
  ],
  '/admin/users': ['?q=person-77', '?q=person&page=50', '?role=administrator', '?status=blocked', '?page=1000'],
  '/admin/ledger': ['?user_id=777', '?type=invoice_payment', `?from=${year}-01-01&to=${year}-06-30`, '?type=correction', '?page=400'],
  '/admin/audit': ['?actor_id=1', '?action=application.submitted', '?subject=profile', `?from=${year}-01-01`, '?page=400'],
  '/admin/queue': [
    '?kind=document',
    '?status=changes',
    '?q=Редкостнович',
    '?q=Маратұлы',
    '?kind=application&page=5',
    '?page=50',
    `?waiting_before=${year}-03-01`,
  ],
  '/admin/national': [
    `?year=${year}`,
    `?year=${year}&status=submitted`,
    `?year=${year}&q=Редкостнович`,
    `?year=${year}&paid=true&print=not_exported`,
    `?year=${year}&service_id=2&insurance=not_exported&page=100`,
    '?page=1000',
  ],
  '/admin/search': [
    '?q=Редкостнович',
    '?q=иванов',
    '?q=иванов сергей редкостнович',
    '?q=иван',
    '?q=мар',
    '?q=алм',
    '?q=а',
    '?q=ким с',
    '?q=8 марта',
    '?q=example',
    '?q=person-77@mail.example',
    '?q=+7 (701) 000-12-34',
    '?q=77010',
    '?q=900000001234',
    '?q=777',
    `?q=KZ-N-${year}-000077`,
    '?q=application/777',
    '?q=3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55',
    '?q=no one of this name',
  ],
  '/admin/chats': ['?limit=100', '?page=1000'],
  '/admin/overview': [],
  '/admin/processes': ['?state=waiting', '?state=stuck', '?state=running', '?state=failed'],
};

const administrator = { email: 'office@example.kz', password: 'the-office-of-the-benchmark' };

/** An API on a database of its own, and its administrator's client. */
interface Registry {
  api: Child;
  client: TestClient;
}

export async function startRegistry(stack: Stack, name: string, athletes: number): Promise<Registry> {
  const url = await makeDatabase(stack, name);
  await withPlatform(stack, (platform) => createFirstAdministrator(platform, administrator), { DATABASE_URL: url.application });
  say(`  inserting ${athletes} athletes with ${3 * athletes} applications`);
  await insertRegistry(url.owner, athletes);
  const [port] = await freePorts(1);
  const env = { ...stack.env, DATABASE_URL: url.application, PORT: String(port) };
  const api = await startApi(env, { reportsHeap: true });
  const client = new TestClient(`http://127.0.0.1:${port}`);
  await client.login(administrator.email, administrator.password);
  return { api, client };
}

/**
 * `admin-lists`: p95 of the slowest query of each of the administrators' lists, one request after another. Skips a list that the service
 * does not have.
 */
export async function benchAdminLists(stack: Stack, rounds: number, athletes: number): Promise<Verdict[]> {
  const { api, client } = await startRegistry(stack, 'bench_admin_lists', athletes);
  const published = allRoutes({ sandbox: false, ownMetricsPort: false, baseUrl: 'http://localhost' });
  try {
    const verdicts: Verdict[] = [];
    for (const [path, queries] of Object.entries(listQueries)) {
      if (!published.some((route) => route.method === 'GET' && route.path === path)) {
        say(`  ${path}: no such route`);
        continue;
      }
      let slowest = 0;
      for (const query of path === '/admin/search' ? queries : ['', ...queries]) {
        const seen: number[] = [];
        for (let turn = -listWarmUps; turn < rounds * listSamples; turn += 1) {
          const millis = await timed(async () => client.expect(200, await client.get(encodeURI(path + query).replace('+', '%2B'))));
          if (turn >= 0) seen.push(millis);
        }
        say(`  ${path}${query}: ${describeLatencies(seen)}`);
        slowest = Math.max(slowest, percentile(seen, 0.95));
      }
      const what = `${path} among ${athletes} athletes: p95 of its slowest query`;
      verdicts.push(within(goalMs, what, slowest, 'ms', 1));
    }
    return verdicts;
  } finally {
    await api.stop();
  }
}

/** No limit on the exports of the measurement. */
export const exportEnvironment = { RATE_LIMIT_EXPORTS_PER_HOUR: '1000000' };

const growthGoal = 1.1;
/** An export takes a second; several in a row show what accumulates. */
const exportsOfRound = 5;

const settings = {
  classes: ['Абсолют', 'Юниор'],
  vehicleFields: [{ code: 'brand', title: 'Марка', required: true }],
  columns: ['start_number', 'name', 'licence_number', 'birth_date', 'city', 'phone', 'team', 'crew', 'vehicle.brand'],
};

/** `export`: the API's peak memory during exports of an event's approved registrations, to an event with a tenth of them. Linux only. */
export async function benchExport(stack: Stack, rounds: number, registrations: number): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const client = await signInAdministrator(stack);
  const organizer = await client.program(['events:read']);
  await insertCertificates(stack.migrationDatabaseUrl, registrations, 0, null);
  const sizes = [Math.ceil(registrations / 10), registrations] as const;
  const [small, large] = await withPlatform(stack, async (platform) => [
    await makeEvent(platform, organizer.userId, sizes[0]),
    await makeEvent(platform, organizer.userId, sizes[1]),
  ]);
  const measure = async (eventId = 0) => {
    resetPeak(pid);
    const startedAt = performance.now();
    let bytes = 0;
    for (let nth = 0; nth < exportsOfRound; nth += 1)
      bytes = organizer.expect(200, await organizer.get(`/events/${eventId}/registrations/export`)).bytes.length;
    return { peak: peakMb(pid), millis: (performance.now() - startedAt) / exportsOfRound, kilobytes: bytes / 1024 };
  };
  say(`  at rest: ${residentMb(pid)} MB`);
  await measure(small);
  await measure(large);
  const measured = { small: [await measure(small)], large: [await measure(large)] };
  for (let round = 1; round < rounds; round += 1) {
    measured.small.push(await measure(small));
    measured.large.push(await measure(large));
  }
  const peaks = Object.values(measured).map((all, index) => {
    const peak = median(all.map((one) => one.peak));
    const millis = median(all.map((one) => one.millis));
    say(`  ${sizes[index]} registrations: peak ${peak} MB, ${millis.toFixed(0)} ms, a file of ${all[0]?.kilobytes.toFixed(0)} KB`);
    return peak;
  });
  return [growth(`API memory while ${sizes[1]} registrations are exported, to ${sizes[0]}`, peaks[1], peaks[0])];
}

function growth(what: string, many = Number.NaN, few = Number.NaN): Verdict {
  return atMost(growthGoal, what, many / few, ` (${many.toFixed(1)} MB to ${few.toFixed(1)} MB)`);
}

/** An event with registrations of the first certificate holders. */
async function makeEvent(platform: Platform, userId: number, count: number): Promise<number> {
  const db = databaseOf(platform.orm.em.fork());
  const { id: eventId } = await eventFixtures(platform).event({ userId }, { settings });
  const holders = await db.selectFrom('certificates').select('applicationId').orderBy('applicationId').limit(count).execute();
  const rows = holders.map(({ applicationId: id }, index) => ({
    eventId,
    // Account, profile and application of these people have the same id.
    ownerId: id,
    profileId: id,
    applicationIds: [id],
    status: 'approved' as const,
    class: settings.classes[index % 2] ?? '',
    startNumber: String(index),
    vehicle: { brand: `Лада Гранта ${index}` },
  }));
  await insertRegistrations(db, rows, new Date());
  return eventId;
}

/** Measurements of the heap in one download. */
const heapSamples = 10;

/**
 * `athletes-csv`: the API's heap while the CSV of all athletes is downloaded, to that of a tenth of them (one status): the maximum of ten
 * samples, each after a garbage collection. Prints the resident peak too, which depends on how long V8 delays the collection.
 */
export async function benchAthletesCsv(stack: Stack, rounds: number, athletes: number): Promise<Verdict[]> {
  const { api, client } = await startRegistry(stack, 'bench_athletes_csv', athletes);
  try {
    const download = async (query: string, each: (rows: number) => Promise<void>) => {
      const response = await fetch(`${client.baseUrl}${apiPrefix}/admin/export?kind=athletes${query}`, {
        headers: { cookie: client.cookie ?? '' },
      });
      if (response.status !== 200 || response.body === null) throw new Error(`the export returned ${response.status}`);
      let [bytes, lines] = [0, 0];
      for await (const chunk of response.body) {
        bytes += chunk.length;
        for (const byte of chunk) if (byte === 10) lines += 1;
        await each(lines - 1);
      }
      return { bytes, rows: lines - 1 };
    };
    const measure = async (query: string, expected: number) => {
      resetPeak(api.pid);
      const startedAt = performance.now();
      const { bytes, rows } = await download(query, async () => undefined);
      const [peak, millis] = [peakMb(api.pid), performance.now() - startedAt];
      let [heap, samples] = [0, 0];
      await download(query, async (reached) => {
        if (samples > 0 && reached < (samples * expected) / heapSamples) return;
        samples += 1;
        heap = Math.max(heap, await heapMb(api));
      });
      return { peak, millis, heap, samples, megabytes: bytes / 1024 / 1024, rows };
    };
    say(`  at rest: ${residentMb(api.pid)} MB resident, ${(await heapMb(api)).toFixed(1)} MB heap`);
    const few = () => measure('&status=cancelled', athletes / 10);
    const many = () => measure('', athletes);
    // The first of each is a warm-up.
    const measured = { few: [await few()].slice(1), many: [await many()].slice(1) };
    for (let round = 0; round < rounds; round += 1) {
      measured.few.push(await few());
      measured.many.push(await many());
    }
    const heaps = Object.values(measured).map((all) => {
      const of = (figure: 'heap' | 'peak' | 'millis') => median(all.map((one) => one[figure]));
      say(
        `  ${all[0]?.rows} athletes: heap ${of('heap').toFixed(1)} MB, maximum of ${all[0]?.samples} samples, peak ${of('peak')} MB resident, ` +
          `${of('millis').toFixed(0)} ms, a file of ${all[0]?.megabytes.toFixed(1)} MB`,
      );
      return of('heap');
    });
    const what = `API heap during the CSV of ${measured.many[0]?.rows} athletes, to ${measured.few[0]?.rows}`;
    return [growth(what, heaps[1], heaps[0])];
  } finally {
    await api.stop();
  }
}

const quietMs = 30_000;

/**
 * `print-zip`: the API's p95 during print archives, to a quiet period before; and the worker's peak memory, to archives with a tenth of the
 * photos. Linux only.
 */
export async function benchPrintZip(stack: Stack, rounds: number, photos: number): Promise<Verdict[]> {
  const pid = stack.processes.worker.pid ?? 0;
  const client = await signInAdministrator(stack);
  const ids = await withPlatform(stack, (platform) => insertPrintable(platform, photos));
  const make = async (count: number) => {
    const listed = ids.slice(0, count);
    await withPlatform(stack, (platform) => setList(platform, client.userId, 'print', listed));
    const { data } = client.expect(201, await client.post('/admin/national/lists/print/export', { ids: listed })).body;
    if (data.status !== 'ready') throw new Error(`the export is ${data.status}`);
    return data.file.download_url as string;
  };
  const small = Math.ceil(photos / 10);
  await make(small);
  const bytes = client.expect(200, await client.get(await make(photos))).bytes.length;
  say(`  ${photos} photos: a ZIP of ${(bytes / 1024 / 1024).toFixed(0)} MB; the worker at rest: ${residentMb(pid)} MB`);

  resetPeak(pid);
  for (let round = 0; round < rounds; round += 1) await make(small);
  const smallPeak = peakMb(pid);
  const requests = ['/account', '/files', '/admin/queue', '/profiles', '/services/prices'];
  const quiet = await timeRequestsDuring(client, requests, () => setTimeout(quietMs));
  resetPeak(pid);
  const exportMs: number[] = [];
  const busy = await timeRequestsDuring(client, requests, async () => {
    for (let round = 0; round < rounds; round += 1) exportMs.push(await timed(() => make(photos)));
  });
  const peak = peakMb(pid);
  say(`  ${rounds} exports of ${exportMs.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s`);
  return [
    besideQuiet(`requests beside print archives with ${photos} photos, to a quiet period`, busy, quiet),
    atMost(1.25, `worker memory with archives of ${photos} photos, to ${small}`, peak / smallPeak, ` (${peak} MB to ${smallPeak} MB)`),
  ];
}

/** Inserts applications that can be printed, each with a photo of about 500 KB. @returns their ids */
async function insertPrintable(platform: Platform, count: number): Promise<number[]> {
  const db = databaseOf(platform.orm.em.fork());
  const [ownerId = 0] = await insertUsers(db, 1, new Date());
  const applications = await insertNational(
    db,
    Array.from({ length: count }, () => ({ ownerId })),
    new Date(),
  );
  const photo = await sharp({
    create: { width: 900, height: 1200, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  })
    .jpeg({ quality: 85 })
    .toBuffer();
  say(`  a photo has ${(photo.length / 1024).toFixed(0)} KB`);
  await inParallel(applications, 4, async ({ photoId }) => {
    const { storageKey } = await db.selectFrom('files').select('storageKey').where('id', '=', photoId).executeTakeFirstOrThrow();
    await platform.storage.put(storageKey, photo, { contentType: 'image/jpeg', size: photo.length });
    const sha256 = createHash('sha256').update(photo).digest('hex');
    await db.updateTable('files').set({ size: photo.length, sha256 }).where('id', '=', photoId).execute();
  });
  return applications.map(({ id }) => id);
}

const fewChanges = 100_000;
/** Changes of one transaction, of one account and of a rare type: in each log the same, so that pages have the same number of changes. */
const [ofTransaction, ofAccount, ofRareType] = [4, 100, 100];
const batch = 1_000_000;
const readsOfRound = 200;
/** Most changes of a page of `GET /changes`. */
const pageOfReader = 100;
const roundsFactor = 4;

/** `changes`: time of a page of `GET /changes` and of a command's change among many changes, to a hundred thousand. */
export async function benchChanges(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const small = await openLog(stack, 'bench_changes_few', fewChanges);
  const large = await openLog(stack, 'bench_changes_many', many);
  try {
    const verdicts: Verdict[] = [];
    for (const name of Object.keys(small.work)) {
      const [ours, theirs] = [large.work[name], small.work[name]];
      if (!ours || !theirs) continue;
      const seen = await interleaved(roundsFactor * rounds, { ours: () => timed(ours), theirs: () => timed(theirs) });
      const millis = (values: readonly number[]) => (median(values) / readsOfRound).toFixed(2);
      say(`  ${name}: ${millis(seen.ours)} ms among ${many}, ${millis(seen.theirs)} ms among ${fewChanges}`);
      verdicts.push(atMost(1.2, `${name} among ${many} changes, to ${fewChanges}`, median(seen.ours) / median(seen.theirs)));
    }
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) rates.push(await large.readThrough());
    say(`  read through, ${pageOfReader} a page: ${median(rates).toFixed(0)} changes a second`);
    return verdicts;
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
}

interface Log {
  /** Each does its work `readsOfRound` times. */
  work: Record<string, () => Promise<void>>;
  /** Reads a million changes, or all, from the beginning, page after page. @returns changes a second */
  readThrough(): Promise<number>;
  close(): Promise<void>;
}

async function openLog(stack: Stack, name: string, count: number): Promise<Log> {
  const url = await makeDatabase(stack, name);
  const startedAt = performance.now();
  await insertChanges(url.owner, count);
  say(`  ${count} changes inserted in ${secondsSince(startedAt)} s`);
  const orm = await openRegistry(url.application, 2);
  const db = databaseOf(orm.em.fork());
  // The same share of the log is behind each reader.
  const places = Array.from({ length: readsOfRound }, (_, n): Position => ({
    ...beginning,
    place: Math.floor((count / ofTransaction) * 0.9 * (n / readsOfRound)),
  }));
  const reading = (wanted: Pick<ChangesWanted, 'audience' | 'actions'>) => async () => {
    for (const [n, after] of places.entries()) {
      const audience = wanted.audience === 'all' ? 'all' : { userId: 1 + ((n * 37) % (count / ofAccount)) };
      await readChanges(db, { ...wanted, audience, after, limit: 50, now: new Date() });
    }
  };
  const platform = { orm, clock: systemClock, extensions, outbox: relayOnlyOutbox };
  const caller = { actor: { kind: 'process' }, requestId: 'bench', ip: null } as const;
  return {
    work: {
      'a page of all changes': reading({ audience: 'all', actions: null }),
      'a page of a rare type': reading({ audience: 'all', actions: ['incident.resolved'] }),
      'a page of an account': reading({ audience: { userId: 1 }, actions: null }),
      'a page of an account and a record': reading({ audience: { userId: 1 }, actions: ['application.approved', 'application.paid'] }),
      'a command with a change': async () => {
        for (let n = 0; n < readsOfRound; n += 1)
          await commit(platform, caller, (ctx) => audit(ctx, 'incident.resolved', { kind: 'incident', id: n }));
      },
    },
    async readThrough() {
      const startedAt = performance.now();
      let [read, after] = [0, beginning];
      for (let isMore = true; isMore && read < batch;) {
        const { rows, next } = await readChanges(db, { audience: 'all', after, limit: pageOfReader, actions: null, now: new Date() });
        read += rows.length;
        after = next;
        isMore = rows.length === pageOfReader;
      }
      return read / ((performance.now() - startedAt) / 1000);
    },
    close: () => orm.close(true),
  };
}

const beginning: Position = { place: 0, id: 0, at: new Date() };

/** Inserts changes of ninety days in the order of time, below the present transaction. */
async function insertChanges(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const months of [2, 1]) await client.query(`select keep_change_partitions(now() - make_interval(months => $1))`, [months]);
    for (let from = 0; from < count; from += batch)
      await client.query(
        `insert into changes (place, id, written_at, at, action, subject_kind, subject_id, owner_id, organizer_id, status)
         select n / $3, n, t, t, case when n % $5 = 0 then 'incident.resolved' else a.actions[1 + n % 7] end, 'application', n,
           1 + (n * 7919::bigint) % $4, case when n % 10 = 0 then 1 + (n * 104729::bigint) % $4 end, 'approved'
         from generate_series($1::int, $2::int) n
         cross join lateral (select now() - interval '85 days' * (1 - n::float8 / $6) as t) d
         cross join (select array['application.created', 'application.submitted', 'application.paid', 'application.approved',
           'document.created', 'document.approved', 'registration.submitted'] as actions) a`,
        [from, Math.min(from + batch, count) - 1, ofTransaction, count / ofAccount, Math.floor(count / ofRareType), count],
      );
    await client.query('select setval($1, $2)', ['change_numbers', count]);
    await client.query('vacuum analyze changes');
  } finally {
    await client.end();
  }
}
