import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { mock } from 'node:test';
import { reserveFile } from '../../../src/areas/files/quota.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { Caller } from '../../../src/platform/commands/context.ts';
import { pixelBomb } from '../../platform/files/hostile-files.ts';
import type { TestClient } from '../../support/client.ts';
import { makePhoto } from '../../support/papers/scans.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const quotaFiles = 3;
const quotaBytes = 3_000_000;
const uploadsPerHour = 8;

const { api } = await useRegistry({
  QUOTA_FILES: String(quotaFiles),
  QUOTA_BYTES: String(quotaBytes),
  RATE_LIMIT_UPLOADS_PER_HOUR: String(uploadsPerHour),
});

/** Sends only the headers of an upload, with the announced body length. */
function announce(person: TestClient, bytes: number): Promise<{ status: number; headers: IncomingHttpHeaders; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}/api/v1/files`, {
      method: 'POST',
      headers: {
        cookie: person.cookie ?? '',
        'x-csrf-token': person.csrf ?? '',
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': String(bytes),
      },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      void json(answer).then((body) => {
        sent.destroy();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
      }, reject);
    });
    sent.flushHeaders();
  });
}

function reserve(person: TestClient, size: number): Promise<void> {
  const caller: Caller = { actor: { kind: 'process' }, requestId: 'reserve-in-test', ip: null };
  const file = {
    id: randomUUID(),
    storageKey: randomUUID(),
    ownerId: person.userId,
    purpose: 'photo',
    name: 'a.jpg',
    mime: 'image/jpeg' as const,
    size,
    sha256: '0'.repeat(64),
    width: 1,
    height: 1,
    pages: null,
  };
  return commit(api.platform, caller, (ctx) => reserveFile(ctx, file, api.platform.config));
}

test('limits the number of files; a deleted file frees its place (FIL-3)', async () => {
  const person = await api.user();
  const ids: string[] = [];
  for (let shade = 0; shade < quotaFiles; shade += 1)
    ids.push(person.expect(201, await person.upload(await makePhoto(shade), 'photo')).body.data.id);
  const refused = person.expect(409, await person.upload(await makePhoto(9), 'photo'));
  expect(refused.body.error).toMatchObject({
    code: 'quota_exceeded',
    details: { quota: 'files', used: quotaFiles, limit: quotaFiles },
  });
  expect(refused.headers.get('retry-after')).toBeNull();
  const other = await api.user();
  other.expect(201, await other.upload(await makePhoto(1), 'photo'));
  person.expect(200, await person.delete(`/files/${ids[0]}`));
  person.expect(201, await person.upload(await makePhoto(9), 'photo'));
});

test('only one of many concurrent uploads takes the last place, by number and by size (FIL-3)', async () => {
  const [byNumber, bySize] = await Promise.all([api.user(), api.user()]);
  await Promise.all([reserve(byNumber, 1), reserve(byNumber, 1), reserve(bySize, quotaBytes - 100)]);
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(() => reserve(byNumber, 1)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: 'quota_exceeded', details: { quota: 'files', used: 3, limit: 3 } });
  const sizes = await Promise.allSettled([100, 100].map((size) => reserve(bySize, size)));
  expect(sizes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(sizes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'quota_exceeded', details: { quota: 'bytes', used: quotaBytes, limit: quotaBytes } },
  });
});

test('refuses an upload over the quota by its announced length, before the body is sent (FIL-3)', async () => {
  const person = await api.user();
  await reserve(person, 1000);
  const { status, body } = await announce(person, quotaBytes + 100_000);
  expect(status).toBe(409);
  expect(body).toMatchObject({ error: { code: 'quota_exceeded', details: { quota: 'bytes', used: 1000, limit: quotaBytes } } });
});

test('limits uploads an hour for each account, failed ones included (FIL-3)', async () => {
  const [person, other] = await Promise.all([api.user(), api.user()]);
  for (let sent = 0; sent < uploadsPerHour; sent += 1) person.expect(422, await person.upload(Buffer.from(`text ${sent}`), 'photo'));
  const refused = person.expect(409, await person.upload(await makePhoto(), 'photo'));
  expect(refused.body.error).toMatchObject({
    code: 'quota_exceeded',
    details: { quota: 'uploads_per_hour', used: uploadsPerHour, limit: uploadsPerHour },
  });
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(3000);
  expect(wait).toBeLessThanOrEqual(3600);
  other.expect(201, await other.upload(await makePhoto(), 'photo'));
});

test('refuses more than two waiting files of an account; a disconnected client frees its turn (FIL-2)', async () => {
  const [greedy, other] = await Promise.all([api.user(), api.user()]);
  const image = pixelBomb(5000, 7900);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => greedy.upload(image, 'photo')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.body.error).toMatchObject({ code: 'rate_limited' });
  expect(refused[0]?.headers.get('retry-after')).toBe('5');
  const form = new FormData();
  form.set('purpose', 'photo');
  form.set('file', new Blob([new Uint8Array(pixelBomb(6000, 6600))]), 'large.png');
  const controller = new AbortController();
  const inspect = mock.method(api.platform.inspector, 'inspect');
  const left = fetch(`${api.url}/api/v1/files`, {
    method: 'POST',
    headers: { cookie: other.cookie ?? '', 'x-csrf-token': other.csrf ?? '' },
    body: form,
    signal: controller.signal,
  });
  await waitFor(
    async () => inspect.mock.callCount(),
    (begun) => begun > 0,
    'the examination',
  );
  controller.abort();
  await expect(left).rejects.toThrow();
  await expect(inspect.mock.calls[0]?.result).rejects.toThrow('the client disconnected');
  inspect.mock.restore();
  expect(await api.sql('select id from files where owner_id = $1', [other.userId])).toEqual([]);
});
