import type { TestClient } from '../../support/client.ts';
import { type ApplicationOptions, approve, type Athlete } from '../../support/factories.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, owner, audit } = await useRegistry();
const stranger = await api.user();
let profileId: number;
let documentIds: number[];

beforeAll(async () => {
  ({ profileId, documentIds } = await make.athlete(owner));
});

const actionsOf = async (id: number) => (await audit('application', id)).map(({ action }) => action);
const balanceOf = async (client: TestClient) => client.expect(200, await client.get('/wallet')).body.data.balance_minor;

/** Creates an application of the shared athlete; each test uses its own service or discipline. */
async function create(options: Record<string, unknown> = {}) {
  const body = { profile_id: profileId, service_id: 1, document_ids: documentIds, data: {}, ...options };
  return owner.expect(201, await owner.post('/applications', body)).body.data;
}
/** A ready athlete; the third document is a driving licence. */
async function withDriver(person: TestClient): Promise<Athlete> {
  const { profileId, documentIds } = await make.athlete(person);
  const driver = await make.document(person, profileId, { type: 'driver', status: 'approved' });
  return { profileId, documentIds: [...documentIds, driver] };
}
/** Cancels an application, so that another test may open the same one. */
async function giveUp(id: number) {
  owner.expect(200, await owner.post(`/applications/${id}/cancel`, { reason: 'The test is over' }));
}

// test/http/access-matrix.test.ts has who may call the routes.
test('an administrator reads an application with its process (API-3)', async () => {
  const { id } = await create({ service_id: 20 });
  expect((await owner.get(`/applications/${id}`)).body.data).not.toHaveProperty('process');
  const seen = administrator.expect(200, await administrator.get(`/applications/${id}`)).body.data;
  const next = { next_timer_at: expect.stringContaining('-01-01T00:00:00+05:00') };
  expect(seen.process).toMatchObject({ workflow_id: `application/${id}`, status: 'running', ...next });
  await giveUp(id);
});

describe('POST /applications/quote', () => {
  test('returns amount, coverage and purpose of the payment', async () => {
    const national = owner.expect(200, await owner.post('/applications/quote', { service_id: 2, data: { insurance_territory: 'CIS' } }))
      .body.data;
    expect(national).toEqual({
      amount_minor: 2_270_625,
      insurance_coverage_minor: 432_500_000,
      currency: 'KZT',
      breakdown: [
        { code: 'tariff', coefficient: '3.5', mrp_minor: 432_500, amount_minor: 1_513_750 },
        { code: 'cis_surcharge', coefficient: '1.75', mrp_minor: 432_500, amount_minor: 756_875 },
      ],
      payment: { purpose: 'insurance', insurance_required: true, label: expect.any(String) },
    });
    const licence = owner.expect(200, await owner.post('/applications/quote', { service_id: 10 })).body.data;
    expect(licence).toMatchObject({
      amount_minor: 8_650_000,
      insurance_coverage_minor: null,
      payment: { purpose: 'service', insurance_required: false },
    });
  });

  test.each([
    ['an unknown service', { service_id: 999 }, 'body.service_id'],
    ['a territory that is not sold', { service_id: 3, data: { insurance_territory: 'CIS' } }, 'body.data.insurance_territory'],
    ['an unknown territory', { service_id: 1, data: { insurance_territory: 'EU' } }, 'body.data.insurance_territory'],
    ['an unknown field', { service_id: 1, amount_minor: 1 }, 'body.amount_minor'],
  ])('refuses %s', async (_, body, path) => {
    const answer = await owner.post('/applications/quote', body);
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_failed', details: { fields: [{ path }] } } } });
  });
});

