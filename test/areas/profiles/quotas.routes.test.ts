import type { TestClient } from '../../support/client.ts';
import { athleteData } from '../../support/factories.ts';
import { useRegistry } from '../../support/use-registry.ts';

const quotas = { profiles: 3, documents: 2 };

const { api, make, administrator } = await useRegistry({
  QUOTA_PROFILES: String(quotas.profiles),
  QUOTA_DOCUMENTS: String(quotas.documents),
});

const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted((left, right) => left - right);
const exceeded = (quota: keyof typeof quotas) => ({
  status: 409,
  body: { error: { code: 'quota_exceeded', details: { quota, used: quotas[quota], limit: quotas[quota] } } },
});

test('of concurrent profiles one takes the last place, and a transfer respects the quota (PRO-10, OWN-3)', async () => {
  const [owner, target] = [await api.user(), await api.user()];
  const create = (by: TestClient, iin?: string) => by.post('/profiles', { kind: 'athlete', data: { ...athleteData, ...(iin && { iin }) } });
  for (const _ of [1, 2]) target.expect(201, await create(target));
  const answers = await Promise.all(Array.from({ length: 4 }, () => create(target)));
  expect(statusesOf(answers)).toEqual([201, 409, 409, 409]);
  expect(await create(target)).toMatchObject(exceeded('profiles'));
  expect((await target.get('/profiles')).body.meta.total).toBe(quotas.profiles);

  const profileId = await make.profile(owner);
  const preview = async () =>
    administrator.expect(200, await administrator.get(`/admin/profiles/${profileId}/owner/preview?target_user_id=${target.userId}`)).body
      .data.conflicts;
  const transfer = () =>
    administrator.put(`/admin/profiles/${profileId}/owner`, {
      current_user_id: owner.userId,
      target_user_id: target.userId,
      reason: 'The club takes its athlete over',
      password: administrator.password,
    });
  expect(await preview()).toEqual([{ code: 'quota_exceeded' }]);
  expect(await transfer()).toMatchObject(exceeded('profiles'));
  expect((await owner.get(`/profiles/${profileId}`)).status).toBe(200);
  const [first] = (await target.get('/profiles')).body.data;
  target.expect(200, await target.delete(`/profiles/${first.id}`));
  expect(await preview()).toEqual([]);
  administrator.expect(200, await transfer());
});

test('of concurrent documents one takes the last place; an unused one can be changed instead (DOC-9)', async () => {
  const owner = await api.user();
  const profileId = await make.profile(owner);
  const id = await make.document(owner, profileId);
  const files = await Promise.all(['one', 'two', 'three'].map((text) => make.file(owner, 'scan', text)));
  const answers = await Promise.all(files.map((file_id) => owner.post('/documents', { profile_id: profileId, type: 'consent', file_id })));
  expect(statusesOf(answers)).toEqual([201, 409, 409]);
  expect(await owner.post('/documents', { profile_id: profileId, type: 'consent', file_id: files[0] })).toMatchObject(
    exceeded('documents'),
  );
  owner.expect(200, await owner.patch(`/documents/${id}`, { file_id: files[1] }));
  expect((await owner.get(`/profiles/${profileId}`)).body.data.documents).toHaveLength(quotas.documents);
});
