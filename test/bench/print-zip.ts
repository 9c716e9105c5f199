import sharp from 'sharp';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { setList } from '../support/factories/national-lists.ts';
import { insertNational } from '../support/factories/national.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { inParallel, localUrl, withPlatform } from './support/bench-stack.ts';
import { describeLatencies, percentile, timed } from './support/measure.ts';
import { peakMb, resetPeak, residentMb } from './support/process-memory.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const goals = { ratio: 2, memory: 1.25 };
/** A minute's samples of what people ask, one after the other. */
const quietMs = 30_000;
const pauseMs = 20;

/**
 * The API's p95 while print archives with so many photos are made one after the other, against a quiet while before; and the worker's peak
 * memory, against archives with a tenth of them. Linux only.
 */
export async function benchPrintZip(stack: Stack, rounds: number, photos: number): Promise<Verdict[]> {
  const pid = stack.processes.worker.pid ?? 0;
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  const ids = await withPlatform(stack, (platform) => insertPrinted(platform, photos));
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

  const peakOf = async (count: number) => {
    if (!resetPeak(pid)) say('  the peak counts from the start of the process');
    for (let round = 0; round < rounds; round += 1) await make(count);
    return peakMb(pid);
  };
  const fewPeak = await peakOf(small);
  const quiet = await ask(client, () => setTimeout(quietMs));
  resetPeak(pid);
  const exportMs: number[] = [];
  const busy = await ask(client, async () => {
    for (let round = 0; round < rounds; round += 1) exportMs.push(await timed(() => make(photos)));
  });
  const peak = peakMb(pid);
  say(`  quiet: ${describeLatencies(quiet)}`);
  say(`  beside ${rounds} exports of ${exportMs.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s: ${describeLatencies(busy)}`);
  const slower = percentile(busy, 0.95) / percentile(quiet, 0.95);
  return [
    {
      what: `p95 of requests beside print archives with ${photos} photos, against a quiet while`,
      goal: `<= ${ratio(goals.ratio)}`,
      measured: `${ratio(slower)} (${percentile(busy, 0.95).toFixed(1)} ms against ${percentile(quiet, 0.95).toFixed(1)} ms)`,
      isMet: slower <= goals.ratio,
    },
    {
      what: `worker memory while archives with ${photos} photos are made, against ${small}`,
      goal: `<= ${ratio(goals.memory)}`,
      measured: `${ratio(peak / fewPeak)} (${peak} MB against ${fewPeak} MB)`,
      isMet: peak / fewPeak <= goals.memory,
    },
  ];
}

/** What people ask while some work is done: who they are, what they have, what waits. @returns milliseconds of each */
async function ask(client: TestClient, work: () => Promise<unknown>): Promise<number[]> {
  const state = { isOver: false };
  const done = work().finally(() => (state.isOver = true));
  const millis: number[] = [];
  const paths = ['/account', '/files', '/admin/queue', '/profiles', '/services/prices'];
  for (let index = 0; !state.isOver; index += 1) {
    millis.push(await timed(async () => client.expect(200, await client.get(paths[index % paths.length] ?? ''))));
    await setTimeout(pauseMs);
  }
  await done;
  return millis;
}

/** Applications that may be printed, each with a photo of its own of some 500 KB. @returns their ids */
async function insertPrinted(platform: Platform, count: number): Promise<number[]> {
  const db = databaseOf(platform.orm.em.fork());
  const [ownerId = 0] = await insertUsers(db, 1, new Date());
  const printed = await insertNational(
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
  await inParallel(printed, 4, async ({ photoId }) => {
    const { storageKey } = await db.selectFrom('files').select('storageKey').where('id', '=', photoId).executeTakeFirstOrThrow();
    await platform.storage.put(storageKey, photo, { contentType: 'image/jpeg', size: photo.length });
    const sha256 = createHash('sha256').update(photo).digest('hex');
    await db.updateTable('files').set({ size: photo.length, sha256 }).where('id', '=', photoId).execute();
  });
  return printed.map(({ id }) => id);
}
