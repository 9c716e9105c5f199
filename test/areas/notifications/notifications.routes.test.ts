import { botChannel } from '../../../src/areas/notifications/index.ts';
import type { TestClient } from '../../support/client.ts';
import { tell } from '../../support/factories/notifications.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

/** A person with notifications about documents 1 to `count`. */
async function notified(count: number): Promise<TestClient> {
  const person = await api.user();
  await tell(api.platform, person.userId, ...Array.from({ length: count }, (_, at) => at + 1));
  return person;
}
const list = async (client: TestClient, query = '') => client.expect(200, await client.get(`/notifications${query}`)).body;
const subjectsOf = (body: { data: { subject: { id: string } }[] }) => body.data.map(({ subject }) => Number(subject.id));

describe('GET /notifications', () => {
  test('shows notifications as text, the newest first', async () => {
    const person = await notified(3);
    const body = await list(person);
    expect(subjectsOf(body)).toEqual([3, 2, 1]);
    expect(body.meta).toEqual({ total: 3, page: 1, limit: 20, unread: 3 });
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      type: 'document.approved',
      title: expect.stringMatching(/./),
      text: expect.stringMatching(/3/),
      subject: { kind: 'document', id: '3' },
      created_at: expect.stringMatching(/\+05:00$/),
      read_at: null,
    });
  });

  test('API-5: is paged', async () => {
    const person = await notified(5);
    const body = await list(person, '?page=2&limit=2');
    expect(subjectsOf(body)).toEqual([3, 2]);
    expect(body.meta).toEqual({ total: 5, page: 2, limit: 2, unread: 5 });
  });

  test('filters by read and unread; the counter is that of the account', async () => {
    const person = await notified(4);
    const [newest] = (await list(person)).data;
    person.expect(200, await person.post(`/notifications/${newest.id}/read`));
    const unread = await list(person, '?unread=true');
    expect([subjectsOf(unread), unread.meta]).toEqual([[3, 2, 1], { total: 3, page: 1, limit: 20, unread: 3 }]);
    const read = await list(person, '?unread=false');
    expect([subjectsOf(read), read.meta]).toEqual([[4], { total: 1, page: 1, limit: 20, unread: 3 }]);
    expect((await person.get('/notifications?unread=yes')).body.error.code).toBe('validation_failed');
    expect((await person.get('/notifications?unread=true&since=1')).body.error.code).toBe('validation_failed');
  });

  test('shows nothing of other accounts, and nothing to keys without the scope', async () => {
    const [person, other] = [await notified(1), await api.user()];
    expect((await list(other)).data).toEqual([]);
    const program = await person.program(['notifications:write']);
    expect((await program.get('/notifications')).body.error.code).toBe('insufficient_scope');
    const reader = await person.program(['notifications:read']);
    expect((await list(reader)).meta.total).toBe(1);
    const [{ id }] = (await list(reader)).data;
    expect((await reader.post(`/notifications/${id}/read`)).body.error.code).toBe('insufficient_scope');
  });
});

describe('read marks', () => {
  test('NOT-6: count, and the first one stays', async () => {
    const person = await notified(2);
    const unread = async () => person.expect(200, await person.get('/notifications/unread')).body.data;
    expect(await unread()).toEqual({ unread: 2 });
    const [newest] = (await list(person)).data;
    const first = person.expect(200, await person.post(`/notifications/${newest.id}/read`)).body.data;
    expect(first).toEqual({ ...newest, read_at: expect.stringMatching(/\+05:00$/) });
    await api.sql(`update notifications set read_at = read_at - interval '1 day' where id = $1`, [newest.id]);
    const again = person.expect(200, await person.post(`/notifications/${newest.id}/read`)).body.data;
    expect(Date.parse(again.read_at)).toBe(Date.parse(first.read_at) - 86_400_000);
    expect(await unread()).toEqual({ unread: 1 });
  });

  test('are hidden from other accounts', async () => {
    const [person, other] = [await notified(1), await api.user()];
    const [{ id }] = (await list(person)).data;
    expect((await other.post(`/notifications/${id}/read`)).body.error.code).toBe('not_found');
    expect((await other.post('/notifications/2147483647/read')).body.error.code).toBe('not_found');
    other.expect(200, await other.post('/notifications/read', { up_to_id: id }));
    expect((await list(person)).meta.unread).toBe(1);
  });

  test('mark one and all before it; later ones stay unread', async () => {
    const person = await notified(5);
    const { data } = await list(person);
    const [, second, , , oldest] = data;
    person.expect(200, await person.post(`/notifications/${oldest.id}/read`));
    const [{ read_at: before }] = (await list(person, '?unread=false')).data;
    const answer = person.expect(200, await person.post('/notifications/read', { up_to_id: second.id }));
    expect(answer.body.data).toEqual({ unread: 1 });
    expect(subjectsOf(await list(person, '?unread=true'))).toEqual([5]);
    expect((await list(person, '?unread=false')).data.at(-1).read_at).toBe(before);
    const again = person.expect(200, await person.post('/notifications/read', { up_to_id: second.id }));
    expect(again.body.data).toEqual({ unread: 1 });
    expect((await person.post('/notifications/read', {})).body.error.code).toBe('validation_failed');
  });

  test('NOT-6: are audited only under impersonation, with both accounts', async () => {
    const person = await notified(2);
    const [newest, oldest] = (await list(person)).data;
    person.expect(200, await person.post(`/notifications/${newest.id}/read`));
    const administrator = await api.administrator();
    const password = administrator.password;
    const acting = await administrator.post('/admin/impersonate', { user_id: person.userId, password });
    administrator.csrf = administrator.expect(200, acting).body.data.csrf_token;
    expect((await list(administrator)).data.map(({ id }: { id: number }) => id)).toEqual([newest.id, oldest.id]);
    for (let twice = 0; twice < 2; twice += 1) administrator.expect(200, await administrator.post(`/notifications/${oldest.id}/read`));
    administrator.expect(200, await administrator.post('/notifications/read', { up_to_id: newest.id }));
    const by = { actor_id: administrator.userId, impersonated_user_id: person.userId };
    expect(await audit('notification', oldest.id)).toMatchObject([{ ...by, action: 'notification.marked_read', data: {} }]);
    expect(await audit('notification', newest.id)).toEqual([]);
  });
});

test('without a bot its routes say so, with a Retry-After of an hour, and its channel sends nothing', async () => {
  const person = await api.user();
  const answers = await Promise.all([
    person.get('/messaging-bot'),
    person.post('/messaging-bot'),
    person.delete('/messaging-bot'),
    person.post('/messaging-bot/webhook', { any: 'thing' }),
  ]);
  for (const { status, body, headers } of answers)
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'messaging_bot_disabled', '3600']);
  const [channel] = api.platform.extensions.of(botChannel);
  expect(await channel?.send(api.platform, person.userId, { title: 'x', link: 'x', requestId: 'x' })).toBe('not_linked');
  expect((await api.browser().get('/messaging-bot')).status).toBe(401);
});
