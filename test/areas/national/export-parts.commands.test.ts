import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createFileActivities } from '../../../activities/files.ts';
import { purgeDeletedFiles } from '../../../src/areas/files/index.ts';
import { type ExportRow, listExportRows } from '../../../src/areas/national/exports/queries.ts';
import { requestExport } from '../../../src/areas/national/exports/request-export.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { commit, query } from '../../../src/platform/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type Storage, StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { undelivered } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn, type Member } from '../../support/factories.ts';
import { certificateFixtures } from '../../support/factories/certificates.ts';
import { setList } from '../../support/factories/national-lists.ts';
import { readZip } from '../../support/papers/read-zip.ts';
import { testFolder } from '../../support/servers.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** An interrupted print archive resumes after its stored parts and results in the same file. */

/** Two parts and a half. */
const count = 25;
const ofPart = 10;

let platform: Platform;
let close: () => Promise<void>;
let administrator: Member;
let ids: number[];
beforeAll(async () => {
  const started = await startTestPlatform();
  platform = { ...started.platform, outbox: undelivered, clock: systemClock };
  close = started.close;
  administrator = await fixturesIn(platform).administrator();
  const issue = certificateFixtures(platform);
  const certificates = await Promise.all(Array.from({ length: count }, () => issue()));
  ids = certificates.map(({ applicationId }) => applicationId);
  await setList(platform, administrator.userId, 'print', ids);
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const attempt = (
  id: number,
  on: Platform = platform,
  environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }),
) => environment.run(createFileActivities(on).buildNationalExport, id) as Promise<void>;
async function requested(): Promise<{ id: number; rows: ExportRow[] }> {
  const { id } = await commit(platform, administrator.caller, (ctx) => requestExport(ctx, 'print', ids));
  return { id, rows: await query(platform, (open) => listExportRows(open, id)) };
}

/** Records which photos are read and calls `breakIn` before the photo number `before`, counted from 1. */
function watched({ before = Infinity, breakIn = () => undefined }: { before?: number; breakIn?: () => void } = {}) {
  const read: string[] = [];
  const photos = new Set<string>();
  const get: Storage['get'] = async (key, range) => {
    if (photos.has(key)) {
      if (read.length + 1 === before) breakIn();
      read.push(key);
    }
    return platform.storage.get(key, range);
  };
  return {
    read,
    on: (rows: readonly ExportRow[], storage: Partial<Storage> = {}): Platform => {
      for (const { photo } of rows) photos.add(photo?.storageKey ?? '');
      return { ...platform, storage: { ...platform.storage, get, ...storage } };
    },
  };
}
const keysOf = (rows: readonly ExportRow[]) => rows.map(({ photo }) => photo?.storageKey);
const away = (): never => {
  throw new StorageUnavailableError('the storage does not answer');
};

async function madeOf(id: number) {
  return db()
    .selectFrom('national_exports as e')
    .innerJoin('files as f', 'f.id', 'e.fileId')
    .where('e.id', '=', id)
    .where('f.deletedAt', 'is', null)
    .select(['e.status', 'f.storageKey'])
    .executeTakeFirstOrThrow();
}
const partsOf = (id: number) =>
  db()
    .selectFrom('national_export_parts as p')
    .innerJoin('files as f', 'f.id', 'p.fileId')
    .where('p.exportId', '=', id)
    .orderBy('p.firstPosition')
    .select(['p.firstPosition', 'p.lastPosition', 'f.storageKey'])
    .execute();
