import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createActivities } from '../../../activities/index.ts';
import { retryLater } from '../../../activities/retry-later.ts';
import { recordFailure } from '../../../activities/troubles.ts';
import { documentProcess } from '../../../src/areas/documents/process.ts';
import { nationalExportProcess } from '../../../src/areas/national/exports/process.ts';
import { requestExport } from '../../../src/areas/national/exports/request-export.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { processRef } from '../../../src/platform/workflows/process-ref.ts';
import { StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { clearResolvedTroubles, readTroubles, reconsiderStep } from '../../../src/platform/workflows/process-troubles.ts';
import { countStatements } from '../../support/count-statements.ts';
import { fixturesIn } from '../../support/factories.ts';
import { certificateFixtures } from '../../support/factories/certificates.ts';
import { setList } from '../../support/factories/national-lists.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** The record of failing steps, and its cost for steps that succeed. */

const now = new Date('2026-06-15T12:00:00+05:00');
let platform: Platform;
let close: () => Promise<void>;

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: { sandbox: false, now: async () => now } };
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const troublesOf = (process: string) =>
  db()
    .selectFrom('process_troubles')
    .select(['step', 'tries', 'code', 'isStuck'])
    .where('process', '=', processRef('document', Number(process.split('/')[1])))
    .orderBy('step')
    .execute();

/** A worker whose log is silent. */
const quiet = { logger: new DefaultLogger('ERROR') };

/** An attempt of a step, as Temporal counts it. */
const attempt = (process: `${string}/${string}`, work: () => Promise<unknown>, { count = 1, step = reconsiderStep, isLong = false } = {}) =>
  new MockActivityEnvironment({ attempt: count }, quiet).run(() => recordFailure(platform, { process, step, isLong }, work));

const failing =
  (type: string, nonRetryable = false) =>
  async () => {
    throw ApplicationFailure.create({ message: 'it fails', type, nonRetryable });
  };
const fine = async () => 'fine';

async function makeDocument(): Promise<number> {
  const fixtures = fixturesIn(platform);
  const owner = await fixtures.person();
  return fixtures.document(owner, await fixtures.profile(owner), { expiresAt: '2034-01-10' });
}

test('a step that succeeds at once costs nothing; one that failed before costs a deletion', async () => {
  const id = await makeDocument();
  const activities: Record<string, unknown> = createActivities(platform);
  const reconsider = activities['document.reconsider'] as (id: number) => Promise<unknown>;
  const costOf = async (count: number) => {
    const { statements } = await countStatements(() => new MockActivityEnvironment({ attempt: count }, quiet).run(() => reconsider(id)));
    return statements.length;
  };
  expect(await costOf(1)).toBe(1);
  expect(await costOf(2)).toBe(2);
});

test.each([
  ['because of its record', 'internal_error', reconsiderStep, 4],
  ['because the world is away', 'service_unavailable', reconsiderStep, 6],
  ['as long work, again and again', 'internal_error', 'makeCertificate', 6],
])('a step that fails %s is stuck in time', async (_why, code, step, stuckAfter) => {
  const process = processRef('document', await makeDocument());
  for (let count = 1; count <= stuckAfter; count += 1) {
    await expect(attempt(process, failing(code), { count, step })).rejects.toThrow('it fails');
    expect(await troublesOf(process)).toEqual([{ step, tries: count, code, isStuck: count === stuckAfter }]);
  }
  await expect(attempt(process, fine, { count: 2, step })).resolves.toBe('fine');
  expect(await troublesOf(process)).toEqual([]);
});

test('a refusal is stuck at once; finished long work clears its own failure only (ADM-3)', async () => {
  const process = processRef('document', await makeDocument());
  await expect(attempt(process, failing('cannot_be_made', true), { step: 'makeCertificate', isLong: true })).rejects.toThrow();
  await expect(attempt(process, failing('internal_error'))).rejects.toThrow();
  expect(await troublesOf(process)).toMatchObject([
    { step: 'makeCertificate', code: 'cannot_be_made', isStuck: true },
    { step: 'reconsider', isStuck: false },
  ]);
  await attempt(process, fine, { step: 'makeCertificate', isLong: true });
  expect(await troublesOf(process)).toMatchObject([{ step: 'reconsider' }]);
});

