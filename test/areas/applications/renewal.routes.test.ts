import type { TestClient } from '../../support/client.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Renewal ahead, by the sandbox clock, from October to the next January. Each test continues the one before. */

const { api, make, administrator } = await useRegistry();
const year = Number((await api.browser().get('/sandbox/clock')).body.data.now.slice(0, 4)) + 1;
let owner: TestClient;
let on: { profileId: number; documentIds: number[] };
let present: { id: number; number: string };

const setClock = async (instant: string) => api.browser().expect(200, await api.browser().put('/sandbox/clock', { now: instant }));
const verify = async (token: string, day?: string) =>
  (await api.browser().get(`/verify/${token}${day === undefined ? '' : `?on=${day}`}`)).body.data;
const apply = (options: Record<string, unknown>) =>
  owner.post('/applications', { profile_id: on.profileId, service_id: 1, document_ids: on.documentIds, data: {}, ...options });
const read = async (id: number) => owner.expect(200, await owner.get(`/applications/${id}`)).body.data;
const historyOf = (id: number) => api.sql('select step from application_history where application_id = $1 order by id', [id]);

beforeAll(async () => {
  await api.travelTo(`${year}-10-31T12:00:00+05:00`);
  owner = await api.user();
  await make.money(owner, 3_000_000);
  on = await make.athlete(owner);
  present = await read((await make.application(owner, { status: 'approved', on })).id);
});

test('APP-10: submitting with nothing replaced and a PATCH with equal values write nothing', async () => {
  const before = [await read(present.id), await historyOf(present.id)];
  owner.expect(200, await owner.post(`/applications/${present.id}/submit`));
  owner.expect(200, await owner.patch(`/applications/${present.id}`, { document_ids: on.documentIds.toReversed() }));
  owner.expect(200, await owner.patch(`/applications/${present.id}`, { data: { insurance_territory: 'KZ' } }));
  expect([await read(present.id), await historyOf(present.id)]).toEqual(before);
});

