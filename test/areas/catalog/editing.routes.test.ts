import { seedCatalog } from '../../../src/areas/catalog/index.ts';
import { openRegistry } from '../../../src/registry/open-registry.ts';
import type { Answer } from '../../support/client.ts';
import { fixturesOf } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { startTestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { problemsOf, refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, owner, audit } = await useRegistry();

type Fields = Record<string, unknown>;
const catalog = async () => administrator.expect(200, await administrator.get('/admin/catalog')).body.data;
const find = async (id: number): Promise<Fields> => (await catalog()).services.find((service: { id: number }) => service.id === id);

/** The body of a PUT with the present service and some changes. */
async function bodyOf(id: number, changes: Fields = {}): Promise<Fields> {
  const { id: _id, code: _code, kind: _kind, profile_kind: _profileKind, ...body } = await find(id);
  return { ...body, ...changes };
}

const put = async (id: number, changes: Fields): Promise<Answer> =>
  administrator.put(`/admin/catalog/services/${id}`, await bodyOf(id, changes));
const set = async (id: number, changes: Fields): Promise<Fields> => administrator.expect(200, await put(id, changes)).body.data;
const setIndex = (year: number, amount: unknown) => administrator.put(`/admin/catalog/base-indexes/${year}`, { amount_minor: amount });
const audited = async (kind: 'service' | 'base_index', id: number) =>
  (await audit(kind, id)).map(({ actor_id, data }) => ({ actor_id, data }));
const publicPrice = async (id: number) =>
  (await api.browser().get('/catalog')).body.data.services.find((service: { id: number }) => service.id === id)?.price_kz_minor;

describe('the catalog', () => {
  test('includes services that are not on sale', async () => {
    await api.sql('update services set active = false where id = 21');
    await api.sql('update disciplines set active = false where id = 5');
    try {
      const { services, disciplines, base_indexes: indexes } = await catalog();
      expect(services.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 10, 20, 21, 30]);
      expect(await find(21)).toMatchObject({ active: false });
      expect(await find(2)).toEqual({
        id: 2,
        code: 'national_certificate_b',
        kind: 'national_certificate',
        profile_kind: 'athlete',
        title: expect.objectContaining({ en: 'National certificate, category B (driver)' }),
        category: 'B',
        mrp: 3.5,
        cis_mrp: 1.75,
        required_documents: expect.arrayContaining([{ code: 'consent', types: ['consent'], only_minors: true }]),
        disciplines: [1, 2, 4, 5],
        insurance_coverage_mrp: 1000,
        active: true,
        updated_at: expect.stringMatching(/\.\d{3}\+05:00$/),
      });
      expect(disciplines.map(({ id, active }: { id: number; active: boolean }) => [id, active])).toEqual([
        [1, true],
        [2, true],
        [3, true],
        [4, true],
        [5, false],
      ]);
      expect(indexes.map(({ year }: { year: number }) => year)).toEqual([2026, 2025]);
    } finally {
      await api.sql('update services set active = true where id = 21');
      await api.sql('update disciplines set active = true where id = 5');
    }
  });
});

