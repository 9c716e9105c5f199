import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { payAtBank } from '../../../src/tools/demo/bank-form.ts';
import { readableHistory } from '../../replay/readable-history.ts';
import type { TestClient } from '../../support/client.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { findStaleDueDates } from '../../support/stale-due-dates.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { makePhoto, makeScan } from '../../support/papers/scans.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The main flow of a browser, from registration to certificate. Each test continues the one before. */

const { api, administrator, audit } = await useRegistry();
const year = Number((await api.browser().get('/sandbox/clock')).body.data.now.slice(0, 4));
let person: TestClient;

const privateWords = ['Әбдіқадырұлы', 'Ғалым', '900517300016', 'Сейфуллин көшесі', 'retake the photo', 'N77654321'];
const athlete = {
  last_name: 'Әбдіқадырұлы',
  first_name: 'Ғалым',
  birth_date: '1990-05-17',
  gender: 'male',
  citizenship: 'KZ',
  address: 'Сейфуллин көшесі, 12',
};
const price = { amount_minor: 865_000, text: '8650.00' };

let profileId: number;
let documentIds: number[];
let applicationId: number;
let verificationUrl: string;
let number: string;
const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);
const decide = (kind: string, id: number, decision = 'approve', note?: string) =>
  administrator.post('/admin/review', { kind, id, decision, ...(note === undefined ? {} : { note }) });

test('a person registers and is signed in', async () => {
  person = api.browser();
  await person.register('galym@example.kz', 'Ғалым Әбдіқадырұлы');
  const { data } = person.expect(200, await person.get('/account')).body;
  expect(data.user).toMatchObject({ role: 'user', name: 'Ғалым Әбдіқадырұлы' });
});

test('creates a profile with photo and two scans and submits it for review', async () => {
  const photo = person.expect(201, await person.upload(await makePhoto(), 'photo', 'portrait.jpg')).body.data;
  const body = { kind: 'athlete', data: athlete, photo_id: photo.id };
  const profile = person.expect(201, await person.post('/profiles', body)).body.data;
  expect(profile).toMatchObject({ kind: 'athlete', status: 'draft', name: expect.stringContaining('Әбдіқадырұлы') });
  profileId = profile.id;
  documentIds = [];
  for (const [type, expires_at] of [
    ['identity', `${year + 8}-01-10`],
    ['medical', `${year + 1}-11-30`],
  ]) {
    const file = person.expect(201, await person.upload(await makeScan(`scan ${type}`), 'document', `${type}.pdf`)).body.data;
    const document = {
      profile_id: profileId,
      type,
      file_id: file.id,
      number: 'N77654321',
      country: 'KZ',
      issued_at: '2024-01-10',
      expires_at,
    };
    documentIds.push(person.expect(201, await person.post('/documents', document)).body.data.id);
  }
  const submitted = person.expect(200, await person.post(`/profiles/${profileId}/submit`)).body.data;
  expect(submitted).toMatchObject({ status: 'pending', photo_status: 'pending' });
});

test('the administrator finds it in the queue, returns the photo once and approves everything', async () => {
  const { data: queue } = administrator.expect(200, await administrator.get('/admin/queue')).body;
  expect(queue.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['document', 'document', 'photo', 'profile']);
  administrator.expect(200, await decide('photo', profileId, 'changes', 'Please retake the photo without a hat.'));
  expect((await person.get(`/profiles/${profileId}`)).body.data).toMatchObject({ status: 'pending', photo_status: 'changes' });
  const photo = person.expect(201, await person.upload(await makePhoto(90), 'photo', 'portrait.jpg')).body.data;
  person.expect(200, await person.patch(`/profiles/${profileId}`, { photo_id: photo.id }));
  person.expect(200, await person.post(`/profiles/${profileId}/submit`));
  administrator.expect(200, await decide('profile', profileId));
  administrator.expect(200, await decide('photo', profileId));
  for (const id of documentIds) administrator.expect(200, await decide('document', id));
  const { data } = person.expect(200, await person.get(`/profiles/${profileId}`)).body;
  expect(data).toMatchObject({ status: 'approved', photo_status: 'approved' });
  expect(data.documents.map(({ status, review_note }: { status: string; review_note: null }) => [status, review_note])).toEqual([
    ['approved', null],
    ['approved', null],
  ]);
});