describe('POST /applications', () => {
  test('CAT-3: creates a draft with the price of the server', async () => {
    const application = await create({
      service_id: 2,
      data: { team: 'Алатау', sport: 'Ралли', discipline_id: 1, insurance_territory: 'CIS' },
    });
    expect(application).toMatchObject({
      profile_id: profileId,
      service_id: 2,
      service: { code: 'national_certificate_b', kind: 'national_certificate', category: 'B' },
      discipline: { id: 1, code: 'rally' },
      document_ids: documentIds,
      data: { team: 'Алатау', sport: 'Ралли', discipline_id: 1, insurance_territory: 'CIS' },
      amount_minor: 2_270_625,
      currency: 'KZT',
      status: 'draft',
      paid: false,
      number: null,
      verification_url: null,
      revision: 1,
      payment: { purpose: 'insurance', insurance_required: true, paid: false, transaction_id: null },
      readiness: { ready: false, waiting_for: 'owner' },
    });
    expect(await actionsOf(application.id)).toEqual(['application.created']);
    await giveUp(application.id);
  });

  test('APP-1: of concurrent requests one creates it, the others get its id', async () => {
    const body = { profile_id: profileId, service_id: 1, document_ids: documentIds, data: {} };
    const answers = await Promise.all(Array.from({ length: 20 }, () => owner.post('/applications', body)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    const { id } = made[0]?.body.data ?? {};
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'duplicate_application', details: { application_id: id } } } });
    }
    await giveUp(id);
    const again = await create();
    expect(again.id).toBeGreaterThan(id);
    await giveUp(again.id);
  });

  test('APP-1: another discipline is allowed, the same one is refused', async () => {
    const rally = await create({ service_id: 2, data: { discipline_id: 1 } });
    const drift = await create({ service_id: 2, data: { discipline_id: 4 } });
    const clash = await owner.patch(`/applications/${drift.id}`, { data: { discipline_id: 1 } });
    expect(clash).toMatchObject({ status: 409, body: { error: { code: 'duplicate_application', details: { application_id: rally.id } } } });
    await Promise.all([giveUp(rally.id), giveUp(drift.id)]);
  });

  test.each([
    ['a price', { amount_minor: 1 }, 'body.amount_minor'],
    ['a payment', { payment: { insurance_required: false } }, 'body.payment'],
    ['an unknown service', { service_id: 999 }, 'body.service_id'],
    ['a fee of a competition', { service_id: 30, data: { discipline_id: 1 } }, 'body.service_id,body.profile_id'],
    ['a service for organizers', { service_id: 21 }, 'body.profile_id'],
    ['no discipline where one is asked', { service_id: 2 }, 'body.data.discipline_id'],
    ['a discipline that the service has not', { service_id: 2, data: { discipline_id: 3 } }, 'body.data.discipline_id'],
    ['a discipline where none is', { service_id: 1, data: { discipline_id: 1 } }, 'body.data.discipline_id'],
    ['a document that is not there', { document_ids: [2_000_000_000] }, 'body.document_ids.0'],
    ['a document twice', { document_ids: [1, 1] }, 'body.document_ids'],
    ['an unknown field of the data', { data: { price: 5 } }, 'body.data.price'],
    ["an id beyond the database's", { service_id: 2 ** 31 }, 'body.service_id'],
    [
      'problems of service and documents together',
      { document_ids: [999_999], data: { discipline_id: 999_999 } },
      'body.data.discipline_id,body.document_ids.0',
    ],
  ])('refuses %s', async (_, options, paths) => {
    const answer = await owner.post('/applications', { profile_id: profileId, service_id: 1, document_ids: documentIds, ...options });
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
    expect(answer.body.error.details.fields.map((field: { path: string }) => field.path).join()).toBe(paths);
  });

  test('refuses a profile and documents of another account', async () => {
    const mine = await make.athlete(stranger);
    expect((await owner.post('/applications', { profile_id: mine.profileId, service_id: 1 })).status).toBe(404);
    const answer = await owner.post('/applications', {
      profile_id: profileId,
      service_id: 1,
      document_ids: [documentIds[0], mine.documentIds[0]],
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { details: { fields: [{ path: 'body.document_ids.1', code: 'not_found' }] } } },
    });
  });
});

describe('GET /applications', () => {
  test('lists the own applications, newest first, by page and filter', async () => {
    const [first, second] = [
      await create({ service_id: 2, data: { discipline_id: 2 } }),
      await create({ service_id: 2, data: { discipline_id: 5 } }),
    ];
    const list = owner.expect(200, await owner.get('/applications?status=draft&limit=1'));
    expect(list.body.meta).toEqual({ total: 2, page: 1, limit: 1 });
    expect(list.body.data).toEqual([second]);
    expect((await owner.get('/applications?status=draft&limit=1&page=2')).body.data).toEqual([first]);
    expect((await owner.get('/applications?status=draft&page=9')).body).toMatchObject({ data: [], meta: { total: 2, page: 9, limit: 20 } });
    expect((await owner.get(`/applications?status=draft&profile_id=${profileId}&year=${first.year}`)).body.meta.total).toBe(2);
    expect((await owner.get('/applications?year=2001')).body.meta.total).toBe(0);
    expect((await stranger.get('/applications')).body.meta.total).toBe(0);
    await Promise.all([giveUp(first.id), giveUp(second.id)]);
  });

  test.each(['status=paid', 'year=26', 'profile_id=x', 'limit=101', 'page=0', 'q=x'])('refuses %s', async (query) => {
    expect((await owner.get(`/applications?${query}`)).status).toBe(422);
  });
});