describe('PUT /admin/catalog/services/{id}', () => {
  test('sets the whole record; catalog and prices show it at once', async () => {
    const before = await find(20);
    const changes = { title: { ru: 'Билет', kk: 'Билет', en: 'Card' }, mrp: 0.7501, disciplines: [3, 1], cis_mrp: 0.25, category: 'M' };
    const answer = administrator.expect(200, await put(20, changes));
    expect(answer.body.meta).toEqual({ drafts: 'priced_when_changed_or_submitted' });
    expect(answer.body.data).toEqual({ ...before, ...changes, disciplines: [1, 3], updated_at: expect.any(String) });
    expect(Date.parse(answer.body.data.updated_at)).toBeGreaterThan(Date.parse(String(before['updated_at'])));
    expect(await find(20)).toEqual(answer.body.data);
    expect(await publicPrice(20)).toBe(324_418);
    const { body } = await owner.get('/services/prices');
    expect(body.data.services.find(({ id }: { id: number }) => id === 20)).toMatchObject({ mrp: 0.7501, price_cis_minor: 432_543 });
    expect(await audited('service', 20)).toEqual([
      { actor_id: administrator.userId, data: { changed: ['title', 'category', 'mrp', 'cis_mrp', 'disciplines'] } },
    ]);
  });

  test('writes nothing when nothing changes', async () => {
    const before = await find(3);
    expect(await set(3, {})).toEqual(before);
    expect(await audited('service', 3)).toEqual([]);
  });

  test('CAT-5: refuses a stale version, also for the second of two concurrent changes', async () => {
    const read = await bodyOf(21);
    const earlier = { ...read, updated_at: new Date(Date.parse(String(read['updated_at'])) - 1).toISOString() };
    const stale = await administrator.put('/admin/catalog/services/21', earlier);
    expect(stale).toMatchObject(refusal(409, 'stale_revision', { updated_at: read['updated_at'] }));
    const answers = await Promise.all(
      [11, 12, 13].map((mrp) =>
        administrator.put('/admin/catalog/services/21', { ...read, mrp, title: { ru: 'x', kk: 'x', en: `x ${mrp}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409, 409]);
    const won = answers.find(({ status }) => status === 200)?.body.data;
    expect(await find(21)).toEqual(won);
    expect(await audited('service', 21)).toHaveLength(1);
  });

  test('increases the version with every change, also with fast ones', async () => {
    const versionOf = async () => Date.parse(String((await find(10))['updated_at']));
    for (let change = 0; change < 3; change += 1) {
      const before = await versionOf();
      await api.sql("update services set category = category || 'x', updated_at = '2020-01-01' where id = 10");
      expect(await versionOf()).toBeGreaterThan(before);
    }
  });

  test('reports all problems of the shape at once, and refuses fixed fields (API-2)', async () => {
    const whole = await bodyOf(1);
    const wrong = {
      id: 1,
      code: 'other',
      kind: 'document',
      title: { ru: 'А', kk: '', en: 'A' },
      category: 5,
      mrp: 1.23456,
      cis_mrp: -1,
      required_documents: [
        { code: 'medical', types: [], only_minors: false },
        { code: 'medical', types: ['medical', 'medical'], only_minors: 'no' },
      ],
      disciplines: [1, 99],
      insurance_coverage_mrp: 1.5,
    };
    const { active: _active, ...incomplete }: Fields = { ...whole, ...wrong };
    expect(problemsOf(await administrator.put('/admin/catalog/services/1', incomplete))).toEqual(
      [
        'body.id unknown_field',
        'body.code unknown_field',
        'body.kind unknown_field',
        'body.title.kk too_small',
        'body.category invalid_type',
        'body.mrp custom',
        'body.cis_mrp too_small',
        'body.required_documents.0.types too_small',
        'body.required_documents.1.types custom',
        'body.required_documents.1.only_minors invalid_type',
        'body.insurance_coverage_mrp invalid_type',
        'body.active required',
      ].toSorted(),
    );
    expect(problemsOf(await put(1, { disciplines: [99] }))).toEqual(['body.disciplines.0 not_found']);
    expect(problemsOf(await put(1, { mrp: 1e9 }))).toEqual(['body.mrp too_big']);
    expect((await administrator.put('/admin/catalog/services/999', whole)).status).toBe(404);
    expect(await audited('service', 1)).toEqual([]);
  });
});

describe('prices of existing applications', () => {
  const amountOf = async (id: number) => owner.expect(200, await owner.get(`/applications/${id}`)).body.data.amount_minor;

  test('CAT-5: change with a draft when it is changed or submitted, never later', async () => {
    await set(3, { mrp: 1, disciplines: [] });
    const athlete = await make.athlete(owner);
    const submitted = await make.application(owner, { serviceId: 3, on: athlete, status: 'submitted' });
    const [changed, sent] = [
      await make.application(owner, { on: athlete }),
      await make.application(owner, { serviceId: 20, on: athlete, data: { discipline_id: 1 } }),
    ];
    await set(1, { mrp: 4 });
    await set(3, { mrp: 4 });
    await set(20, { mrp: 6 });
    // A change of the catalog alone does not price drafts again.
    expect(await Promise.all([changed, sent, submitted].map(({ id }) => amountOf(id)))).toEqual([865_000, 324_418, 432_500]);
    const patched = owner.expect(200, await owner.patch(`/applications/${changed.id}`, { document_ids: athlete.documentIds })).body.data;
    expect(patched).toMatchObject({ amount_minor: 1_730_000, breakdown: [{ coefficient: '4', amount_minor: 1_730_000 }] });
    expect(owner.expect(200, await owner.post(`/applications/${sent.id}/submit`)).body.data).toMatchObject({ amount_minor: 2_595_000 });
    await set(20, { mrp: 8 });
    const notified = owner.expect(200, await owner.get(`/applications/${sent.id}/timeline`)).body.data;
    expect(notified.map(({ text }: { text: string }) => text)).toContain('The application was submitted; its price is now 25950.00 KZT.');
    // A submitted application keeps its price, also when returned and submitted again (CAT-3).
    await administrator.post('/admin/review', {
      kind: 'application',
      id: submitted.id,
      decision: 'changes',
      note: 'another team',
      revision: 2,
    });
    owner.expect(200, await owner.patch(`/applications/${submitted.id}`, { data: { team: 'Алатау' } }));
    owner.expect(200, await owner.post(`/applications/${submitted.id}/submit`));
    expect(await Promise.all([submitted, sent].map(({ id }) => amountOf(id)))).toEqual([432_500, 2_595_000]);
    await make.money(owner, 10_000_000);
    owner.expect(200, await owner.post(`/applications/${submitted.id}/pay`));
    const [paid] = await api.sql<{ amount: string }>(
      'select e.amount_minor::text as amount from ledger_entries e join applications a on a.payment_transaction_id = e.transaction_id where a.id = $1 and e.account = $2',
      [submitted.id, `wallet:${owner.userId}`],
    );
    expect(paid?.amount).toBe('-432500');
  });

  test('refuse a draft for a territory that is no longer sold', async () => {
    await set(1, { mrp: 2, cis_mrp: 1 });
    const person = await api.user();
    const made = await make.application(person, { data: { insurance_territory: 'CIS' } });
    await set(1, { cis_mrp: null });
    expect(problemsOf(await person.post(`/applications/${made.id}/submit`))).toEqual(['body.data.insurance_territory not_allowed']);
    person.expect(200, await person.patch(`/applications/${made.id}`, { data: { insurance_territory: 'KZ' } }));
    expect(person.expect(200, await person.post(`/applications/${made.id}/submit`)).body.data.amount_minor).toBe(865_000);
  });

  test('CAT-7, CAT-8: an inactive service or removed discipline takes no new application', async () => {
    const person = await api.user();
    const athlete = await make.athlete(person);
    const draft = await make.application(person, { serviceId: 20, on: athlete, data: { discipline_id: 1 } });
    const body = { profile_id: athlete.profileId, service_id: 20, document_ids: athlete.documentIds, data: { discipline_id: 3 } };
    await set(20, { disciplines: [1] });
    expect(problemsOf(await person.post('/applications', body))).toEqual(['body.data.discipline_id not_found']);
    // A service whose disciplines are all inactive still requires one.
    await api.sql('update disciplines set active = false where id = 1');
    expect(problemsOf(await person.post('/applications', { ...body, data: {} }))).toEqual(['body.data.discipline_id required']);
    await api.sql('update disciplines set active = true where id = 1');
    await set(20, { active: false });
    expect(problemsOf(await person.post('/applications', body))).toEqual(['body.service_id not_found']);
    person.expect(200, await person.patch(`/applications/${draft.id}`, { data: { team: 'Алатау' } }));
    expect(person.expect(200, await person.post(`/applications/${draft.id}/submit`)).body.data.status).toBe('submitted');
    await set(20, { active: true });
  });

  test('an event fee has the price of its creation, also from an inactive service (APP-17)', async () => {
    const { event, profileId } = await draftEvent();
    await set(30, { mrp: 40, active: false });
    expect(problemsOf(await owner.post('/events', { ...eventBody, profile_id: profileId }))).toEqual(['body.service_id not_found']);
    await api.sql("update event_stages set status = 'approved' where event_id = $1 and stage = 'agreement'", [event]);
    await api.sql("update event_stages set status = 'open' where event_id = $1 and stage = 'details'", [event]);
    await api.sql("update events set status = 'in_progress' where id = $1", [event]);
    const { application_id: fee } = owner.expect(200, await owner.post(`/events/${event}/submit`, { stage: 'details' })).body.data;
    expect(await amountOf(fee)).toBe(17_300_000);
    await set(30, { mrp: 50, active: true });
    expect(await amountOf(fee)).toBe(17_300_000);
  });

  const eventBody = {
    service_id: 30,
    discipline_id: 1,
    title: 'Кубок',
    location: 'Алматы',
    starts_at: '2027-05-01T09:00:00+05:00',
    ends_at: '2027-05-02T18:00:00+05:00',
  };
  async function draftEvent(): Promise<{ event: number; profileId: number }> {
    const { id, profileId } = await eventFixtures(api.platform).event(owner, { status: 'draft' });
    return { event: id, profileId };
  }
});

test('CAT-9: an application is approved when its missing document is no longer required', async () => {
  await set(1, {
    required_documents: [...((await find(1))['required_documents'] as object[]), { code: 'driver', types: ['driver'], only_minors: false }],
  });
  const person = await api.user();
  const made = await make.application(person);
  expect(await person.post(`/applications/${made.id}/submit`)).toMatchObject(
    refusal(422, 'incomplete_application', { missing: ['driver'] }),
  );
  const driver = await make.document(person, made.profileId, { type: 'driver' });
  person.expect(200, await person.patch(`/applications/${made.id}`, { document_ids: [...made.documentIds, driver] }));
  person.expect(200, await person.post(`/applications/${made.id}/submit`));
  await make.money(person, 10_000_000);
  person.expect(200, await person.post(`/applications/${made.id}/pay`));
  const statusOf = async () => (await person.get(`/applications/${made.id}`)).body.data.status;
  expect(await statusOf()).toBe('submitted');
  // SQL approves the document without waking the process, so that only the changed service makes the application due.
  await api.sql("update documents set status = 'approved' where id = $1", [driver]);
  expect(await statusOf()).toBe('submitted');
  await set(1, {
    required_documents: ((await find(1))['required_documents'] as { code: string }[]).filter(({ code }) => code !== 'driver'),
  });
  await api.browser().post('/sandbox/sweep');
  await waitFor(statusOf, (status) => status === 'approved', 'the approval');
});

describe('PUT /admin/catalog/base-indexes/{year}', () => {
  test('sets or adds an unused index; the same amount writes nothing', async () => {
    expect(administrator.expect(200, await setIndex(2031, 500_000)).body).toMatchObject({
      data: { year: 2031, amount_minor: 500_000, in_use: false },
      meta: { drafts: 'priced_when_changed_or_submitted' },
    });
    administrator.expect(200, await setIndex(2031, 510_000));
    administrator.expect(200, await setIndex(2031, 510_000));
    expect((await catalog()).base_indexes[0]).toEqual({ year: 2031, amount_minor: 510_000, in_use: false });
    expect(await audited('base_index', 2031)).toEqual(
      Array.from({ length: 2 }, () => ({ actor_id: administrator.userId, data: { changed: ['amount_minor'] } })),
    );
  });

  test('CAT-4: refuses a change once an application is submitted; a draft does not block it', async () => {
    const service = await startTestApi();
    try {
      const [admin, person, fixtures] = [await service.administrator(), await service.user(), fixturesOf(service)];
      const { year } = admin.expect(200, await admin.get('/admin/catalog')).body.data.base_indexes[0];
      const path = `/admin/catalog/base-indexes/${year}`;
      const made = await fixtures.application(person);
      admin.expect(200, await admin.put(path, { amount_minor: 440_000 }));
      const sent = person.expect(200, await person.post(`/applications/${made.id}/submit`)).body.data;
      expect(sent).toMatchObject({ amount_minor: 880_000, insurance_coverage_minor: 220_000_000 });
      expect(await admin.put(path, { amount_minor: 450_000 })).toMatchObject(refusal(409, 'base_index_in_use', { year }));
      expect(admin.expect(200, await admin.put(path, { amount_minor: 440_000 })).body.data.in_use).toBe(true);
    } finally {
      await service.close();
    }
  });

  test.each([
    ['nothing', 0],
    ['a fraction', 1.5],
    ['a text', '432500'],
    ['more than any program can count with', 2_000_000_000],
  ])('refuses %s as an amount', async (_, amount) => {
    expect(problemsOf(await setIndex(2032, amount))[0]).toMatch(/^body\.amount_minor /);
  });

  test.each([1999, 2100, 12])('refuses %s as a year', async (year) => {
    expect(problemsOf(await setIndex(year, 1))).toEqual(['params.year invalid_format']);
  });
});

test('the seed keeps an administrator’s edits', async () => {
  await set(1, { title: { ru: 'Своё', kk: 'Өз', en: 'Own' }, mrp: 9, active: false, disciplines: [2] });
  await set(2, { disciplines: [] });
  await api.sql('update base_indexes set amount_minor = 1 where year = 2025');
  const before = await catalog();
  const orm = await openRegistry(api.surroundings.database.ownerUrl, 1);
  await seedCatalog(orm.em.fork());
  await orm.close(true);
  expect(await catalog()).toEqual(before);
});
