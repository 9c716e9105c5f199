import { createClient, type RegistryClient } from '../../client/src/index.ts';
import type { TestClient } from '../support/client.ts';
import { startLossyProxy } from '../support/outside-servers/lossy-proxy.ts';
import { makePhoto, makeScan } from '../support/papers/scans.ts';
import { useRegistry } from '../support/use-registry.ts';

/** The client and the real API, with a proxy between them that loses the answers to writes (API-6). */

const { api } = await useRegistry();

const scopes = ['profiles:read', 'profiles:write', 'files:write', 'applications:read', 'applications:write', 'changes:read'];

const athlete = { last_name: 'Әбдіқадырұлы', first_name: 'Ғалым', birth_date: '1990-05-17', gender: 'male', citizenship: 'KZ' } as const;

/** Makes an application with its profile, files and documents, in eight writes. */
async function makeApplication(client: RegistryClient) {
  const file = async (content: Buffer, purpose: string, name: string) =>
    (await client.upload(purpose, new Blob([new Uint8Array(content)]), name)).id;
  const photo_id = await file(await makePhoto(), 'photo', 'photo.jpg');
  const { data: profile } = await client.POST('/profiles', {
    body: { kind: 'athlete', data: athlete, photo_id },
  });
  const scan = {
    profile_id: profile.id,
    file_id: await file(await makeScan('scan'), 'identity', 'scan.pdf'),
    number: 'N77654321',
    country: 'KZ',
    issued_at: '2024-01-10',
  } as const;
  const { data: document } = await client.POST('/documents', { body: { ...scan, type: 'identity' } });
  const { data: medical } = await client.POST('/documents', { body: { ...scan, type: 'medical' } });
  await client.POST('/profiles/{id}/submit', { params: { path: { id: profile.id } } });
  const { data: draft } = await client.POST('/applications', {
    body: {
      profile_id: profile.id,
      service_id: 1,
      document_ids: [document.id, medical.id],
      data: { insurance_territory: 'KZ', sport: 'Автоспорт' },
    },
  });
  const { data: application } = await client.POST('/applications/{id}/submit', { params: { path: { id: draft.id } } });
  return { profile, application };
}

/** Number of facts that an account brought about; each command writes its own in its transaction (AUD-2). */
async function factsOf({ userId }: TestClient): Promise<Record<string, number>> {
  const rows = await api.sql<{ action: string; count: number }>(
    `select action, count(*)::int as count from audit_events where actor_id = $1 and subject_kind in ('profile', 'file', 'document', 'application')
     group by action order by action`,
    [userId],
  );
  return Object.fromEntries(rows.map(({ action, count }) => [action, count]));
}

test('each write takes effect once when its connection is lost twice', async () => {
  const person = await api.user();
  const proxy = await startLossyProxy(api.url, ['early', 'half']);
  try {
    const client = createClient({ baseUrl: proxy.url, apiKey: await person.makeKey(scopes) });
    const { profile, application } = await makeApplication(client);
    expect(await factsOf(person)).toEqual({
      'application.created': 1,
      'application.submitted': 1,
      'document.created': 2,
      'file.uploaded': 2,
      'profile.created': 1,
      'profile.submitted': 1,
    });
    // The answers are those of the records, as a browser reads them.
    expect((await person.get(`/profiles/${profile.id}`)).body.data).toMatchObject({ id: profile.id, status: 'pending' });
    expect((await person.get(`/applications/${application.id}`)).body.data).toMatchObject({ id: application.id, status: 'submitted' });
    expect(application.status).toBe('submitted');
    expect(proxy.attempts.size).toBe(8);
    expect([...proxy.attempts.values()].filter((count) => count < 3)).toEqual([]);
  } finally {
    await proxy.close();
  }
});

test('a refusal of a repeated write is thrown with its code and fields', async () => {
  const person = await api.user();
  const proxy = await startLossyProxy(api.url, ['late']);
  try {
    const client = createClient({ baseUrl: `${proxy.url}/api/v1/`, apiKey: await person.makeKey(scopes) });
    await expect(client.POST('/applications/{id}/submit', { params: { path: { id: 999_999 } } })).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    });
    const body = { kind: 'athlete', data: { ...athlete, iin: 'wrong' } } as const;
    await expect(client.POST('/profiles', { body })).rejects.toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ path: 'body.data.iin' }] },
    });
    await expect(
      client.POST('/invoices', { body: { amount: '10.00' }, params: { header: { 'Idempotency-Key': 'one' } } }),
    ).rejects.toMatchObject({ code: 'insufficient_scope' });
  } finally {
    await proxy.close();
  }
});

test('a program lists and follows what it made', async () => {
  const person = await api.user();
  const client = createClient({ baseUrl: api.url, apiKey: await person.makeKey(scopes) });
  const { meta } = await client.GET('/changes');
  const { application } = await makeApplication(client);
  const ids: number[] = [];
  for await (const { id } of client.list('/applications', { params: { query: { limit: 1 } } })) ids.push(id);
  expect(ids).toEqual([application.id]);
  const seen: string[] = [];
  const end = new AbortController();
  for await (const { type, subject } of client.changes({ after: meta.next, pauseMs: 50, signal: end.signal })) {
    seen.push(type);
    if (type === 'registry.application.submitted.v1') {
      expect(subject).toBe(`application/${application.id}`);
      end.abort();
    }
  }
  expect(seen).toEqual(
    expect.arrayContaining(['registry.file.uploaded.v1', 'registry.profile.created.v1', 'registry.document.created.v1']),
  );
  expect(seen.filter((type) => type === 'registry.application.submitted.v1')).toHaveLength(1);
});
