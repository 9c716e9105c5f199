import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createLongWork } from '../../../activities/long-work.ts';
import { backoffAfter } from '../../../activities/retry-later.ts';
import { findApplication } from '../../../src/areas/applications/queries.ts';
import { query } from '../../../src/platform/commands/command.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { makePhoto } from '../../support/papers/scans.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** Failures of the PDF: an error of the record stops retries, a transient one backs off. */
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
beforeAll(async () => {
  ({ platform, close } = await startTestPlatform());
  make = fixturesIn(platform);
});
afterAll(() => close());

const attempt = (id: number, count = 1, on: Platform = platform) =>
  new MockActivityEnvironment({ attempt: count }, { logger: new DefaultLogger('ERROR') }).run(createLongWork(on).makeCertificate, id);

/** An approved application with the storage key of its photo. */
async function issued() {
  const { id } = await make.application(await make.person(), { status: 'approved' });
  const fileId = (await query(platform, (db) => findApplication(db, id)))?.certificate?.snapshot.photoFileId;
  if (!fileId) throw new Error('the certificate has no photo');
  const { storageKey } = await query(platform, (db) =>
    db.selectFrom('files').select('storageKey').where('id', '=', fileId).executeTakeFirstOrThrow(),
  );
  return { id, fileId, storageKey };
}

test('a missing photo stops retries; the error names the file, not the person', async () => {
  const { id, fileId, storageKey } = await issued();
  await platform.storage.delete(storageKey);
  await expect(attempt(id)).rejects.toMatchObject({
    type: 'cannot_be_made',
    nonRetryable: true,
    message: `The PDF of the certificate cannot be generated: its photo (file ${fileId}) is missing in the storage.`,
  });
});

test('an unreadable photo stops retries; after its correction the PDF is made', async () => {
  const { id, storageKey } = await issued();
  const noPicture = Buffer.from('no picture');
  await query(platform, (db) => db.updateTable('files').set({ width: 451 }).where('storageKey', '=', storageKey).execute());
  await platform.storage.put(storageKey, noPicture, { contentType: 'image/jpeg', size: noPicture.length });
  await expect(attempt(id)).rejects.toMatchObject({ type: 'cannot_be_made', nonRetryable: true });
  const photo = await makePhoto();
  await platform.storage.put(storageKey, photo, { contentType: 'image/jpeg', size: photo.length });
  await attempt(id);
  expect((await query(platform, (db) => findApplication(db, id)))?.certificate?.pdf).not.toBeNull();
});

test('unavailable storage is retried with growing backoff and jitter', async () => {
  const { id } = await issued();
  const away = async () => Promise.reject(new StorageUnavailableError('the storage does not answer'));
  const withoutStorage: Platform = { ...platform, storage: { ...platform.storage, get: away } };
  const delays = async (count: number) =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        const failure: unknown = await attempt(id, count, withoutStorage).catch((error: unknown) => error);
        expect(failure).toMatchObject({ nonRetryable: false });
        return Number((failure as { nextRetryDelay?: number }).nextRetryDelay);
      }),
    );
  const [first, seventh] = [await delays(1), await delays(7)];
  expect(new Set(seventh).size).toBe(8);
  expect(Math.max(...first)).toBeLessThan(3_100);
  expect(Math.min(...seventh)).toBeGreaterThanOrEqual(30_000);
  expect(backoffAfter(500)).toBeLessThanOrEqual(90_000);
});