test('APP-10: an exchange for a document that lasts as long leaves the certificate in force', async () => {
  const [identity = 0, medical = 0] = on.documentIds;
  const exchange = (id: number) => owner.patch(`/applications/${present.id}`, { document_ids: [identity, id] });
  const shorter = await make.document(owner, on.profileId, { status: 'approved', expiresAt: '2034-01-09' });
  const waiting = await make.document(owner, on.profileId, { expiresAt: '2035-01-10' });
  const other = await make.document(owner, on.profileId, { type: 'driver', status: 'approved', expiresAt: '2035-01-10' });
  for (const id of [shorter, waiting, other])
    expect(await exchange(id)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
  expect((await read(present.id)).document_ids).toEqual([identity, medical]);
  const longer = await make.document(owner, on.profileId, { status: 'approved', expiresAt: '2035-01-10' });
  const { revision, verification_token: token } = await read(present.id);
  const exchanged = owner.expect(200, await exchange(longer)).body.data;
  expect(exchanged).toMatchObject({ status: 'approved', revision: revision + 1, document_ids: [identity, longer] });
  expect(await verify(token)).toMatchObject({ valid: true, state: 'valid' });
  expect((await historyOf(present.id)).at(-1)).toEqual({ step: 'updated' });
  on = { ...on, documentIds: [identity, longer] };
});

test('APP-19: the next year is open from 1 November on, once its base index is set', async () => {
  const early = await apply({ year: year + 1 });
  expect(early).toMatchObject({ status: 422, body: { error: { details: { fields: [{ path: 'body.year', code: 'out_of_range' }] } } } });
  await api.travelTo(`${year}-11-01T00:00:10+05:00`);
  for (const path of ['/applications', '/applications/quote'] as const) {
    const body = { service_id: 1, year: year + 1, data: {}, ...(path === '/applications' && { profile_id: on.profileId }) };
    expect(await owner.post(path, body)).toMatchObject({
      status: 409,
      body: { error: { code: 'base_index_missing', details: { year: year + 1 } } },
    });
  }
  expect((await apply({ year: year + 2 })).status).toBe(422);
  expect((await apply({ year: year - 1 })).status).toBe(422);
  expect((await apply({ service_id: 20, year })).status).toBe(422);
  const index = `/admin/catalog/base-indexes/${year + 1}`;
  administrator.expect(200, await administrator.put(index, { amount_minor: 500_000 }));
});

test('APP-19: a certificate of the next year has its price and number, and is not started until 1 January', async () => {
  const quote = owner.expect(200, await owner.post('/applications/quote', { service_id: 1, year: year + 1 })).body.data;
  expect(quote.amount_minor).toBe(1_000_000);
  const draft = owner.expect(201, await apply({ year: year + 1 })).body.data;
  expect(draft).toMatchObject({ year: year + 1, amount_minor: 1_000_000 });
  expect(await apply({ year: year + 1 })).toMatchObject({ status: 409, body: { error: { details: { application_id: draft.id } } } });
  owner.expect(200, await owner.post(`/applications/${draft.id}/submit`));
  const paid = owner.expect(200, await owner.post(`/applications/${draft.id}/pay`)).body.data;
  expect(paid).toMatchObject({
    status: 'approved',
    number: `KZ-N-${year + 1}-000001`,
    valid_from: `${year + 1}-01-01`,
    valid_until: `${year + 1}-12-31`,
  });
  expect(await verify(paid.verification_token)).toMatchObject({ valid: false, state: 'not_started' });
  expect(await verify(paid.verification_token, `${year + 1}-01-01`)).toMatchObject({ valid: true });
  // The index is in use now.
  expect((await administrator.put(`/admin/catalog/base-indexes/${year + 1}`, { amount_minor: 500_001 })).status).toBe(409);
  const listed = administrator.expect(200, await administrator.get('/admin/athletes?certificate=issued')).body.data;
  expect(listed).toMatchObject([{ id: on.profileId, certificate: { issued: true, number: present.number } }]);
});

test('APP-13: a document closes after its own last day, and a new application is possible at once', async () => {
  const { id } = await make.application(owner, { serviceId: 20, status: 'submitted', on });
  owner.expect(200, await owner.post(`/applications/${id}/pay`));
  const { revision } = await read(id);
  const decision = { kind: 'application', id, decision: 'approve', revision, valid_until: `${year}-11-30` };
  administrator.expect(200, await administrator.post('/admin/review', decision));
  expect((await apply({ service_id: 20 })).status).toBe(409);
  await setClock(`${year}-12-01T00:00:10+05:00`);
  expect(owner.expect(201, await apply({ service_id: 20 })).body.data).toMatchObject({ status: 'draft', year });
  expect(await read(id)).toMatchObject({ status: 'closed', valid_until: `${year}-11-30` });
});

test('APP-1, APP-13: another discipline is free as soon as the document for it has ended', async () => {
  await api.sql('insert into service_disciplines (service_id, discipline_id) values (20, 1), (20, 2)');
  const person = await api.user();
  await make.money(person, 1_000_000);
  const { id, ...holder } = await make.application(person, { serviceId: 20, status: 'submitted', data: { discipline_id: 1 } });
  const { revision } = person.expect(200, await person.post(`/applications/${id}/pay`)).body.data;
  const decision = { kind: 'application', id, decision: 'approve', revision, valid_until: `${year}-12-05` };
  administrator.expect(200, await administrator.post('/admin/review', decision));
  const draft = await make.application(person, { serviceId: 20, data: { discipline_id: 2 }, on: holder });
  const change = () => person.patch(`/applications/${draft.id}`, { data: { discipline_id: 1 } });
  expect(await change()).toMatchObject({
    status: 409,
    body: { error: { code: 'duplicate_application', details: { application_id: id } } },
  });
  await setClock(`${year}-12-06T00:00:10+05:00`);
  expect(person.expect(200, await change()).body.data).toMatchObject({ status: 'draft', data: { discipline_id: 1 } });
  expect(person.expect(200, await person.get(`/applications/${id}`)).body.data).toMatchObject({ status: 'closed' });
  await api.sql('delete from service_disciplines where service_id = 20');
});

test('APP-21: after New Year the insurance list takes the paid certificates of the old year and of the new one', async () => {
  await api.travelTo(`${year + 1}-01-02T12:00:00+05:00`);
  expect((await read(present.id)).status).toBe('closed');
  for (const listYear of [year, year + 1]) {
    const filled = await administrator.post('/admin/national/lists/insurance', { operation: 'auto', year: listYear });
    expect(administrator.expect(200, filled).body.data.added).toBe(1);
  }
  const answer = await administrator.post('/admin/national/lists/print', { operation: 'add', ids: [present.id] });
  expect(administrator.expect(200, answer).body.data).toMatchObject({ added: 1, skipped: [] });
});

test('APP-20: a consent that ends after the 18th birthday leaves the certificate in force', async () => {
  const minor = await api.user();
  await make.money(minor, 1_000_000);
  const birthDate = `${year + 1 - 18}-02-10`;
  const young = await make.athlete(minor, { profile: { data: { birth_date: birthDate } } });
  const consent = await make.document(minor, young.profileId, { type: 'consent', status: 'approved', expiresAt: `${year + 1}-02-12` });
  const { id } = await make.application(minor, { status: 'submitted', on: { ...young, documentIds: [...young.documentIds, consent] } });
  const { verification_token: token } = minor.expect(200, await minor.post(`/applications/${id}/pay`)).body.data;
  await api.travelTo(`${year + 1}-02-14T09:00:00+05:00`);
  expect((await minor.get(`/documents/${consent}`)).body.data.status).toBe('expired');
  expect(minor.expect(200, await minor.get(`/applications/${id}`)).body.data).toMatchObject({ status: 'approved' });
  expect(await verify(token)).toMatchObject({ valid: true, state: 'valid' });
  expect(await verify(token, `${year + 1}-02-13`)).toMatchObject({ valid: true });
  const notified = await api.sql("select facts from notifications where user_id = $1 and type = 'document.expired'", [minor.userId]);
  expect(notified).toEqual([{ facts: expect.objectContaining({ applications: [] }) }]);
});
