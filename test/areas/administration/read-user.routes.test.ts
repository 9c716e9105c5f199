import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();

describe('GET /admin/users/{id}', () => {
  test('has the fields of the list, the profiles and the balance, and leaves a row (ADM-7)', async () => {
    const person = await api.user('Әлия Қасымова');
    const profileId = await make.profile(person, { status: 'pending' });
    await make.money(person, 12_500_00);
    const { data } = administrator.expect(200, await administrator.get(`/admin/users/${person.userId}`)).body;
    const { data: list } = administrator.expect(200, await administrator.get(`/admin/users?q=${person.userId}`)).body;
    const listed = list.find(({ id }: { id: number }) => id === person.userId);
    const profile = person.expect(200, await person.get(`/profiles/${profileId}`)).body.data;
    const { name, photo_status } = profile;
    expect(data).toEqual({
      ...listed,
      balance_minor: 12_500_00,
      last_export: null,
      profiles: [{ id: profileId, kind: 'athlete', name, status: 'pending', photo_status }],
    });
    expect((await audit('user', person.userId)).filter(({ action }) => action === 'user.read')).toMatchObject([
      { actor_id: administrator.userId, data: {} },
    ]);
  });

  test('is audited for other accounts only, and refuses unknown ids and other callers (ADM-7)', async () => {
    const { data } = administrator.expect(200, await administrator.get(`/admin/users/${administrator.userId}`)).body;
    expect(data).toMatchObject({ id: administrator.userId, role: 'administrator', balance_minor: 0, profiles: [] });
    expect((await audit('user', administrator.userId)).filter(({ action }) => action === 'user.read')).toEqual([]);
    expect((await administrator.get('/admin/users/999999')).status).toBe(404);
    expect((await administrator.get('/admin/users/x')).status).toBe(422);
    const person = await api.user();
    expect((await person.get(`/admin/users/${person.userId}`)).status).toBe(403);
    const program = await administrator.program(['admin:write']);
    expect((await program.get(`/admin/users/${person.userId}`)).status).toBe(403);
  });
});