/** Storage keys of all parts, deleted ones included, whose object still exists. */
async function storedParts(): Promise<string[]> {
  const files = await db().selectFrom('files').select('storageKey').where('purpose', '=', 'national_print_part').execute();
  const stats = await Promise.all(
    files.map(async ({ storageKey }) => ((await platform.storage.stat(storageKey)) === null ? [] : [storageKey])),
  );
  return stats.flat();
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Hashes of the archive's entries except the sheet, which contains its time of writing. */
async function contentsOf(id: number): Promise<{ zip: Buffer; files: Map<string, string> }> {
  const zip = await buffer(await platform.storage.get((await madeOf(id)).storageKey));
  const files = new Map([...readZip(zip)].map(([name, bytes]) => [name, hashOf(bytes)]));
  expect(files.delete('document.xlsx')).toBe(true);
  return { zip, files };
}

async function expectWhole(id: number, rows: readonly ExportRow[]): Promise<void> {
  expect((await madeOf(id)).status).toBe('ready');
  const { zip, files } = await contentsOf(id);
  expect([...files.keys()]).toEqual(rows.flatMap(({ number }) => [`foto/${number}.jpg`, `qr/${number}.png`]));
  for (const { number, photo } of rows) expect(files.get(`foto/${number}.jpg`)).toBe(photo?.sha256);
  const path = join(await testFolder(), `${randomUUID()}.zip`);
  await writeFile(path, zip);
  await promisify(execFile)('python3', ['-c', 'import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)', path]);
  expect(await partsOf(id)).toEqual([]);
  expect(await storedParts()).toEqual([]);
  // Baseline: an uninterrupted export.
  await db()
    .updateTable('national_exports')
    .set({ status: 'pending', finishedAt: null, fileId: randomUUID() })
    .where('id', '=', id)
    .execute();
  await attempt(id);
  expect((await contentsOf(id)).files).toEqual(files);
}

test.each([
  ['its attempt fails', { name: 'ApplicationFailure', nonRetryable: false }],
  // The SDK recognizes a worker shutdown and reports a retryable attempt.
  ['its worker stops', { name: 'CancelledFailure' }],
] as const)('an export resumes in the middle after %s', async (how, failure) => {
  const { id, rows } = await requested();
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const breakIn = how === 'its attempt fails' ? away : () => environment.cancel('WORKER_SHUTDOWN');
  const first = watched({ before: 2 * ofPart + 4, breakIn });
  await expect(attempt(id, first.on(rows), environment)).rejects.toMatchObject(failure);
  expect(await partsOf(id)).toMatchObject([
    { firstPosition: 1, lastPosition: ofPart },
    { firstPosition: ofPart + 1, lastPosition: 2 * ofPart },
  ]);
  expect(first.read.length).toBeLessThan(count);
  const second = watched();
  await attempt(id, second.on(rows));
  expect(second.read).toEqual(keysOf(rows.slice(2 * ofPart)));
  await expectWhole(id, rows);
});

test('a retry after the last record only assembles the file', async () => {
  const { id, rows } = await requested();
  const first = watched();
  const put: Storage['put'] = async (key, source, facts) => {
    if (facts.contentType === 'application/zip') away();
    return platform.storage.put(key, source, facts);
  };
  await expect(attempt(id, first.on(rows, { put }))).rejects.toThrow();
  expect(first.read).toEqual(keysOf(rows));
  const second = watched();
  await attempt(id, second.on(rows));
  expect(second.read).toEqual([]);
  await expectWhole(id, rows);
});

test.each(['lost', 'damaged'])('a part that is %s is made again, with all later parts', async (how) => {
  const { id, rows } = await requested();
  await expect(attempt(id, watched({ before: count, breakIn: away }).on(rows))).rejects.toThrow();
  const [, part] = await partsOf(id);
  const key = part?.storageKey ?? '';
  if (how === 'lost') await platform.storage.delete(key);
  else await platform.storage.put(key, Buffer.from('something else'), { contentType: 'application/zip', size: 14 });
  const second = watched();
  await attempt(id, second.on(rows));
  expect(second.read).toEqual(keysOf(rows.slice(ofPart)));
  await expectWhole(id, rows);
});

test('the sweep deletes parts only after a day without a new attempt; the export can still finish', async () => {
  const { id, rows } = await requested();
  await expect(attempt(id, watched({ before: 2 * ofPart, breakIn: away }).on(rows))).rejects.toThrow();
  const platformIn = (hours: number): Platform => ({
    ...platform,
    clock: { sandbox: false, now: async () => new Date(Date.now() + hours * 3_600_000) },
  });
  await purgeDeletedFiles(platformIn(12));
  expect(await storedParts()).toHaveLength(1);
  await purgeDeletedFiles(platformIn(26));
  expect(await storedParts()).toEqual([]);
  const second = watched();
  await attempt(id, second.on(rows));
  expect(second.read).toEqual(keysOf(rows));
  await expectWhole(id, rows);
});

test('a failed export leaves no parts and stores none after the faulty record (NAT-9)', async () => {
  const { id, rows } = await requested();
  const lost = rows[ofPart + 3]?.photo?.storageKey;
  const get: Storage['get'] = async (key, range) =>
    key === lost ? Readable.from([Buffer.from('no photo')]) : platform.storage.get(key, range);
  await attempt(id, { ...platform, storage: { ...platform.storage, get } });
  const { status } = await db().selectFrom('national_exports').select('status').where('id', '=', id).executeTakeFirstOrThrow();
  expect(status).toBe('failed');
  expect(await partsOf(id)).toEqual([]);
  expect(await storedParts()).toEqual([]);
});