describe('PATCH /applications/{id}', () => {
  test('changes a draft and its price; refuses a stale revision', async () => {
    const application = await create({ data: { team: 'One', sport: 'Rally' } });
    const changed = owner.expect(
      200,
      await owner.patch(`/applications/${application.id}`, { data: { insurance_territory: 'CIS', team: null }, revision: 1 }),
    ).body.data;
    expect(changed).toMatchObject({ revision: 2, amount_minor: 1_297_500, data: { sport: 'Rally', insurance_territory: 'CIS' } });
    expect(changed.data).not.toHaveProperty('team');
    const stale = await owner.patch(`/applications/${application.id}`, { document_ids: [], revision: 1 });
    expect(stale).toMatchObject({ status: 409, body: { error: { code: 'stale_revision', details: { revision: 2 } } } });
    expect((await owner.patch(`/applications/${application.id}`, {})).status).toBe(422);
    const none = owner.expect(200, await owner.patch(`/applications/${application.id}`, { document_ids: [] })).body.data;
    expect(none.document_ids).toEqual([]);
    expect(await actionsOf(application.id)).toEqual(['application.created', 'application.updated', 'application.updated']);
    await giveUp(application.id);
  });

  test('of two concurrent changes with one revision, one wins', async () => {
    const { id } = await create({ service_id: 20 });
    const answers = await Promise.all(
      [1, 2, 3].map((n) => owner.patch(`/applications/${id}`, { data: { team: `Team ${n}` }, revision: 1 })),
    );
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 409, 409]);
    await giveUp(id);
  });

  test.each([
    ['paid', 8_650_000, ['changes']],
    ['issued free', 0, ['approve', 'changes']],
  ])('APP-9: a %s application keeps discipline and territory', async (_, amountMinor, decisions) => {
    const person = await api.user();
    const on = await withDriver(person);
    const { id } = await make.application(person, { status: 'submitted', serviceId: 10, on, data: { discipline_id: 1 } });
    if (amountMinor === 0) await api.sql("update applications set amount_minor = 0, breakdown = '[]' where id = $1", [id]);
    else {
      await make.money(person, amountMinor);
      person.expect(200, await person.post(`/applications/${id}/pay`));
    }
    const read = async () => person.expect(200, await person.get(`/applications/${id}`)).body.data;
    for (const decision of decisions) {
      const body = { kind: 'application', id, decision, note: 'Say which team it is', revision: (await read()).revision };
      administrator.expect(200, await administrator.post('/admin/review', body));
    }
    const { paid, number } = await read();
    const details = paid ? { paid } : { paid, number };
    for (const data of [{ discipline_id: 2 }, { insurance_territory: 'CIS' }])
      expect(await person.patch(`/applications/${id}`, { data })).toMatchObject({
        status: 409,
        body: { error: { code: 'invalid_state', details } },
      });
    const same = { team: 'Алатау', discipline_id: 1, insurance_territory: 'KZ' };
    const changed = person.expect(200, await person.patch(`/applications/${id}`, { data: same })).body.data;
    expect(changed).toMatchObject({ status: 'changes', amount_minor: amountMinor, data: same, review_note: 'Say which team it is' });
  });
});

