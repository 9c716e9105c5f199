import sharp from 'sharp';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { setList } from '../support/factories/national-lists.ts';
import { insertNational } from '../support/factories/national.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { startRegistry } from './lists.ts';
import { inParallel, localUrl, withPlatform } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { heapMb } from './support/child.ts';
import {
  atMost,
  describeLatencies,
  median,
  peakMb,
  percentile,
  residentMb,
  resetPeak,
  say,
  timed,
  timeRequestsDuring,
  type Verdict,
} from './support/measure.ts';

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
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
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
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
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
  say(`  quiet: ${describeLatencies(quiet)}`);
  say(`  beside ${rounds} exports of ${exportMs.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s: ${describeLatencies(busy)}`);
  const [busyP95, quietP95] = [percentile(busy, 0.95), percentile(quiet, 0.95)];
  return [
    atMost(
      2,
      `p95 of requests beside print archives with ${photos} photos, to a quiet period`,
      busyP95 / quietP95,
      ` (${busyP95.toFixed(1)} ms to ${quietP95.toFixed(1)} ms)`,
    ),
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
