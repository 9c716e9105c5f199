import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { executeInternal } from '../../../activities/execute.ts';
import { createLongWork } from '../../../activities/long-work.ts';
import { purgeDeletedFiles } from '../../../src/areas/files/index.ts';
import { accountExportProcess } from '../../../src/areas/privacy/index.ts';
import { requestExport } from '../../../src/areas/privacy/exports/request-export.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { dayMs } from '../../../src/platform/time/date-time.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** Repeated, concurrent and interrupted attempts make the archive of an export once and whole (PRV-2). */
const started = await startTestPlatform();
afterAll(() => started.close());
const platform: Platform = { ...started.platform, outbox: relayOnlyOutbox, clock: systemClock };
const make = fixturesIn(platform);
const db = databaseOf(platform.orm.em.fork());

const build = (id: number, on: Platform = platform): Promise<void> =>
  new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(createLongWork(on).buildAccountExport, id);
const look = (id: number, on: Platform = platform) => executeInternal(on, accountExportProcess, id);

async function requested() {
  const member = await make.person();
  await make.file(member, 'scan');
  const { id } = await commit(platform, member.caller, (ctx) => requestExport(ctx, member.userId));
  return { id, member };
}

/** The archives of an account, with whether their bytes are in storage. */
async function archivesOf(userId: number) {
  const rows = await db
    .selectFrom('files')
    .select(['id', 'storageKey', 'deletedAt', 'purgedAt'])
    .where('ownerId', '=', userId)
    .where('purpose', '=', 'account_export')
    .execute();
  return Promise.all(
    rows.map(async ({ storageKey, deletedAt, purgedAt }) => ({
      isThere: deletedAt === null,
      isPurged: purgedAt !== null,
      isStored: (await platform.storage.stat(storageKey)) !== null,
    })),
  );
}

test('two attempts at once, and one later, make one archive', async () => {
  const { id, member } = await requested();
  await Promise.all([build(id), build(id)]);
  await build(id);
  const archives = await archivesOf(member.userId);
  expect(archives.filter(({ isThere }) => isThere)).toEqual([{ isThere: true, isPurged: false, isStored: true }]);
  expect(archives.filter(({ isThere, isPurged }) => !isThere && !isPurged)).toEqual([]);
  const told = await db.selectFrom('notifications').select('type').where('userId', '=', member.userId).execute();
  expect(told.filter(({ type }) => type === 'account_export.made')).toHaveLength(1);
});

test('an attempt that loses its storage leaves nothing, and the next one makes the archive', async () => {
  const { id, member } = await requested();
  const broken = { ...platform.storage, put: () => Promise.reject(new StorageUnavailableError('away')) } as Platform['storage'];
  await expect(build(id, { ...platform, storage: Object.assign(Object.create(platform.storage), broken) })).rejects.toThrow();
  expect(await look(id)).toMatchObject({ stage: 'due', isDue: true, isOver: false });
  expect((await archivesOf(member.userId)).filter(({ isThere, isStored }) => isThere || isStored)).toEqual([]);
  await build(id);
  expect(await look(id)).toMatchObject({ stage: 'ready', waitingFor: 'date', isDue: false });
});

test('the process deletes the archive once after seven days, and does nothing before or after', async () => {
  const { id, member } = await requested();
  await build(id);
  const after = (ms: number): Platform => ({ ...platform, clock: { ...platform.clock, now: async () => new Date(Date.now() + ms) } });
  expect(await look(id, after(7 * dayMs - 60_000))).toMatchObject({ stage: 'ready', isOver: false });
  for (const again of [1, 2])
    expect([again, await look(id, after(7 * dayMs + 1000))]).toMatchObject([again, { stage: 'expired', isOver: true }]);
  await purgeDeletedFiles(after(8 * dayMs));
  expect(await archivesOf(member.userId)).toEqual([{ isThere: false, isPurged: true, isStored: false }]);
});
