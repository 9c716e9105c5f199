import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { TestClient } from '../../support/client.ts';
import { makeScan } from '../../support/papers/scans.ts';
import { administratorPassword as password } from '../../support/sign-up.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api } = await useRegistry();

/** More than the buffers between the service and a client hold. */
const size = 20 * 1024 * 1024;

/** A download by a client that needs half a minute for the file, until it hurries. */
async function readSlowly({ baseUrl, cookie, key }: TestClient, path: string) {
  const headers = key === null ? { cookie: cookie ?? '' } : { authorization: `Bearer ${key}` };
  const [response] = (await once(get(`${baseUrl}/api/v1${path}`, { headers }), 'response')) as [IncomingMessage];
  const download = { status: response.statusCode, received: 0, end: null as 'whole' | 'cut off' | null, isSlow: true };
  const read = async () => {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      download.received += chunk.length;
      if (download.isSlow) await setTimeout(100);
    }
  };
  void read().then(
    () => (download.end = 'whole'),
    () => (download.end = 'cut off'),
  );
  return download;
}

test('ACC-35: a download is cut off when its caller is demoted, blocked or signed out, or its key revoked; others go on', async () => {
  const administrator = await api.administrator();
  const [owner, demoted, blocked, signedOut, holder] = await Promise.all([api.user(), api.user(), api.user(), api.user(), api.user()]);
  await api.sql(`update users set role = 'administrator' where id = any($1)`, [
    [demoted, blocked, signedOut, holder].map(({ userId }) => userId),
  ]);
  const program = await holder.program(['files:read', 'admin:read']);
  const [{ id: keyId }] = holder.expect(200, await holder.get('/api-keys')).body.data;
  const scan = await makeScan('long');
  const file = Buffer.concat([scan, Buffer.alloc(size - scan.length, '%')]);
  const path = `/files/${owner.expect(201, await owner.upload(file, 'scan', 'long.pdf')).body.data.id}`;

  const stays = await readSlowly(owner, path);
  const ending = await Promise.all([demoted, blocked, signedOut, program].map((client) => readSlowly(client, path)));
  expect([stays, ...ending].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  administrator.expect(200, await administrator.patch(`/admin/users/${demoted.userId}`, { role: 'user', password }));
  administrator.expect(200, await administrator.patch(`/admin/users/${blocked.userId}`, { status: 'blocked', password }));
  signedOut.expect(200, await signedOut.post('/auth/logout'));
  holder.expect(200, await holder.delete(`/api-keys/${keyId}`, { password: holder.password }));
  await waitFor(
    () => ending,
    (downloads) => downloads.every(({ end }) => end !== null),
    'the end of the downloads',
  );
  expect(ending.map(({ end, received }) => [end, received < size])).toEqual(ending.map(() => ['cut off', true]));
  expect(stays.end).toBeNull();
  stays.isSlow = false;
  await waitFor(
    () => stays,
    ({ end }) => end !== null,
    'the whole file',
  );
  expect([stays.end, stays.received]).toEqual(['whole', size]);
});
