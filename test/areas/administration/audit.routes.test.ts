import { wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator } = await useRegistry();

async function insertEvents(count: number, action: string, columns: { actorId?: number; impersonatedUserId?: number } = {}): Promise<void> {
  await api.sql(
    `insert into audit_events (action, actor_id, impersonated_user_id, subject_kind, subject_id, ip, request_id, at, data)
     select $2, $3, $4, 'document', n, '192.0.2.1', 'exported-' || n, timestamptz '2026-01-01 09:00+05' + n / 3 * interval '1.0000007 seconds', '{"changed": ["number"]}'
     from generate_series(1, $1::int) n`,
    [count, action, columns.actorId ?? null, columns.impersonatedUserId ?? null],
  );
}

describe.each(['/admin/audit'])('%s', (path) => {
  test('refuses unknown filters, all of them at once, and callers without admin:read', async () => {
    const answer = await administrator.get(`${path}?category=all&subject=x/y/z&colour=red`);
    expect(wrongFieldsOf(answer)).toEqual(['query.category', 'query.colour', 'query.subject']);
    const person = await api.user();
    const program = await administrator.program(['admin:write']);
    expect([(await person.get(path)).status, (await program.get(path)).status]).toEqual([403, 403]);
  });
});

test('the list names both accounts, also by their present names (AUD-3)', async () => {
  const person = await api.user('Әлия Қасымова');
  await insertEvents(1, 'names.test', { actorId: administrator.userId, impersonatedUserId: person.userId });
  await insertEvents(1, 'names.test');
  const { data } = administrator.expect(200, await administrator.get('/admin/audit?action=names.test')).body;
  const [actor] = await api.sql<{ name: string }>('select name from users where id = $1', [administrator.userId]);
  expect(data).toMatchObject([
    { actor_id: null, actor_name: null, impersonated_user_id: null, impersonated_user_name: null },
    {
      actor_id: administrator.userId,
      actor_name: actor?.name,
      impersonated_user_id: person.userId,
      impersonated_user_name: 'Әлия Қасымова',
    },
  ]);
});
