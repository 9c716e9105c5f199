import { parse } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dayMs } from '../../../src/platform/time/date-time.ts';
import type { TestClient } from '../../support/client.ts';
import { signingFixtures } from '../../support/factories/signings.ts';
import { readZip } from '../../support/papers/read-zip.ts';
import { refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';
import { waitFor } from '../../support/wait-for.ts';

const { api, make, owner, administrator, audit } = await useRegistry();

const request = (client: TestClient, fields = {}) => client.post('/account/exports', { password: client.password, ...fields });
const show = async (client: TestClient, id: number) => client.expect(200, await client.get(`/account/exports/${id}`)).body.data;

/** Requests an export and waits for its archive. */
async function exported(client: TestClient) {
  const answer = client.expect(202, await request(client));
  const { id } = answer.body.data;
  expect(answer.headers.get('location')).toBe(`/api/v1/account/exports/${id}`);
  return waitFor(
    () => show(client, id),
    ({ status }) => status === 'ready',
    'the archive',
  );
}

test('an archive holds all records and files of the account, and nothing of another (PRV-2)', async () => {
  const person = await api.user('Айгерім <Серікбаева>');
  const profileId = await make.profile(person, { status: 'approved', data: { iin: '900517300128' } });
  const photo = await make.file(person, 'photo');
  const documentId = await make.document(person, profileId, { type: 'identity', columns: { number: '047512903' } });
  await make.profile(owner, { status: 'approved', data: { iin: '880101300123' } });
  const ready = await exported(person);
  expect(ready).toMatchObject({ status: 'ready', bytes: expect.any(Number), expires_at: expect.stringMatching(/\+05:00$/) });

  const { bytes, headers } = person.expect(200, await person.get(ready.download_url));
  expect(bytes.length).toBe(ready.bytes);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="account-\d+-\d{4}-\d\d-\d\d\.zip"$/);
  const files = readZip(bytes);
  const text = (name: string) => files.get(name)?.toString() ?? '';
  const data = JSON.parse(text('data.json'));
  const schema = JSON.parse(text('data.schema.json'));
  expect(new Ajv2020({ strict: false, validateFormats: false }).validate(schema, data)).toBe(true);
  expect(data.account).toBe(person.userId);
  const { records } = data;
  expect(records.user).toEqual([expect.objectContaining({ id: person.userId, email: person.email, name: 'Айгерім <Серікбаева>' })]);
  expect(records.user[0]).not.toHaveProperty('password_hash');
  expect(records.profile).toEqual([expect.objectContaining({ id: profileId, iin: '900517300128' })]);
  expect(records.document).toEqual([expect.objectContaining({ id: documentId, number: '047512903' })]);
  expect(records.session.length).toBeGreaterThan(0);
  expect(records.session[0]).not.toHaveProperty('token_hash');
  expect(text('data.json')).not.toContain('880101300123');

  const paths = records.file.map(({ path }: { path: string }) => path);
  expect([...files.keys()].filter((name) => name.startsWith('files/')).toSorted()).toEqual(paths.toSorted());
  const { path } = records.file.find(({ id }: { id: string }) => id === photo);
  expect(parse(path).name).toBe(`file-${photo}`);
  expect(files.get(path)).toEqual(person.expect(200, await person.get(`/files/${photo}`)).bytes);

  const page = text('index.html');
  expect(page).toContain('<html lang="ru">');
  expect(page).toContain('Айгерім &lt;Серікбаева&gt;');
  expect(page).toContain(`<a href="${path}">`);
  expect(page).not.toMatch(/<script|https?:|src=/);

  expect((await audit('account_export', ready.id)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['account_export.requested', person.userId],
    ['account_export.made', person.userId],
  ]);
  const { data: notified } = person.expect(200, await person.get('/notifications')).body;
  expect(notified).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'account_export.made' })]));
});

test('an archive has the certificates as PDF', async () => {
  const member = await api.user();
  const { id: applicationId } = await make.application(member, { status: 'approved' });
  member.expect(200, await member.get(`/applications/${applicationId}/certificate`));
  const ready = await exported(member);
  const files = readZip(member.expect(200, await member.get(ready.download_url)).bytes);
  expect(files.get(`files/certificate-${applicationId}-pdf.pdf`)?.subarray(0, 5).toString()).toBe('%PDF-');
});

test('only the account itself reads its archive, in its own browser; administrators see how far it is', async () => {
  const person = await api.user();
  const lastOf = async () => administrator.expect(200, await administrator.get(`/admin/users/${person.userId}`)).body.data.last_export;
  expect(await lastOf()).toBeNull();
  const { id, download_url: url } = await exported(person);
  expect(await lastOf()).toEqual({
    id,
    status: 'ready',
    requested_at: expect.any(String),
    expires_at: expect.any(String),
    bytes: expect.any(Number),
  });
  const key = await person.program(['files:read']);
  const other = await api.user();
  for (const client of [key, other, administrator, await administrator.program(['admin:read', 'files:read'])])
    expect(await client.get(url)).toMatchObject(refusal(404, 'not_found'));
  for (const client of [other, administrator]) expect(await client.get(`/account/exports/${id}`)).toMatchObject(refusal(404, 'not_found'));
  expect(await key.get(`/account/exports/${id}`)).toMatchObject(refusal(403, 'browser_session_required'));
});

test('asks for the password, and makes one archive a day', async () => {
  const person = await api.user();
  expect(await request(person, { password: 'another-password' })).toMatchObject(refusal(403, 'password_confirmation_failed'));
  expect((await person.post('/account/exports', {})).status).toBe(422);
  const key = { 'Idempotency-Key': 'export-of-my-data' };
  const body = { password: person.password };
  const first = person.expect(202, await person.post('/account/exports', body, key)).body.data;
  expect(person.expect(202, await person.post('/account/exports', body, key)).body.data.id).toBe(first.id);
  const again = await request(person);
  expect(again).toMatchObject(refusal(429, 'rate_limited'));
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(dayMs / 1000 - 120);
});

test('of two requests at once one makes an archive', async () => {
  const person = await api.user();
  const statuses = (await Promise.all([request(person), request(person)])).map(({ status }) => status);
  expect(statuses.toSorted((left, right) => left - right)).toEqual([202, 429]);
});

test('the archive of a former administrator has no marks of the federation (FIL-7)', async () => {
  const former = await api.anotherAdministrator();
  await signingFixtures(api.platform).signing(former.userId);
  await api.sql(`update users set role = 'user' where id = $1`, [former.userId]);
  const files = readZip(former.expect(200, await former.get((await exported(former)).download_url)).bytes);
  const { records } = JSON.parse(files.get('data.json')?.toString() ?? '');
  expect(records.file).toHaveLength(2);
  expect([...files.keys()]).toEqual(['index.html', 'data.json', 'data.schema.json']);
});

test('its owner may delete an archive early', async () => {
  const person = await api.user();
  const { id, download_url: url } = await exported(person);
  const [, uuid = ''] = /files\/([0-9a-f-]+)/.exec(url) ?? [];
  person.expect(200, await person.delete(`/files/${uuid}`));
  expect(await show(person, id)).toEqual({ id, status: 'expired', download_url: null, expires_at: null, bytes: null });
});