test('the person applies; only the payment is missing', async () => {
  const body = { profile_id: profileId, service_id: 1, document_ids: documentIds, data: { team: 'Алтай', sport: 'Автоспорт' } };
  const draft = person.expect(201, await person.post('/applications', body)).body.data;
  expect(draft).toMatchObject({
    status: 'draft',
    amount_minor: price.amount_minor,
    payment: { purpose: 'insurance', insurance_required: true },
  });
  applicationId = draft.id;
  expect(await person.post('/applications', body)).toMatchObject({
    status: 409,
    body: { error: { code: 'duplicate_application', details: { application_id: applicationId } } },
  });
  expect(person.expect(200, await person.post(`/applications/${applicationId}/submit`)).body.data.status).toBe('submitted');
  const { data: rules } = person.expect(200, await person.get(`/applications/${applicationId}/readiness`)).body;
  expect(rules.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([
    { rule: 'payment', ok: false, waiting_for: 'owner', fix: { method: 'POST', path: '/invoices' } },
  ]);
  expect(await person.post(`/applications/${applicationId}/pay`)).toMatchObject({
    status: 409,
    body: { error: { code: 'insufficient_funds', details: { balance_minor: 0, amount_minor: price.amount_minor } } },
  });
});

test('pays an invoice on the bank page', async () => {
  const invoice = person.expect(201, await person.post('/invoices', { amount: price.text }, { 'idempotency-key': 'the-one-invoice' })).body
    .data;
  const form = person.expect(200, await person.post(`/invoices/${invoice.id}/checkout`)).body.data;
  expect(form).toMatchObject({ method: 'POST', action: expect.stringMatching(/^http/), invoice: { status: 'pending' } });
  await payAtBank(form);
  const paid = person.expect(200, await person.post(`/invoices/${invoice.id}/verify`)).body.data;
  expect(paid).toMatchObject({ status: 'paid', late: false, bank_reference: expect.any(String) });
  expect((await person.get('/wallet')).body.data).toMatchObject({ balance_minor: price.amount_minor });
});

test('pays the application, which is approved; a second request does not charge (APP-5)', async () => {
  const approved = person.expect(200, await person.post(`/applications/${applicationId}/pay`)).body.data;
  expect(approved).toMatchObject({ status: 'approved', paid: true, number: `KZ-N-${year}-000001`, valid_until: `${year}-12-31` });
  ({ verification_url: verificationUrl, number } = approved);
  const again = person.expect(200, await person.post(`/applications/${applicationId}/pay`)).body.data;
  expect(again).toMatchObject({ status: 'approved', number });
  const { data: wallet } = (await person.get('/wallet')).body;
  expect(wallet.balance_minor).toBe(0);
  expect(wallet.operations.map(({ type, amount_minor }: { type: string; amount_minor: number }) => [type, amount_minor])).toEqual([
    ['application_payment', -price.amount_minor],
    ['invoice_payment', price.amount_minor],
  ]);
});

test('has a certificate of one A4 page with name, photo and the QR with the verification link', async () => {
  const answer = person.expect(200, await person.get(`/applications/${applicationId}/certificate`));
  const pdf = await readPdf(answer.bytes);
  expect(pdf).toMatchObject({ pages: 1, images: 1, qr: expect.stringMatching(`^${verificationUrl}#[\\w-]{300,600}$`) });
  expect(pdf.size.width).toBeCloseTo(595.28);
  expect(pdf.size.height).toBeCloseTo(841.89);
  for (const words of ['ҰЛТТЫҚ СЕРТИФИКАТ', 'Әбдіқадырұлы Ғалым', number, `31.12.${year}`, verificationUrl])
    expect(pdf.text).toContain(words);
  // Only the QR has the credential.
  expect(pdf.text).not.toContain('#');
  expect(answer.bytes.length).toBeLessThan(500_000);
});

test('a reader of the QR sees that it is valid, and no personal data (VER-3)', async () => {
  const stranger = api.browser();
  const answer = stranger.expect(200, await stranger.get(`/verify/${tokenOf(verificationUrl)}`));
  expect(answer.body.data).toMatchObject({
    valid: true,
    state: 'valid',
    kind: 'national_certificate',
    number,
    valid_until: `${year}-12-31`,
  });
  expect(verificationUrl).toMatch(new RegExp(`^${api.platform.config.BASE_URL}/v/[A-Za-z0-9_-]{43}$`));
  for (const language of ['ru', 'kk', 'en']) {
    const page = stranger.expect(200, await stranger.get(`/v/${tokenOf(verificationUrl)}?lang=${language}`));
    const html = page.bytes.toString();
    expect(html).toContain(number);
    expect(html).toContain(`lang="${language}"`);
    expect(html).not.toContain('<script');
    for (const word of privateWords) expect(html).not.toContain(word);
  }
});

test('people were notified, the audit names the actors and the ledger balances', async () => {
  const notified = await api.sql<{ type: string }>('select type from notifications where user_id = $1 order by id', [person.userId]);
  expect(notified.map(({ type }) => type)).toEqual([
    'photo.changes',
    'profile.approved',
    'photo.approved',
    'document.approved',
    'document.approved',
    'invoice.paid',
    'application.approved',
  ]);
  // The audit stores the address in plain text, which the arguments of a command encrypt.
  const byPerson = { actor_id: person.userId, ip: '127.0.0.1' };
  expect(await audit('application', applicationId)).toMatchObject([
    { action: 'application.created', ...byPerson },
    { action: 'application.submitted', ...byPerson },
    { action: 'application.paid', ...byPerson },
    { action: 'application.approved', actor_id: null },
    { action: 'application.certificate_made', actor_id: null },
  ]);
  expect(await findBrokenInvariants(api.surroundings.database.ownerUrl)).toEqual([]);
  expect(await findStaleDueDates(api.surroundings.database.ownerUrl)).toEqual([]);
});

test('an administrator sees the state of its process', async () => {
  const { data } = administrator.expect(200, await administrator.get(`/applications/${applicationId}`)).body;
  expect(data.process).toMatchObject({ workflow_id: `application/${applicationId}`, status: 'running', waiting_for: 'date' });
  const { data: timeline } = person.expect(200, await person.get(`/applications/${applicationId}/timeline`)).body;
  expect(timeline.length).toBeGreaterThanOrEqual(4);
});

test('no workflow history contains personal data', async () => {
  const connection = await Connection.connect({ address: api.platform.config.TEMPORAL_ADDRESS ?? '' });
  const client = new Client({ connection, namespace: api.platform.config.TEMPORAL_NAMESPACE });
  const types = new Set<string>();
  try {
    for await (const { workflowId, runId, type } of client.workflow.list()) {
      types.add(type);
      const text = readableHistory(await client.workflow.getHandle(workflowId, runId).fetchHistory());
      const found = [...privateWords, person.email, person.password, '127.0.0.1'].filter((word) => text.includes(word));
      expect({ workflowId, found }).toEqual({ workflowId, found: [] });
      // Control: the search also finds public values in payloads.
      if (type === 'applicationLifecycle') expect(text).toContain(number);
    }
  } finally {
    await connection.close();
  }
  expect([...types].sort()).toEqual([
    'applicationLifecycle',
    'documentReview',
    'invoiceReconciliation',
    'oneTimeSecret',
    'profileReview',
    'statusList',
  ]);
});

describe('while no worker runs', () => {
  let draftId: number;
  beforeAll(async () => {
    const body = { profile_id: profileId, service_id: 20, document_ids: documentIds };
    draftId = person.expect(201, await person.post('/applications', body)).body.data.id;
    await api.stopWorkers();
  });

  test('a command that needs a process answers 503 in bounded time, with Retry-After (API-10)', async () => {
    const startedAt = Date.now();
    const answers = await Promise.all([
      person.post(`/applications/${draftId}/submit`, undefined, { 'idempotency-key': 'submitted-while-away' }),
      decide('document', documentIds[0] ?? 0),
    ]);
    expect(Date.now() - startedAt).toBeLessThan(12_000);
    for (const answer of answers) {
      expect([answer.status, answer.body.error.code]).toEqual([503, 'workflow_unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
    }
  });

  test('reads, data changes and public verification still work (API-10)', async () => {
    person.expect(200, await person.get(`/applications/${draftId}`));
    person.expect(200, await person.get(`/applications/${applicationId}/certificate`));
    person.expect(200, await person.patch(`/profiles/${profileId}`, { data: { ...athlete, city: 'Семей' } }));
    const invoice = person.expect(201, await person.post('/invoices', { amount: '100.00' }, { 'idempotency-key': randomUUID() }));
    expect(invoice.body.data.status).toBe('created');
    expect((await api.browser().get(`/verify/${tokenOf(verificationUrl)}`)).body.data.valid).toBe(true);
  });

  test('once workers are back, the same request takes effect once', async () => {
    await api.startWorkers();
    const again = { 'idempotency-key': 'submitted-while-away' };
    expect(person.expect(200, await person.post(`/applications/${draftId}/submit`, undefined, again)).body.data.status).toBe('submitted');
    expect(person.expect(200, await person.post(`/applications/${draftId}/submit`, undefined, again)).body.data.status).toBe('submitted');
    const submissions = (await audit('application', draftId)).filter(({ action }) => action === 'application.submitted');
    expect(submissions).toHaveLength(1);
  });
});