test('work that stops with its worker has not failed', async () => {
  const process = processRef('document', await makeDocument());
  const stopped = () => retryLater(async () => Promise.reject(new CancelledFailure('WORKER_SHUTDOWN')));
  await expect(attempt(process, stopped, { step: 'makeCertificate', isLong: true })).rejects.toThrow(CancelledFailure);
  expect(await troublesOf(process)).toEqual([]);
});

test('a failed export file is recorded with its process, under the name that a retry uses, until it succeeds', async () => {
  const administrator = await fixturesIn(platform).administrator();
  const { applicationId } = await certificateFixtures(platform)();
  await setList(platform, administrator.userId, 'print', [applicationId]);
  const { id } = await commit({ ...platform, clock: systemClock }, administrator.caller, (ctx) =>
    requestExport(ctx, 'print', [applicationId]),
  );
  const put = async () => Promise.reject(new StorageUnavailableError('the storage does not answer'));
  const build = (on: Platform) =>
    new MockActivityEnvironment({}, quiet).run(createActivities({ ...on, clock: systemClock }).buildNationalExport, id);
  const warnings: unknown[] = [];
  const warn = (facts: unknown) => void warnings.push(facts);
  const log = { ...platform.log, warn, info: () => undefined, error: () => undefined } as unknown as Platform['log'];
  const troubles = () => db().selectFrom('process_troubles').selectAll().where('kind', '=', 'national-export').execute();
  await expect(build({ ...platform, log, storage: { ...platform.storage, put } })).rejects.toMatchObject({ nonRetryable: false });
  expect(warnings).toMatchObject([{ process: `national-export/${id}`, cause: 'the storage does not answer' }]);
  expect(await troubles()).toMatchObject([
    { recordId: id, step: nationalExportProcess.contract.longWork.activity, tries: 1, isStuck: false },
  ]);
  await build(platform);
  expect(await troubles()).toEqual([]);
});

test('a failure that cannot be recorded does not change the step', async () => {
  const away = { ...platform, orm: {} as Platform['orm'], log: { ...platform.log, warn: () => undefined } as unknown as Platform['log'] };
  const process = processRef('document', 1);
  const step = () => recordFailure(away, { process, step: reconsiderStep, isLong: true }, fine);
  await expect(new MockActivityEnvironment({ attempt: 1 }, quiet).run(step)).resolves.toBe('fine');
  const failed = () => recordFailure(away, { process, step: reconsiderStep }, failing('invalid_state', true));
  await expect(new MockActivityEnvironment({ attempt: 1 }, quiet).run(failed)).rejects.toMatchObject({ type: 'invalid_state' });
});

test('the sweeper removes obsolete failures page by page, and keeps the rest', async () => {
  await db().deleteFrom('process_troubles').execute();
  const ids = [await makeDocument(), await makeDocument(), await makeDocument()];
  const [calm = 0, due = 0, over = 0] = ids;
  await db().updateTable('documents').set({ expiresAt: '2026-06-01' }).where('id', '=', due).execute();
  await db().updateTable('documents').set({ status: 'cancelled' }).where('id', '=', over).execute();
  const refs = [...ids, 2_000_000_000].map((id) => processRef('document', id));
  for (const process of refs)
    for (const step of [reconsiderStep, 'makeCertificate']) await expect(attempt(process, failing('x', true), { step })).rejects.toThrow();
  let behind: string | null = null;
  let cleared = 0;
  do {
    const page = await readTroubles(db(), behind, 3);
    cleared += await clearResolvedTroubles(db(), [documentProcess], page.troubles, { running: new Set(), now });
    behind = page.next;
  } while (behind !== null);
  expect(cleared).toBe(5);
  const left = await db().selectFrom('process_troubles').select(['process', 'step']).orderBy('process').orderBy('step').execute();
  expect(left).toEqual(
    [
      { process: processRef('document', calm), step: 'makeCertificate' },
      { process: processRef('document', due), step: 'makeCertificate' },
      { process: processRef('document', due), step: reconsiderStep },
    ].toSorted((a, b) => (`${a.process} ${a.step}` < `${b.process} ${b.step}` ? -1 : 1)),
  );
});