describe('POST /applications/{id}/submit', () => {
  test('APP-3: lists what is missing, then submits once', async () => {
    const pending = await make.document(owner, profileId);
    const { id } = await create({ document_ids: [documentIds[0]] });
    const refused = await owner.post(`/applications/${id}/submit`);
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'incomplete_application', details: { missing: ['medical'] } } } });
    owner.expect(200, await owner.patch(`/applications/${id}`, { document_ids: [documentIds[0], pending] }));
    const sent = owner.expect(200, await owner.post(`/applications/${id}/submit`)).body.data;
    expect(sent).toMatchObject({
      status: 'submitted',
      submitted_at: expect.stringMatching(/\+05:00$/),
      readiness: { ready: false, waiting_for: 'owner' },
    });
    expect(await owner.post(`/applications/${id}/submit`)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    expect(await owner.patch(`/applications/${id}`, { data: { team: 'Late' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
    await giveUp(id);
  });

  test('a repeat with the same Idempotency-Key succeeds (API-6)', async () => {
    const { id } = await create({ service_id: 20 });
    const key = { 'idempotency-key': `submit-${id}` };
    const answers = [
      await owner.post(`/applications/${id}/submit`, undefined, key),
      await owner.post(`/applications/${id}/submit`, undefined, key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body.data.revision).toBe(answers[0]?.body.data.revision);
    expect(await actionsOf(id)).toEqual(['application.created', 'application.submitted']);
    await giveUp(id);
  });
});

describe('POST /applications/{id}/pay', () => {
  test('charges once for repeated requests and issues the certificate', async () => {
    const { id } = await create();
    expect(await owner.post(`/applications/${id}/pay`)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    owner.expect(200, await owner.post(`/applications/${id}/submit`));
    const poor = await owner.post(`/applications/${id}/pay`);
    expect(poor).toMatchObject({
      status: 409,
      body: { error: { code: 'insufficient_funds', details: { balance_minor: 0, amount_minor: 865_000 } } },
    });
    await make.money(owner, 2_000_000);
    const paid = owner.expect(200, await owner.post(`/applications/${id}/pay`)).body.data;
    const again = owner.expect(200, await owner.post(`/applications/${id}/pay`)).body.data;
    // The PDF is made beside the answers.
    expect(again).toEqual({ ...paid, certificate: again.certificate });
    expect(await balanceOf(owner)).toBe(2_000_000 - 865_000);
    expect(paid).toMatchObject({
      status: 'approved',
      number: expect.stringMatching(/^KZ-N-\d{4}-\d{6}$/),
      valid_until: `${paid.year}-12-31`,
      verification_url: expect.stringMatching(/\/v\/[A-Za-z0-9_-]{43}$/),
      payment: { paid: true, transaction_id: expect.any(Number), refund_transaction_id: null },
      readiness: { ready: true, waiting_for: null },
    });
    expect(await actionsOf(id)).toEqual(expect.arrayContaining(['application.paid', 'application.approved']));
    const notes = owner.expect(200, await owner.get(`/applications/${id}/timeline`)).body.data;
    expect(notes.map((step: { step: string }) => step.step).slice(0, 4)).toEqual(['created', 'submitted', 'paid', 'approved']);
    expect(notes.at(-1).waiting_for).toBe('date');
    expect(notes[2]).toMatchObject({ actor: 'owner', text: '8650.00 KZT was paid from the wallet.', waiting_for: null });
  });
});

describe('POST /applications/{id}/cancel', () => {
  test('APP-12: refunds while it is not approved', async () => {
    const person = await api.user();
    const { id } = await make.application(person, { status: 'submitted', medical: { status: 'pending', expiresAt: null } });
    await make.money(person, 865_000);
    person.expect(200, await person.post(`/applications/${id}/pay`));
    expect((await person.post(`/applications/${id}/cancel`, { reason: 'no' })).status).toBe(422);
    const cancelled = person.expect(200, await person.post(`/applications/${id}/cancel`, { reason: 'I am moving abroad' })).body.data;
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      paid: false,
      review_note: 'I am moving abroad',
      payment: { refunded_minor: 865_000, refund_transaction_id: expect.any(Number) },
    });
    expect(await balanceOf(person)).toBe(865_000);
    const steps = await api.sql('select step, amount_minor::int from application_history where application_id = $1 order by id', [id]);
    expect(steps.slice(-2)).toEqual([
      { step: 'cancelled', amount_minor: null },
      { step: 'refunded', amount_minor: 865_000 },
    ]);
    expect((await person.post(`/applications/${id}/cancel`, { reason: 'I am moving abroad' })).status).toBe(409);
    // Every door says of the returned money what the record says. Found by life 10.
    const rules = person.expect(200, await person.get(`/applications/${id}/readiness`)).body.data;
    expect(rules.find(({ rule }: { rule: string }) => rule === 'payment')).toMatchObject({ ok: false, waiting_for: null, fix: null });
    const { applications } = person.expect(200, await person.get(`/profiles/${cancelled.profile_id}/portfolio`)).body.data;
    expect(applications).toEqual([expect.objectContaining({ id, paid: false })]);
  });
});

describe('GET /applications/{id}/readiness', () => {
  test('APP-4: returns every rule, the party it waits for and the fix', async () => {
    const { id } = await create({ service_id: 20, document_ids: [] });
    const rules = owner.expect(200, await owner.get(`/applications/${id}/readiness`)).body.data;
    expect(rules).toEqual([
      // Incomplete: another step must come first.
      { rule: 'submitted', ok: false, waiting_for: 'owner', fix: null },
      { rule: 'profile', ok: true, waiting_for: null, fix: null },
      { rule: 'photo', ok: true, waiting_for: null, fix: null },
      { rule: 'identity_document', ok: false, waiting_for: 'owner', fix: { method: 'PATCH', path: `/applications/${id}` } },
      { rule: 'files', ok: true, waiting_for: null, fix: null },
      { rule: 'payment', ok: false, waiting_for: 'owner', fix: null },
      { rule: 'dates', ok: true, waiting_for: null, fix: null },
    ]);
    await giveUp(id);
  });
});

describe('an application that only waits for its administrator', () => {
  let person: TestClient;
  let documentId: number;
  let licenceId: number;

  async function paid(options: ApplicationOptions): Promise<number> {
    const { id } = await make.application(person, { ...options, status: 'submitted' });
    person.expect(200, await person.post(`/applications/${id}/pay`));
    return id;
  }
  const show = async (id: number) => person.expect(200, await person.get(`/applications/${id}`)).body.data;
  const review = async (id: number, dates: Record<string, unknown>) =>
    administrator.post('/admin/review', { kind: 'application', id, decision: 'approve', revision: (await show(id)).revision, ...dates });

  beforeAll(async () => {
    person = await api.user();
    const { profileId, documentIds } = await withDriver(person);
    await make.money(person, 20_000_000);
    documentId = await paid({ serviceId: 20, on: { profileId, documentIds: documentIds.slice(0, 2) } });
    licenceId = await paid({ serviceId: 10, on: { profileId, documentIds }, data: { discipline_id: 1 } });
  });

  test('is ready, and owner and administrator see the same rules', async () => {
    for (const id of [documentId, licenceId]) {
      const rules = person.expect(200, await person.get(`/applications/${id}/readiness`)).body.data;
      const record = administrator.expect(200, await administrator.get(`/admin/records/application/${id}`)).body.data;
      expect(rules).toEqual(record.certificate_review.conditions);
      expect(rules.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
      expect(record.certificate_review.can_approve).toBe(true);
      expect((await show(id)).readiness).toEqual({ ready: true, waiting_for: 'administrator' });
    }
  });

  test('is not approved with invalid days and stays unchanged (APP-8)', async () => {
    const { year } = await show(documentId);
    const [first, last] = [`${year}-01-01`, `${year}-12-31`];
    const refusals: [number, Record<string, unknown>, string][] = [documentId, licenceId].flatMap((id) => [
      [id, { valid_from: last, valid_until: first }, 'body.valid_until'],
      [id, { valid_until: `${year - 1}-12-31` }, 'body.valid_until'],
      [id, { valid_from: `${year - 1}-12-31`, valid_until: last }, 'body.valid_from'],
      [id, { valid_from: `${year + 1}-01-01` }, 'body.valid_from'],
    ]);
    refusals.push([documentId, { valid_until: `${year + 1}-01-01` }, 'body.valid_until']);
    // Days are checked before readiness.
    const unready = (await make.application(person, { status: 'submitted' })).id;
    refusals.push([unready, { valid_from: last, valid_until: first }, 'body.valid_until']);
    const before = [await show(documentId), await show(licenceId)];
    for (const [id, dates, path] of refusals) {
      const answer = await review(id, dates);
      expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
      expect(answer.body.error.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
    }
    expect((await review(unready, { valid_until: `${year + 1}-06-01` })).body.error.code).toBe('not_ready');
    expect([await show(documentId), await show(licenceId)]).toEqual(before);
  });

  test('is approved with valid days; a licence ends with its year at the latest (APP-8)', async () => {
    const { year } = await show(documentId);
    administrator.expect(200, await review(documentId, { valid_from: `${year}-01-01`, valid_until: `${year}-12-30` }));
    expect(await show(documentId)).toMatchObject({ status: 'approved', valid_from: `${year}-01-01`, valid_until: `${year}-12-30` });
    administrator.expect(200, await review(licenceId, { valid_until: `${year + 1}-06-01` }));
    expect(await show(licenceId)).toMatchObject({ status: 'approved', valid_until: `${year}-12-31` });
  });
});

test('APP-5: a paid certificate is issued when its last document is approved', async () => {
  const person = await api.user();
  const { id, documentIds } = await make.application(person, { status: 'submitted', medical: { status: 'pending' } });
  const [, pending = 0] = documentIds;
  await make.money(person, 865_000);
  expect(person.expect(200, await person.post(`/applications/${id}/pay`)).body.data).toMatchObject({
    status: 'submitted',
    readiness: { waiting_for: 'administrator' },
  });
  await approve(administrator, 'document', pending);
  const seen = await waitFor(
    () => person.get(`/applications/${id}`),
    ({ body: { data } }) => data.status === 'approved',
    'the approval',
  );
  expect(seen.body.data.number).toMatch(/^KZ-N-/);
});
