import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClamdSimulator, eicar, startClamdSimulator } from '../../support/outside-servers/clamd.ts';
import { makePhoto, makeScan } from '../../support/papers/scans.ts';
import { useRegistry } from '../../support/use-registry.ts';

let clamd: ClamdSimulator = await startClamdSimulator();
const { api, owner } = await useRegistry({ CLAMAV_URL: clamd.url, CLAMAV_TIMEOUT_SECONDS: '1' });

afterAll(async () => {
  await clamd.close();
});
beforeEach(() => {
  clamd.mood = 'obedient';
});

/** Counts what uploads left: rows and storage objects. */
async function kept(): Promise<{ rows: number; objects: number }> {
  const entries = await readdir(join(api.platform.config.DATA_DIR, 'files'), { recursive: true, withFileTypes: true }).catch(() => []);
  const rows = await api.sql('select id from files');
  return { rows: rows.length, objects: entries.filter((entry) => entry.isFile()).length };
}

test('scans the original bytes and keeps a clean file (FIL-8)', async () => {
  const photo = await makePhoto();
  owner.expect(201, await owner.upload(photo, 'photo'));
  expect(clamd.received.at(-1)?.equals(photo)).toBe(true);
});

test.each([
  ['a PDF', () => makeScan('infected')],
  ['an image, though it is written anew', () => makePhoto()],
])('refuses an infection behind %s and keeps nothing (FIL-8)', async (_what, make) => {
  const before = await kept();
  const refused = owner.expect(422, await owner.upload(Buffer.concat([await make(), Buffer.from(`\n%${eicar}`)]), 'document'));
  expect(refused.body.error).toMatchObject({ code: 'file_rejected', details: { reason: 'infected' } });
  expect(await kept()).toEqual(before);
});

test('keeps nothing while the scanner is silent or away (FIL-8)', async () => {
  const before = await kept();
  clamd.mood = 'silent';
  const silent = owner.expect(503, await owner.upload(await makePhoto(), 'photo'));
  expect(silent.body.error.code).toBe('service_unavailable');
  expect(silent.headers.get('retry-after')).toBe('5');
  const { port } = clamd;
  await clamd.close();
  try {
    owner.expect(503, await owner.upload(await makePhoto(), 'photo'));
  } finally {
    clamd = await startClamdSimulator({ port });
  }
  expect(await kept()).toEqual(before);
  owner.expect(201, await owner.upload(await makePhoto(), 'photo'));
});
