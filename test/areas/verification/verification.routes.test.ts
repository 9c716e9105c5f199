import { mock } from 'node:test';
import { Client } from 'pg';
import { readCertificate } from '../../../src/areas/verification/read-certificate.ts';
import type { TestClient } from '../../support/client.ts';
import type { AthleteOptions } from '../../support/factories.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();
const anonymous = api.browser();

beforeAll(async () => {
  // In the middle of a year, so that no test depends on the day of the run.
  const { now } = (await anonymous.get('/sandbox/clock')).body.data;
  await api.travelTo(`${Number(now.slice(0, 4)) + 1}-03-01T12:00:00+05:00`);
});

const tokenOf = (application: { verification_url: string }) => application.verification_url.replace(/^.*\/v\//, '');
const verify = async (token: string, query = '') => anonymous.expect(200, await anonymous.get(`/verify/${token}${query}`)).body.data;
const stateOf = async (token: string, query = '') => (await verify(token, query)).state;
const unknownToken = 'A'.repeat(43);

/** An administrator decides on a part of what a certificate stands on. */
const decide = async (kind: string, id: number, decision: string, more: object = {}) => {
  const body = { kind, id, decision, ...(decision === 'approve' ? {} : { note: 'Not readable.' }), ...more };
  administrator.expect(200, await administrator.post('/admin/review', body));
};

const applicationOf = async (owner: TestClient, id: number) => owner.expect(200, await owner.get(`/applications/${id}`)).body.data;

async function national(options: AthleteOptions = {}) {
  const owner = await api.user();
  const { id } = await make.application(owner, { ...options, status: 'approved' });
  const application = await applicationOf(owner, id);
  return { owner, application, token: tokenOf(application) };
}

/** An approved international licence of grade C. */
async function licence() {
  const owner = await api.user();
  const { profileId, documentIds } = await make.athlete(owner);
  const driver = await make.document(owner, profileId, { type: 'driver', status: 'approved', expiresAt: '2034-01-10' });
  const on = { profileId, documentIds: [...documentIds, driver] };
  const { id } = await make.application(owner, { status: 'approved', serviceId: 10, on, data: { discipline_id: 1 } });
  const application = await applicationOf(owner, id);
  return { owner, application, profileId, documents: on.documentIds, token: tokenOf(application) };
}

describe('GET /verify/{token}', () => {
  test('VER-2, VER-3: answers validity without personal data', async () => {
    const { application, token } = await national();
    const data = await verify(token);
    expect(data).toEqual({
      valid: true,
      state: 'valid',
      kind: 'national_certificate',
      number: application.number,
      valid_from: application.valid_from,
      valid_until: application.valid_until,
      documents_access: false,
      checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:00$/),
    });
    const year = Number(application.valid_until.slice(0, 4));
    expect(await stateOf(token, `?on=${year - 1}-12-31`)).toBe('not_started');
    expect(await stateOf(token, `?on=${year}-12-31`)).toBe('valid');
    expect(await stateOf(token, `?on=${year + 1}-01-01`)).toBe('expired');
  });

  test('answers many concurrent requests with few statements', async () => {
    const [first, second] = [await national(), await national()];
    const numbers = new Map([first, second].map(({ token, application }) => [token, application.number as string]));
    const tokens = Array.from({ length: 80 }, () => [first.token, unknownToken, second.token]).flat();
    const query = mock.method(Client.prototype, 'query');
    try {
      const certificates = await Promise.all(tokens.map((token) => readCertificate(api.platform, token)));
      expect(certificates.map((certificate) => certificate?.number)).toEqual(tokens.map((token) => numbers.get(token)));
      const texts = query.mock.calls.map(({ arguments: [statement] }) => String(Object(statement).text));
      expect(texts.filter((text) => text.includes('json_array_elements_text'))).toHaveLength(3);
    } finally {
      query.mock.restore();
    }
    const answers = await Promise.all(tokens.map((token) => anonymous.get(`/verify/${token}`)));
    expect(answers.map(({ status, body }) => (status === 200 ? body.data.number : status))).toEqual(
      tokens.map((token) => numbers.get(token) ?? 404),
    );
  });

  test('VER-4, VER-5: documents, photo and annulment change the answer at once; a future expiry changes that day', async () => {
    const year = (await anonymous.get('/sandbox/clock')).body.data.now.slice(0, 4);
    const { owner, application, token } = await national({ medical: { expiresAt: `${year}-12-30` } });
    expect([await stateOf(token, `?on=${year}-12-30`), await stateOf(token, `?on=${year}-12-31`)]).toEqual(['valid', 'under_correction']);
    const [, medical] = application.document_ids;
    const photo = application.profile_id;
    for (const [kind, id, decision] of [
      ['document', medical, 'changes'],
      ['document', medical, 'cancel'],
      ['photo', photo, 'changes'],
    ] as const) {
      await decide(kind, id, decision);
      expect(await verify(token)).toMatchObject({ valid: false, state: 'under_correction' });
      await decide(kind, id, 'approve');
      expect(await verify(token)).toMatchObject({ valid: true, state: 'valid' });
    }
    owner.expect(200, await owner.patch(`/profiles/${photo}`, { photo_id: await make.file(owner, 'photo', 'another') }));
    expect(await stateOf(token)).toBe('under_review');
    await decide('application', application.id, 'cancel', { revision: application.revision });
    expect(await verify(token)).toMatchObject({ valid: false, state: 'annulled', number: application.number });
  });

  test.each([
    ['unknown', unknownToken],
    ['too short', 'x'],
    ['a way out', '..%2f..'],
    ['too long', 'a'.repeat(5000)],
    ['not of our letters', '%F0%9F%98%80'],
    ['SQL', "' or 1=1 --"],
  ])('VER-3: a token that is %s is not found', async (_, token) => {
    expect(await anonymous.get(`/verify/${token}`)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  test.each([
    '?on=2026-02-30',
    '?on=today',
    '?on=2026-1-1',
    '?on=0000-01-01',
    '?on=1899-12-31',
    '?on=2200-01-01',
    '?day=2026-01-01',
    '?on=2026-01-01&on=2026-01-02',
  ])('refuses %s', async (query) => {
    expect(await anonymous.get(`/verify/${unknownToken}${query}`)).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_failed' } },
    });
  });
});

describe('documents of an international licence', () => {
  const notFound = { status: 404, body: { error: { code: 'not_found' } } };

  test('VER-6: are shown only with consent and while the licence is valid', async () => {
    const { owner, application, documents, token } = await licence();
    expect(await verify(token)).toMatchObject({ valid: true, kind: 'international_licence', documents_access: false });
    expect(await anonymous.get(`/verify/${token}/documents`)).toMatchObject(notFound);
    expect(await anonymous.get(`/verify/${token}/documents/1`)).toMatchObject(notFound);
    for (const other of [unknownToken, (await national()).token])
      expect(await anonymous.get(`/verify/${other}/documents/1`)).toMatchObject(notFound);

    owner.expect(200, await owner.put(`/applications/${application.id}/sharing`, { enabled: true, confirmed: true }));
    expect((await verify(token)).documents_access).toBe(true);
    const answer = anonymous.expect(200, await anonymous.get(`/verify/${token}/documents`));
    const { data } = answer.body;
    expect(data).toMatchObject({
      number: application.number,
      holder_name: expect.stringContaining('Әбдіқадырұлы'),
      category: 'C',
      discipline: { en: 'Rally' },
    });
    expect(data.documents.map(({ type }: { type: string }) => type)).toEqual(['identity', 'medical', 'driver']);
    const secrets = await api.sql<{ id: string; storage_key: string }>(
      'select f.id, f.storage_key from files f join documents d on d.file_id = f.id where d.id = any($1)',
      [documents],
    );
    for (const { id, storage_key: key } of secrets) {
      expect(answer.bytes.toString()).not.toContain(id);
      expect(answer.bytes.toString()).not.toContain(key);
    }
    for (const word of ['iin', 'phone', 'address', 'N12345678', 'birth']) expect(answer.bytes.toString()).not.toContain(word);

    const url = new URL(data.documents[1].url).pathname;
    const scan = anonymous.expect(200, await anonymous.get(url));
    expect(scan.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(scan.headers.get('content-type')).toBe('application/pdf');
    expect(scan.headers.get('cache-control')).toBe('no-store');
    expect(scan.headers.get('content-disposition')).toContain('medical-2.pdf');
    const etag = scan.headers.get('etag') ?? '';
    expect((await anonymous.get(url, { 'if-none-match': etag })).status).toBe(304);
    expect(await anonymous.get(url, { range: 'bytes=0-4' })).toMatchObject({ status: 206, bytes: Buffer.from('%PDF-') });
    expect(await anonymous.get(`/verify/${token}/documents/4`)).toMatchObject(notFound);
    expect(await anonymous.get(`/verify/${token}/documents/0`)).toMatchObject({ status: 422 });

    const page = anonymous.expect(200, await anonymous.get(`/v/${token}?lang=en`)).bytes.toString();
    expect(page).toContain('Documents shared by the holder');

    await decide('document', documents[1] ?? 0, 'changes');
    expect(await anonymous.get(`/verify/${token}/documents`)).toMatchObject(notFound);
    expect(await anonymous.get(url, { 'if-none-match': etag })).toMatchObject(notFound);
    await decide('document', documents[1] ?? 0, 'approve');
    expect((await anonymous.get(url)).status).toBe(200);

    owner.expect(200, await owner.put(`/applications/${application.id}/sharing`, { enabled: false }));
    expect(await anonymous.get(url)).toMatchObject(notFound);
    expect(await anonymous.get(`/verify/${token}/documents`)).toMatchObject(notFound);
    expect((await verify(token)).documents_access).toBe(false);
  });
});

describe('the page', () => {
  test('VER-7: is HTML without scripts, in the requested language, not cached', async () => {
    const { application, token } = await national();
    const answer = anonymous.expect(200, await anonymous.get(`/v/${token}`, { 'accept-language': 'kk-KZ,ru;q=0.5' }));
    const page = answer.bytes.toString();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(page).toContain('<html lang="kk">');
    expect(page).toContain('Жарамды');
    expect(page).toContain(application.number);
    expect(page).not.toContain('Әбдіқадырұлы');
    expect(page).not.toMatch(/<script|javascript:|\son\w+=/i);
    // A mail program counts punctuation to the link.
    for (const path of [`/v/${token}.`, `/v/${token}${encodeURIComponent('».')}`])
      expect([path, (await anonymous.get(path)).status]).toEqual([path, 200]);
    expect((await anonymous.get(`/v/${token}?lang=ru&utm_source=scanner`)).bytes.toString()).toContain('Действителен');
    const unknown = await anonymous.get(`/v/${unknownToken}?lang=en`);
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(unknown.bytes.toString()).toContain('Document not found');
  });
});

describe('replaced documents of an approved application', () => {
  /** Audited changes and submissions of an application. */
  const auditOf = async (id: number) =>
    (await audit('application', id))
      .filter(({ action }) => action === 'application.updated' || action === 'application.submitted')
      .map(({ action, data }) => [action, data['resubmission_due']]);

  /** A certificate with a returned medical document and an approved replacement. */
  async function returnedWithAnother() {
    const { owner, application, token } = await national();
    const [identity, medical] = application.document_ids;
    const another = await make.document(owner, application.profile_id, { status: 'approved', expiresAt: '2036-01-01' });
    await decide('document', medical, 'changes');
    expect(await stateOf(token)).toBe('under_correction');
    return { owner, application, token, path: `/applications/${application.id}`, returned: medical, replaced: [identity, another] };
  }

  test('APP-10: it is valid again once submitted, without a charge, with number and token', async () => {
    const { owner, application, token, path, replaced } = await returnedWithAnother();
    // Its PDF is made before, so that the timeline ends with the changes below.
    owner.expect(200, await owner.get(`${path}/certificate`));
    // The balance would allow a wrong second charge.
    await make.money(owner, application.amount_minor);
    const before = owner.expect(200, await owner.get('/wallet')).body.data.balance_minor;
    const patched = owner.expect(200, await owner.patch(path, { document_ids: replaced })).body.data;
    expect(patched).toMatchObject({ status: 'approved', number: application.number, readiness: { ready: false, waiting_for: 'owner' } });
    expect(await verify(token)).toMatchObject({ valid: false, state: 'under_correction' });
    expect(await stateOf(token, `?on=${application.valid_from}`)).toBe('under_correction');
    expect(await stateOf(token, `?on=${Number(application.valid_until.slice(0, 4)) + 1}-01-01`)).toBe('expired');
    const rules = owner.expect(200, await owner.get(`${path}/readiness`)).body.data;
    expect(rules.filter((rule: { ok: boolean }) => !rule.ok)).toEqual([
      { rule: 'submitted', ok: false, waiting_for: 'owner', fix: { method: 'POST', path: `${path}/submit` } },
    ]);
    const notified = owner.expect(200, await owner.get(`${path}/timeline`)).body.data.at(-1);
    expect(notified).toMatchObject({ step: 'updated', text: expect.stringContaining('not in force'), waiting_for: 'owner' });

    // The pending resubmission is stored, so sweeper and new workers do not make it valid.
    await api.stopWorkers();
    await api.startWorkers();
    anonymous.expect(200, await anonymous.post('/sandbox/sweep'));
    expect(await stateOf(token)).toBe('under_correction');
    expect(administrator.expect(200, await administrator.get(path)).body.data.process).toMatchObject({ waiting_for: 'owner' });

    const back = owner.expect(200, await owner.post(`${path}/submit`)).body.data;
    expect(back).toMatchObject({
      status: 'approved',
      number: application.number,
      verification_token: token,
      approved_at: application.approved_at,
      readiness: { ready: true, waiting_for: null },
    });
    expect(await verify(token)).toMatchObject({ valid: true, state: 'valid', number: application.number });
    expect(owner.expect(200, await owner.get('/wallet')).body.data.balance_minor).toBe(before);
    expect(owner.expect(200, await owner.get(`${path}/timeline`)).body.data.at(-1)).toMatchObject({
      step: 'submitted',
      waiting_for: 'date',
    });
    expect((await auditOf(application.id)).slice(-2)).toEqual([
      ['application.updated', true],
      ['application.submitted', undefined],
    ]);
  });

  test('an incomplete set is refused; before submission the set may be replaced again', async () => {
    const { owner, token, path, returned, replaced } = await returnedWithAnother();
    const [identity] = replaced;
    expect((await owner.patch(path, { document_ids: [identity] })).body.error.code).toBe('incomplete_application');
    // The same set replaces nothing: approving the returned document suffices.
    owner.expect(200, await owner.patch(path, { document_ids: [returned, identity] }));
    expect(await stateOf(token)).toBe('under_correction');
    await decide('document', returned, 'approve');
    // A document that is approved again needs no submission, also after a refused replacement.
    expect(await stateOf(token)).toBe('valid');
    expect((await owner.patch(path, { document_ids: [identity] })).body.error.code).toBe('invalid_state');
    await decide('document', returned, 'changes');
    owner.expect(200, await owner.patch(path, { document_ids: [...replaced].toReversed() }));
    owner.expect(200, await owner.patch(path, { document_ids: replaced }));
    await decide('document', returned, 'approve');
    owner.expect(200, await owner.patch(path, { document_ids: [identity, returned] }));
    expect(await stateOf(token)).toBe('under_correction');
    owner.expect(200, await owner.post(`${path}/submit`));
    expect(await stateOf(token)).toBe('valid');
  });

  test('two returned documents are replaced one after another', async () => {
    const { owner, application, token, path, replaced } = await returnedWithAnother();
    const [identity, medical] = replaced;
    await decide('document', identity, 'changes');
    owner.expect(200, await owner.patch(path, { document_ids: replaced }));
    const refused = await owner.post(`${path}/submit`);
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'incomplete_application', details: { missing: ['identity_document'] } } },
    });
    const passport = await make.document(owner, application.profile_id, { type: 'identity', status: 'approved' });
    owner.expect(200, await owner.patch(path, { document_ids: [passport, medical] }));
    owner.expect(200, await owner.post(`${path}/submit`));
    expect(await stateOf(token)).toBe('valid');
  });

  test('a submitted replacement is under review until it is approved', async () => {
    const { owner, application, token, path, replaced } = await returnedWithAnother();
    const [identity = 0] = replaced;
    const pending = await make.document(owner, application.profile_id, { expiresAt: '2036-01-01' });
    owner.expect(200, await owner.patch(path, { document_ids: [identity, pending] }));
    expect(await stateOf(token)).toBe('under_correction');
    owner.expect(200, await owner.post(`${path}/submit`));
    expect(await stateOf(token)).toBe('under_review');
    await decide('document', pending, 'approve');
    expect(await stateOf(token)).toBe('valid');
  });

  test('concurrent replacement and submission: valid only if the submission came last', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { owner, application, token, path, replaced } = await returnedWithAnother();
      const answers = await Promise.all([
        owner.post(`${path}/submit`),
        owner.patch(path, { document_ids: replaced }),
        owner.post(`${path}/submit`),
      ]);
      // A submission that came first found the returned document.
      for (const { status, body } of answers)
        if (status !== 200) expect(body).toMatchObject({ error: { code: 'incomplete_application', details: { missing: ['medical'] } } });
      const last = (await auditOf(application.id)).at(-1);
      expect(await stateOf(token)).toBe(last?.[0] === 'application.submitted' ? 'valid' : 'under_correction');
      owner.expect(200, await owner.post(`${path}/submit`));
      expect(await stateOf(token)).toBe('valid');
      expect(await api.sql('select 1 as x from ledger_transactions where application_id = $1', [application.id])).toHaveLength(1);
    }
  });

  test('the documents of a licence are hidden meanwhile (VER-6)', async () => {
    const { owner, application, profileId, documents, token } = await licence();
    owner.expect(200, await owner.put(`/applications/${application.id}/sharing`, { enabled: true, confirmed: true }));
    const [identity = 0, medical = 0, driver = 0] = documents;
    const another = await make.document(owner, profileId, { status: 'approved', expiresAt: '2036-01-01' });
    await decide('document', medical, 'cancel');
    owner.expect(200, await owner.patch(`/applications/${application.id}`, { document_ids: [identity, another, driver] }));
    expect((await anonymous.get(`/verify/${token}/documents`)).status).toBe(404);
    owner.expect(200, await owner.post(`/applications/${application.id}/submit`));
    expect(anonymous.expect(200, await anonymous.get(`/verify/${token}/documents`)).body.data.documents).toHaveLength(3);
  });
});
