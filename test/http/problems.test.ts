import type { TestClient } from '../support/client.ts';
import { athleteData } from '../support/factories.ts';
import { organizerData } from '../support/factories/events.ts';
import { useRegistry } from '../support/use-registry.ts';

/** One answer reports all problems of the schema. For a valid body, one answer reports all problems with records and dates. */

const { api, make, owner } = await useRegistry();
const other = await api.user();
const profileId = await make.profile(owner, { status: 'draft' });
let foreign: { profileId: number; documentIds: number[]; fileId: string };

beforeAll(async () => {
  const othersProfile = await make.profile(other, { status: 'draft' });
  foreign = {
    profileId: othersProfile,
    documentIds: [await make.document(other, othersProfile)],
    fileId: await make.file(other, 'scan'),
  };
});

const unknown = 2_147_483_647;
type Answer = Awaited<ReturnType<TestClient['post']>>;

/** Problems of a 422, as `path code`, sorted. */
function problemsOf({ status, body }: Answer): string[] {
  expect([status, body.error?.code]).toEqual([422, 'validation_failed']);
  return body.error.details.fields.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).toSorted();
}

test('API-2: a new application: wrong fields of its data, an unknown service, documents of another profile', async () => {
  const sent = { profile_id: profileId, document_ids: [unknown, foreign.documentIds[0]], data: { discipline_id: 1 } };
  const wrong = { ...sent, service_id: unknown, data: { ...sent.data, team: 5, colour: 'red' } };
  const ofShape = ['body.data.colour unknown_field', 'body.data.team invalid_type'];
  expect(problemsOf(await owner.post('/applications', wrong))).toEqual(ofShape);
  const ofDocuments = ['body.document_ids.0 not_found', 'body.document_ids.1 not_found'];
  const ofUnknown = problemsOf(await owner.post('/applications', { ...sent, service_id: unknown }));
  expect(ofUnknown).toEqual([...ofDocuments, 'body.service_id not_found']);
  // This service is for another discipline, and not available in the territory.
  const cis = { ...sent, data: { ...sent.data, insurance_territory: 'CIS' } };
  const ofKnown = problemsOf(await owner.post('/applications', { ...cis, service_id: 3 }));
  expect(ofKnown).toEqual(['body.data.discipline_id not_found', 'body.data.insurance_territory not_allowed', ...ofDocuments]);
});

