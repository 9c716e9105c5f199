import { clearRequestRecords } from '../../../src/areas/accounts/index.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { TestClient } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The request log of a key and of an account (ACC-33). */

const { api, audit } = await useRegistry();

async function keyOf(owner: TestClient): Promise<{ id: number; program: TestClient }> {
  const program = await owner.program(['profiles:read']);
  return { id: owner.expect(200, await owner.get('/api-keys')).body.data[0].id, program };
}

const read = async (client: TestClient, path: string) => client.expect(200, await client.get(path)).body;
const waitForRequests = (client: TestClient, path: string, count: number) =>
  waitFor(
    () => read(client, path),
    ({ data }) => data.length >= count,
    'the request log',
  );

test('a key has its own requests, with status and code, without values', async () => {
  const owner = await api.user();
  const { id, program } = await keyOf(owner);
  const path = `/api-keys/${id}/requests`;
  program.expect(200, await program.get('/profiles', { 'x-request-id': 'the-first-request' }));
  program.expect(404, await program.get('/profiles/999999'));
  program.expect(403, await program.get('/wallet'));
  const { data, meta } = await waitForRequests(owner, path, 3);
  expect(data.map(({ route, status, code }: Record<string, unknown>) => [route, status, code])).toEqual([
    ['/wallet', 403, 'insufficient_scope'],
    ['/profiles/:id', 404, 'not_found'],
    ['/profiles', 200, null],
  ]);
  expect(data[2]).toEqual({
    request_id: 'the-first-request',
    at: expect.stringMatching(/\+05:00$/),
    method: 'GET',
    route: '/profiles',
    status: 200,
    code: null,
    duration_ms: expect.any(Number),
  });
  expect(meta).toEqual({ next: null });

  const page = await read(owner, `${path}?limit=2`);
  expect(page.data).toHaveLength(2);
  expect((await read(owner, `${path}?limit=2&after=${page.meta.next}`)).data).toEqual([data[2]]);
  expect((await read(owner, `${path}?status=404`)).data).toEqual([data[1]]);
});

test('is for the owner of the key and for administrators, whose read is audited', async () => {
  const [owner, administrator] = [await api.user(), await api.administrator()];
  const { id, program } = await keyOf(owner);
  expect((await program.get(`/api-keys/${id}/requests`)).status).toBe(403);
  expect((await administrator.get('/admin/users/999999/requests')).status).toBe(404);
  const { data } = await waitForRequests(administrator, `/admin/users/${owner.userId}/requests?status=403`, 1);
  expect(data[0]).toMatchObject({ route: '/api-keys/:id/requests', code: 'browser_session_required' });
  const read = { action: 'user.read', actor_id: administrator.userId, data: { part: 'requests' } };
  expect(await audit('user', owner.userId)).toContainEqual(expect.objectContaining(read));
  for (const query of ['status=0', 'status=600', 'after=x', 'limit=101', 'page=1'])
    expect([query, (await owner.get(`/api-keys/${id}/requests?${query}`)).status]).toEqual([query, 422]);
});

test('ends after seven days', async () => {
  const owner = await api.user();
  const { id } = await keyOf(owner);
  await api.sql(
    `insert into request_records (user_id, key_id, request_id, method, route, status, duration_ms, at)
     select $1, $2, 'old', 'GET', '/profiles', 200, 1, now() - n * interval '1 day' - interval '1 minute' from unnest(array[6, 7]) n`,
    [owner.userId, id],
  );
  expect((await read(owner, `/api-keys/${id}/requests`)).data).toHaveLength(1);
  await clearRequestRecords({ db: databaseOf(api.platform.orm.em.fork()) });
  const left = await api.sql('select 1 from request_records where key_id = $1', [id]);
  expect(left).toHaveLength(1);
});
