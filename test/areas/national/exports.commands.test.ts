import { mock } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { executeInternal } from '../../../activities/execute.ts';
import { createLongWork } from '../../../activities/long-work.ts';
import { readStandings } from '../../../src/areas/administration/processes/find-processes.ts';
import { purgeDeletedFiles } from '../../../src/areas/files/index.ts';
import { nationalExportProcess } from '../../../src/areas/national/exports/process.ts';
import { trackProgress } from '../../../src/areas/national/exports/progress.ts';
import { findExport, listExportRows, listUnfit } from '../../../src/areas/national/exports/queries.ts';
import { requestExport } from '../../../src/areas/national/exports/request-export.ts';
import { presentExport } from '../../../src/areas/national/exports/wire.ts';
import type { ExportList } from '../../../src/areas/national/lists/fitness.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { dayMs } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn, type Member } from '../../support/factories.ts';
import { certificateFixtures } from '../../support/factories/certificates.ts';
import { setList } from '../../support/factories/national-lists.ts';
import { readZip } from '../../support/papers/read-zip.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** Repeated and concurrent attempts make the file of an export exactly once and complete. */
let platform: Platform;
let close: () => Promise<void>;
let administrator: Member;
let issue: ReturnType<typeof certificateFixtures>;
beforeAll(async () => {
  const started = await startTestPlatform();
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: systemClock };
  close = started.close;
  administrator = await fixturesIn(platform).administrator();
  issue = certificateFixtures(platform);
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const activity = () => new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
const build = (id: number, on: Platform = platform, environment = activity()): Promise<void> =>
  environment.run(createLongWork(on).buildNationalExport, id);

async function requested(list: ExportList, count = 1) {
  const certificates = await Promise.all(Array.from({ length: count }, () => issue()));
  const ids = certificates.map(({ applicationId }) => applicationId);
  await setList(platform, administrator.userId, list, ids);
  const { id } = await commit(platform, administrator.caller, (ctx) => requestExport(ctx, list, ids));
  return { id, certificates };
}
const stateOf = async (id: number) => {
  const record = await query(platform, (open) => findExport(open, id));
  if (record === null) throw new Error(`there is no export ${id}`);
  const { status, failure, fileId } = record;
  return { status, failure, fileId, isFileStored: record.isFileStored };
};
/** Files of a purpose with their state in the database and in storage. */
async function filesOf(purpose: string) {
  const files = await db()
    .selectFrom('files')
    .select(['id', 'storageKey', 'deletedAt', 'purgedAt'])
    .where('purpose', '=', purpose)
    .execute();
  return Promise.all(
    files.map(async ({ id, storageKey, deletedAt, purgedAt }) => ({
      id,
      isThere: deletedAt === null,
      isPurged: purgedAt !== null,
      isStored: (await platform.storage.stat(storageKey)) !== null,
    })),
  );
}
const exportedAudits = (id: number) =>
  db().selectFrom('audit_events').select('id').where('action', '=', 'national.exported').where('subjectId', '=', String(id)).execute();

test.each(['insurance', 'print'] as const)('a repeated attempt leaves an export of the %s list unchanged', async (list) => {
  const { id } = await requested(list, 2);
  await build(id);
  const first = await stateOf(id);
  expect(first).toMatchObject({ status: 'ready', isFileStored: true });
  const files = await filesOf(`national_${list}`);
  await build(id);
  expect(await stateOf(id)).toEqual(first);
  expect(await filesOf(`national_${list}`)).toEqual(files);
  expect(await exportedAudits(id)).toHaveLength(1);
});

test('of two concurrent attempts one is recorded and the object of the other is deleted', async () => {
  const { id, certificates } = await requested('print', 2);
  const before = await filesOf('national_print');
  await Promise.all([build(id), build(id)]);
  const { fileId, status } = await stateOf(id);
  expect(status).toBe('ready');
  const made = (await filesOf('national_print')).filter((file) => !before.some((known) => known.id === file.id));
  expect(made.filter(({ isThere }) => isThere)).toEqual([{ id: fileId, isThere: true, isPurged: false, isStored: true }]);
  expect(made.filter((file) => !file.isThere && (file.isStored || !file.isPurged))).toEqual([]);
  expect(await exportedAudits(id)).toHaveLength(1);
  const marks = await db()
    .selectFrom('national_export_records')
    .select(['applicationId', 'exportedAt'])
    .where('exportId', '=', id)
    .execute();
  expect(new Set(marks.map(({ applicationId }) => applicationId))).toEqual(new Set(certificates.map(({ applicationId }) => applicationId)));
  expect(marks.every(({ exportedAt }) => exportedAt !== null)).toBe(true);
});

test.each(['get', 'put'] as const)('an unavailable storage (%s) is retried and leaves no object', async (operation) => {
  const { id } = await requested('print');
  const away = async () => Promise.reject(new StorageUnavailableError('the storage does not answer'));
  const before = await filesOf('national_print');
  await expect(build(id, { ...platform, storage: { ...platform.storage, [operation]: away } })).rejects.toMatchObject({
    nonRetryable: false,
    nextRetryDelay: expect.any(Number),
  });
  expect(await stateOf(id)).toMatchObject({ status: 'pending', isFileStored: false });
  const left = (await filesOf('national_print')).filter((file) => !before.some((known) => known.id === file.id));
  expect(left.filter(({ isThere, isStored }) => isThere || isStored)).toEqual([]);
  await build(id);
  expect(await stateOf(id)).toMatchObject({ status: 'ready', isFileStored: true });
});

test.each([
  ['its attempt fails', { name: 'ApplicationFailure', nonRetryable: false }],
  // The SDK recognizes a worker shutdown and reports a retryable attempt.
  ['its worker stops', { name: 'CancelledFailure' }],
] as const)('an archive starts again after %s, and appears once and whole', async (how, failure) => {
  const { id } = await requested('print', 4);
  const rows = await query(platform, (open) => listExportRows(open, id));
  const photos = rows.map(({ photo }) => photo?.storageKey ?? '');
  const before = await filesOf('national_print');
  const environment = activity();
  let read: string[] = [];
  let isBroken = true;
  const get: Platform['storage']['get'] = async (key, range) => {
    if (photos.includes(key)) read.push(key);
    if (isBroken && key === photos[2]) {
      if (how === 'its attempt fails') throw new StorageUnavailableError('the storage does not answer');
      environment.cancel('WORKER_SHUTDOWN');
    }
    return platform.storage.get(key, range);
  };
  const on = { ...platform, storage: { ...platform.storage, get } };
  await expect(build(id, on, environment)).rejects.toMatchObject(failure);
  expect(read).toEqual(photos.slice(0, 3));
  expect(await stateOf(id)).toMatchObject({ status: 'pending', isFileStored: false });
  expect(await filesOf('national_print')).toEqual(before);
  [read, isBroken] = [[], false];
  await build(id, on);
  expect(read).toEqual(photos);
  const { fileId } = await stateOf(id);
  const { storageKey } = await db().selectFrom('files').select('storageKey').where('id', '=', fileId).executeTakeFirstOrThrow();
  const entries = readZip(await buffer(await platform.storage.get(storageKey)));
  expect([...entries.keys()]).toEqual(['document.xlsx', ...rows.flatMap(({ number }) => [`foto/${number}.jpg`, `qr/${number}.png`])]);
  const made = (await filesOf('national_print')).filter((file) => !before.some((known) => known.id === file.id));
  expect(made).toEqual([{ id: fileId, isThere: true, isPurged: false, isStored: true }]);
});

test.each([
  ['blocked', { status: 'blocked' }],
  ['demoted', { role: 'user' }],
] as const)(
  'an export fails when its administrator is %s before the file is ready, and marks nothing (ACC-12, NAT-4)',
  async (_, change) => {
    const { id } = await requested('insurance');
    const account = (changes: { status?: 'active' | 'blocked'; role?: 'user' | 'administrator' }) =>
      db().updateTable('users').set(changes).where('id', '=', administrator.userId).execute();
    const before = await filesOf('national_insurance');
    const put: Platform['storage']['put'] = async (...stored) => {
      await account(change);
      return platform.storage.put(...stored);
    };
    await build(id, { ...platform, storage: { ...platform.storage, put } });
    await account({ status: 'active', role: 'administrator' });
    expect(await stateOf(id)).toMatchObject({ status: 'failed', failure: 'forbidden', isFileStored: false });
    const left = (await filesOf('national_insurance')).filter((file) => !before.some((known) => known.id === file.id));
    expect(left).toMatchObject([{ isThere: false, isPurged: true, isStored: false }]);
    const records = await db()
      .selectFrom('national_export_records')
      .select(['exportedAt', 'problems'])
      .where('exportId', '=', id)
      .execute();
    expect(records).toEqual([{ exportedAt: null, problems: null }]);
    expect(await exportedAudits(id)).toEqual([]);
    // The export stays refused.
    await build(id);
    expect(await stateOf(id)).toMatchObject({ status: 'failed', failure: 'forbidden' });
  },
);

test('a record that no longer fits when its file is made fails the export (NAT-4)', async () => {
  const { id, certificates } = await requested('insurance', 2);
  const [annulled] = certificates.toSorted((one, two) => one.number.localeCompare(two.number));
  await db()
    .updateTable('applications')
    .set({ status: 'cancelled' })
    .where('id', '=', annulled?.applicationId ?? 0)
    .execute();
  await build(id);
  expect(await stateOf(id)).toMatchObject({ status: 'failed', failure: 'export_not_possible', isFileStored: false });
  const records = await db().selectFrom('national_export_records').selectAll().where('exportId', '=', id).orderBy('position').execute();
  expect(records.map(({ problems, exportedAt }) => [problems, exportedAt])).toEqual([
    [['not_approved'], null],
    [null, null],
  ]);
});

test('a certificate annulled while the file is made is not marked, and the export names it (NAT-4)', async () => {
  const { id, certificates } = await requested('insurance', 2);
  const [annulled, kept] = certificates.toSorted((one, two) => one.number.localeCompare(two.number));
  const put: Platform['storage']['put'] = async (...stored) => {
    await db()
      .updateTable('applications')
      .set({ status: 'cancelled' })
      .where('id', '=', annulled?.applicationId ?? 0)
      .execute();
    return platform.storage.put(...stored);
  };
  await build(id, { ...platform, storage: { ...platform.storage, put } });
  expect(await stateOf(id)).toMatchObject({ status: 'ready', failure: null, isFileStored: true });
  const records = await db().selectFrom('national_export_records').selectAll().where('exportId', '=', id).orderBy('position').execute();
  expect(records.map(({ applicationId, problems, exportedAt }) => [applicationId, problems, exportedAt !== null])).toEqual([
    [annulled?.applicationId, ['not_approved'], false],
    [kept?.applicationId, null, true],
  ]);
  const unfit = await query(platform, (open) => listUnfit(open, id));
  const record = await query(platform, (open) => findExport(open, id));
  if (record === null) throw new Error(`there is no export ${id}`);
  expect(presentExport(record, unfit)).toMatchObject({
    failure: null,
    not_marked: [{ id: annulled?.applicationId, number: annulled?.number, problems: ['not_approved'] }],
  });
});

describe('a long export', () => {
  const minute = 60_000;
  let aheadMs = 0;
  let later: Platform;
  beforeAll(() => {
    later = { ...platform, clock: { sandbox: false, now: async () => new Date(Date.now() + aheadMs) } };
    const now = performance.now.bind(performance);
    mock.method(performance, 'now', () => now() + aheadMs);
  });
  afterAll(() => mock.restoreAll());
  beforeEach(() => {
    aheadMs = 0;
  });
  const standing = async (id: number) => {
    const [row] = await query(later, (open, now) => readStandings(open, [{ process: nationalExportProcess, id }], new Map(), now));
    return { state: row?.state, reason: row?.reason };
  };

  test('is not overdue while it advances', async () => {
    const { id } = await requested('print', 4);
    const seen: unknown[] = [];
    const get: Platform['storage']['get'] = async (...object) => {
      seen.push(await standing(id));
      aheadMs += 4 * minute;
      return platform.storage.get(...object);
    };
    await build(id, { ...later, storage: { ...platform.storage, get } });
    expect(seen).toEqual(Array.from({ length: 4 }, () => ({ state: 'running', reason: null })));
    expect(await stateOf(id)).toMatchObject({ status: 'ready' });
  });

  test('is stuck without progress, also when each attempt repeats the same records', async () => {
    const { id } = await requested('print', 2);
    const away = async () => Promise.reject(new StorageUnavailableError('the storage does not answer'));
    const get: Platform['storage']['get'] = async (...object) => {
      aheadMs += 2 * minute;
      return platform.storage.get(...object);
    };
    const dying = { ...later, storage: { ...platform.storage, get, put: away } };
    await expect(build(id, dying)).rejects.toThrow();
    expect(await standing(id)).toMatchObject({ state: 'running' });
    await expect(build(id, dying)).rejects.toThrow();
    aheadMs += 2 * minute;
    expect(await standing(id)).toMatchObject({ state: 'stuck' });
  });

  test('is not overdue while its file is stored megabyte by megabyte', async () => {
    const { id } = await requested('insurance');
    const megabytes = Readable.from([1, 2, 3].map(() => Buffer.alloc(1_000_000)));
    for await (const _ of trackProgress(later, id).follow(megabytes, 1)) {
      expect(await standing(id)).toEqual({ state: 'running', reason: null });
      aheadMs += 4 * minute;
    }
    aheadMs += 2 * minute;
    expect(await standing(id)).toMatchObject({ state: 'stuck', reason: 'overdue' });
  });
});

test('the process deletes the file once after 30 days and does nothing before or after (NAT-6)', async () => {
  const { id } = await requested('insurance');
  const look = (on: Platform = platform) => executeInternal(on, nationalExportProcess, id);
  expect(await look()).toMatchObject({ stage: 'pending', isDue: true, isOver: false });
  await build(id);
  expect(await look()).toMatchObject({ stage: 'ready', waitingFor: 'date', isDue: false, isOver: false });
  const after = (ms: number): Platform => ({ ...platform, clock: { ...platform.clock, now: async () => new Date(Date.now() + ms) } });
  const later = after(30 * dayMs + 1000);
  const { fileId } = await stateOf(id);
  for (let again = 0; again < 2; again += 1) expect(await look(later)).toMatchObject({ stage: 'ready', isOver: true, timer: null });
  expect(await stateOf(id)).toMatchObject({ status: 'ready', isFileStored: false });
  // As the sweeper does.
  await purgeDeletedFiles(after(31 * dayMs));
  const file = (await filesOf('national_insurance')).find(({ id: some }) => some === fileId);
  expect(file).toMatchObject({ isThere: false, isPurged: true, isStored: false });
  const marks = await db().selectFrom('national_export_records').select('exportedAt').where('exportId', '=', id).execute();
  expect(marks).toEqual([{ exportedAt: expect.any(Date) }]);
  const deletions = await db()
    .selectFrom('audit_events')
    .select('id')
    .where('action', '=', 'file.deleted')
    .where('subjectId', '=', fileId)
    .execute();
  expect(deletions).toHaveLength(1);
  const [kept] = await db().selectFrom('national_exports').select('dueAt').where('id', '=', id).execute();
  expect(kept?.dueAt).toBeNull();
});