test("another account's records are not found, and an invalid body reveals nothing about them", async () => {
  const body = { profile_id: foreign.profileId, service_id: 1, document_ids: [unknown] };
  expect(await owner.post('/applications', body)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(problemsOf(await owner.post('/applications', { ...body, colour: 'red' }))).toEqual(['body.colour unknown_field']);
  const { id } = await make.application(other);
  const changes = { document_ids: [unknown], data: { team: 5 } };
  expect(problemsOf(await owner.patch(`/applications/${id}`, changes))).toEqual(['body.data.team invalid_type']);
});

test('a changed application, a quote', async () => {
  const { id } = await make.application(owner);
  const changes = { document_ids: [foreign.documentIds[0]], data: { discipline_id: 1 } };
  const misshapen = { ...changes, data: { ...changes.data, team: 5 } };
  expect(problemsOf(await owner.patch(`/applications/${id}`, misshapen))).toEqual(['body.data.team invalid_type']);
  const ofRecords = ['body.data.discipline_id not_allowed', 'body.document_ids.0 not_found'];
  expect(problemsOf(await owner.patch(`/applications/${id}`, changes))).toEqual(ofRecords);
  const unchanged = owner.expect(200, await owner.get(`/applications/${id}`)).body.data;
  expect(unchanged).toMatchObject({ revision: 1, discipline: null });
  const quote = { service_id: unknown, data: { insurance_territory: 'MARS' } };
  expect(problemsOf(await owner.post('/applications/quote', quote))).toEqual(['body.data.insurance_territory invalid_value']);
  expect(problemsOf(await owner.post('/applications/quote', { service_id: unknown }))).toEqual(['body.service_id not_found']);
});

test('a document: its country, impossible dates, a file of another account', async () => {
  const days = { issued_at: '2999-01-01', expires_at: '2001-01-01' };
  const body = { profile_id: profileId, type: 'medical', file_id: foreign.fileId, ...days };
  const misshapen = { ...body, country: 'XX', issued_at: 'soon' };
  const ofShape = ['body.country invalid_value', 'body.issued_at invalid_format'];
  expect(problemsOf(await owner.post('/documents', misshapen))).toEqual(ofShape);
  expect(problemsOf(await owner.post('/documents', body))).toEqual([
    'body.expires_at expired',
    'body.file_id unknown_file',
    'body.issued_at after_expires_at',
    'body.issued_at in_future',
  ]);
  const id = await make.document(owner, profileId, { expiresAt: '2034-01-10' });
  const changes = { issued_at: '2999-01-01', file_id: foreign.fileId };
  expect(problemsOf(await owner.patch(`/documents/${id}`, { ...changes, country: 'XX' }))).toEqual(['body.country invalid_value']);
  expect(problemsOf(await owner.patch(`/documents/${id}`, changes))).toEqual([
    'body.file_id unknown_file',
    'body.issued_at after_expires_at',
    'body.issued_at in_future',
  ]);
});

test('a profile: a missing name, a birth in the future, a photo that is no image', async () => {
  const data = { ...athleteData, birth_date: '2999-01-01' };
  const { last_name: _lastName, ...nameless } = data;
  const photo_id = await make.file(owner, 'scan');
  const ofShape = problemsOf(await owner.post('/profiles', { kind: 'athlete', data: nameless, photo_id }));
  expect(ofShape).toEqual(['body.data.last_name required']);
  const ofRecords = problemsOf(await owner.post('/profiles', { kind: 'athlete', data, photo_id }));
  expect(ofRecords).toEqual(['body.data.birth_date not_past', 'body.photo_id wrong_file_type']);
  // The fields of `data` depend on the kind of the profile, so they are checked with it.
  const changes = { data: { city: 5, birth_date: '2999-01-01' } };
  const misshapen = problemsOf(await owner.patch(`/profiles/${profileId}`, { ...changes, photo_id: 'none' }));
  expect(misshapen).toEqual(['body.photo_id invalid_format']);
  expect(problemsOf(await owner.patch(`/profiles/${profileId}`, { ...changes, photo_id }))).toEqual([
    'body.data.birth_date not_past',
    'body.data.city invalid_type',
    'body.photo_id wrong_file_type',
  ]);
});

test('API-7: missing characters of the fonts are reported with all other problems', async () => {
  const organizer = {
    kind: 'organizer',
    data: { ...organizerData, organization_name: 'Клуб 😀 → 😀', director_name: 'А\u202eБ', bin: 'x' },
  };
  const answer = await owner.post('/profiles', organizer);
  expect(problemsOf(answer)).toEqual([
    'body.data.bin invalid_format',
    'body.data.director_name unprintable_text',
    'body.data.organization_name unprintable_text',
  ]);
  expect(answer.body.error.details.fields).toContainEqual({
    path: 'body.data.organization_name',
    code: 'unprintable_text',
    message: 'has characters that documents cannot show: 😀 (U+1F600), → (U+2192)',
    characters: ['😀', '→'],
  });
  const { id } = await make.application(owner, { on: await make.athlete(owner) });
  const alone = await owner.patch(`/applications/${id}`, { data: { sport: `e${'\u0301'.repeat(98)}` } });
  expect([alone.status, alone.body.error]).toMatchObject([
    422,
    { code: 'unprintable_text', details: { fields: [{ path: 'body.data.sport', code: 'unprintable_text' }] } },
  ]);
  const composed = owner.expect(200, await owner.patch(`/applications/${id}`, { data: { team: 'Й «₸»'.normalize('NFD') } })).body.data;
  expect(composed.data.team).toBe('Й «₸»');
});

test("a decision on an application: a short note, dates outside the application's year", async () => {
  const administrator = await api.administrator();
  const { id } = await make.application(owner, { on: await make.athlete(owner), status: 'submitted' });
  const days = { valid_from: '2001-01-01', valid_until: '2000-01-01' };
  const body = { kind: 'application', id, decision: 'approve', revision: 2, ...days };
  expect(problemsOf(await administrator.post('/admin/review', { ...body, note: 'ok' }))).toEqual(['body.note too_small']);
  const ofDays = ['body.valid_from out_of_range', 'body.valid_until out_of_range'];
  expect(problemsOf(await administrator.post('/admin/review', body))).toEqual(ofDays);
});

test('an API key: no name, a scope of administrators, an end in the past', async () => {
  const body = { name: 'a key', scopes: ['admin:write'], expires_at: '2001-01-01T00:00:00Z', password: owner.password };
  expect(problemsOf(await owner.post('/api-keys', { ...body, name: '' }))).toEqual(['body.name too_small']);
  expect(problemsOf(await owner.post('/api-keys', body))).toEqual(['body.expires_at too_early', 'body.scopes.0 not_allowed']);
});

test('an invalid Idempotency-Key is reported with the rest', async () => {
  const { id } = await make.application(owner, { on: await make.athlete(owner) });
  const answer = await owner.post(`/applications/${id}/cancel`, { reason: '' }, { 'idempotency-key': 'two words' });
  expect(problemsOf(answer)).toEqual(['body.reason too_small', 'headers.idempotency-key invalid_format']);
});
