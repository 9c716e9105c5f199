import { captchaAnswer } from '../../support/identities/captcha-answer.ts';
import type { TestClient } from '../../support/client.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { findStaleDueDates } from '../../support/stale-due-dates.ts';
import { textOfRow, type NotificationRow } from '../../support/texts/notification-texts.ts';
import { mailsTo } from '../accounts/account-mails.ts';
import { useRegistry } from '../../support/use-registry.ts';

/**
 * A year by the sandbox clock, from March to the next January. The clock moves only forwards, so each test continues the one before. The
 * year is the one after the real one, so that the day of the run does not matter.
 */

const { api, make, administrator } = await useRegistry();
const year = Number((await api.browser().get('/sandbox/clock')).body.data.now.slice(0, 4)) + 1;
beforeAll(async () => {
  await api.travelTo(`${year}-03-01T09:00:00+05:00`);
});

const setClock = async (instant: string) => api.browser().expect(200, await api.browser().put('/sandbox/clock', { now: instant }));
const sweep = async () => api.browser().expect(200, await api.browser().post('/sandbox/sweep')).body.data.driven;
const verify = async (token: string, on?: string) => {
  const answer = await api.browser().get(`/verify/${token}${on === undefined ? '' : `?on=${on}`}`);
  return api.browser().expect(200, answer).body.data;
};
const tokenOf = (application: { verification_url: string }) => application.verification_url.split('/').at(-1) ?? '';
const applicationOf = async (client: TestClient, id: number) => client.expect(200, await client.get(`/applications/${id}`)).body.data;
const balanceOf = async (client: TestClient) => (await client.get('/wallet')).body.data.balance_minor;
const operationsOf = async (client: TestClient) =>
  (await client.get('/wallet')).body.data.operations.map(({ type }: { type: string }) => type);
const notificationsTo = async (client: TestClient, subjectKind: string) => {
  const rows = await api.sql<NotificationRow>(
    'select type, facts, subject_id from notifications where user_id = $1 and subject_kind = $2 order by id',
    [client.userId, subjectKind],
  );
  return rows.map((row) => ({ type: row.type, text: textOfRow(row) }));
};

/** Polls while the clock passes an instant. @returns the answers before and after it, by their own timestamps */
async function askAcross(token: string, instant: string) {
  const limit = Date.parse(instant);
  const [before, after] = [[] as { valid: boolean; state: string }[], [] as { valid: boolean; state: string }[]];
  await setClock(new Date(limit - 3_600_000).toISOString());
  before.push(await verify(token));
  await setClock(new Date(limit - 1_000).toISOString());
  while (after.length === 0) {
    const { valid, state, checked_at: at } = await verify(token);
    (Date.parse(at) < limit ? before : after).push({ valid, state });
  }
  return { before, after };
}

test('secrets expire by the clock: a captcha after ten minutes, a recovery link after thirty', async () => {
  const register = async (email: string, moveTo: string | null) => {
    const client = api.browser();
    await client.session();
    const captcha = await client.captcha('register');
    if (moveTo !== null) await setClock(moveTo);
    return client.post('/auth/register', { email, name: 'New Person', password: 'a-long-enough-secret', ...captcha });
  };
  expect(await register('late@example.kz', `${year}-03-01T09:20:00+05:00`)).toMatchObject({
    status: 422,
    body: { error: { code: 'captcha_failed' } },
  });
  expect((await register('late@example.kz', null)).status).toBe(201);

  const client = api.browser();
  await client.session();
  const ask = async () => {
    const { captcha_id } = await client.captcha('forgot');
    client.expect(202, await client.post('/auth/forgot', { email: 'late@example.kz', captcha_id, captcha_answer: captchaAnswer }));
    for (;;) {
      const mails = await mailsTo(api, 'late@example.kz');
      const token = /\/reset\?token=([\w-]+)/.exec(mails.at(-1) ?? '')?.[1];
      if (token !== undefined && !used.has(token)) return token;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  const used = new Set<string>();
  const first = await ask();
  used.add(first);
  await setClock(`${year}-03-01T10:00:00+05:00`);
  const reset = (token: string) => client.post('/auth/reset', { token, password: 'another-long-secret' });
  expect(await reset(first)).toMatchObject({ status: 422, body: { error: { code: 'token_invalid' } } });
  client.expect(200, await reset(await ask()));
});

describe('a document behind a certificate', () => {
  let owner: TestClient;
  let issued: { id: number; number: string; verification_url: string; document_ids: number[]; profile_id: number };
  let token: string;
  beforeAll(async () => {
    owner = await api.user();
    const { id } = await make.application(owner, { status: 'approved', medical: { expiresAt: `${year}-06-30` } });
    // The balance would allow a wrong second charge.
    await make.money(owner, 865_000);
    issued = await applicationOf(owner, id);
    token = tokenOf(issued);
    expect(issued.number).toBe(`KZ-N-${year}-000001`);
  });

  test('VER-1: is valid through its last day, invalid from the next second, before any sweep', async () => {
    const { before, after } = await askAcross(token, `${year}-07-01T00:00:00+05:00`);
    expect(before.length).toBeGreaterThan(0);
    expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['valid']));
    expect(after).toEqual([{ valid: false, state: 'under_correction' }]);
    expect((await applicationOf(owner, issued.id)).status).toBe('approved');
  });

  test('APP-11: the sweep returns the application and notifies the owner of the reason', async () => {
    expect((await sweep()).due_document).toBe(1);
    const [, medical] = issued.document_ids;
    const application = await applicationOf(owner, issued.id);
    expect(application).toMatchObject({ status: 'changes', paid: true, number: issued.number });
    expect(application.review_note).toContain(`Document ${medical}`);
    expect(application.review_note).toMatch(new RegExp(`Linked applications: ${issued.id}\\b`));
    const document = owner.expect(200, await owner.get(`/documents/${medical}`)).body.data;
    expect(document).toMatchObject({ status: 'expired', review_note: expect.stringContaining(`Linked applications: ${issued.id}`) });
    expect((await notificationsTo(owner, 'document')).filter(({ type }) => type === 'document.expired')).toHaveLength(1);
    const changes = (await notificationsTo(owner, 'application')).filter(({ type }) => type === 'application.changes');
    expect(changes).toEqual([{ type: 'application.changes', text: expect.stringContaining(`Document ${medical}`) }]);
    expect((await sweep()).due_document).toBe(0);
    expect(await verify(token)).toMatchObject({ valid: false, state: 'under_correction' });
  });

  test('a new document restores the same certificate without a charge (APP-10)', async () => {
    const [identity] = issued.document_ids;
    const [balance, operations] = [await balanceOf(owner), await operationsOf(owner)];
    const renewed = await make.document(owner, issued.profile_id, { status: 'approved', expiresAt: `${year}-11-30` });
    owner.expect(200, await owner.patch(`/applications/${issued.id}`, { document_ids: [identity, renewed] }));
    const approved = owner.expect(200, await owner.post(`/applications/${issued.id}/submit`)).body.data;
    expect(approved).toMatchObject({ status: 'approved', number: issued.number, paid: true, review_note: null });
    expect([await balanceOf(owner), await operationsOf(owner)]).toEqual([balance, operations]);
    expect(await verify(token)).toMatchObject({ valid: true, state: 'valid', number: issued.number });
  });

  test.each([
    ['before it was issued', '02-28', 0, 'not_started'],
    ['on the day it was issued', '03-01', 0, 'valid'],
    ['on the last day of its new document', '11-30', 0, 'valid'],
    ['after the last day of its new document', '12-01', 0, 'under_correction'],
    ['in the new year', '01-01', 1, 'expired'],
  ])('VER-4: answers for a day %s', async (_when, day, yearsOn, state) => {
    expect(await verify(token, `${year + yearsOn}-${day}`)).toMatchObject({ valid: state === 'valid', state });
  });
});

describe('the end of the year', () => {
  let holder: TestClient;
  let waiting: TestClient;
  let certificate: { id: number; number: string; verification_url: string };
  let unissued: { id: number; amount_minor: number; profile_id: number };
  let draftId: number;
  let sentBack: { id: number; revision: number; verification_url: string };

  beforeAll(async () => {
    holder = await api.user();
    waiting = await api.user();
    await setClock(`${year}-12-20T12:00:00+05:00`);
    await make.money(holder, 2_000_000 - 865_000);
    certificate = await applicationOf(holder, (await make.application(holder, { status: 'approved' })).id);
    // Paid, but one document is never reviewed.
    const { profileId, documentIds } = await make.athlete(waiting);
    const unreviewed = await make.document(waiting, profileId, { expiresAt: `${year + 1}-06-30` });
    const on = { profileId, documentIds: [...documentIds.slice(0, 1), unreviewed] };
    const { id } = await make.application(waiting, { status: 'submitted', on });
    await make.money(waiting, 1_000_000);
    unissued = waiting.expect(200, await waiting.post(`/applications/${id}/pay`)).body.data;
    expect(unissued).toMatchObject({ status: 'submitted', paid: true, number: null });
    draftId = (await make.application(waiting, { serviceId: 20, on })).id;

    const another = await api.user();
    sentBack = await applicationOf(another, (await make.application(another, { status: 'approved' })).id);
    await setClock(`${year}-12-22T12:00:00+05:00`);
    const { id: sentBackId, revision } = sentBack;
    const decision = { kind: 'application', id: sentBackId, decision: 'changes', revision, note: 'The name is misspelt.' };
    administrator.expect(200, await administrator.post('/admin/review', decision));
  });

  test('APP-8: a certificate is valid through 31 December 23:59:59 and expired the next second', async () => {
    expect(certificate.number).toBe(`KZ-N-${year}-000002`);
    const { before, after } = await askAcross(tokenOf(certificate), `${year + 1}-01-01T00:00:00+05:00`);
    expect(before.length).toBeGreaterThan(0);
    expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['valid']));
    expect(after).toEqual([{ valid: false, state: 'expired' }]);
  });

  test('APP-13: the sweep closes the year and refunds applications that were never issued', async () => {
    await sweep();
    expect(await applicationOf(holder, certificate.id)).toMatchObject({ status: 'closed', paid: true, number: certificate.number });
    expect(await applicationOf(waiting, unissued.id)).toMatchObject({ status: 'closed', paid: false, number: null });
    expect(await applicationOf(waiting, draftId)).toMatchObject({ status: 'closed' });
    const left = await api.sql("select id, status from applications where year = $1 and status not in ('closed', 'cancelled')", [year]);
    expect(left).toEqual([]);
    await sweep();
    expect(await balanceOf(waiting)).toBe(1_000_000);
    expect(await operationsOf(waiting)).toEqual(['application_refund', 'application_payment', 'correction']);
    expect(await balanceOf(holder)).toBe(2_000_000 - 865_000);
    for (const client of [holder, waiting]) {
      expect((await notificationsTo(client, 'application')).map(({ type }) => type)).toContain('application.closed');
    }
  });

  test('the certificate of the old year is expired today and valid for its days (VER-4)', async () => {
    const token = tokenOf(certificate);
    expect(await verify(token)).toMatchObject({ valid: false, state: 'expired', number: certificate.number });
    expect(await verify(token, `${year}-12-31`)).toMatchObject({ valid: true, state: 'valid' });
    expect((await holder.get(`/applications/${certificate.id}/certificate`)).status).toBe(200);
  });

  test('an application returned before its close is under correction for those days', async () => {
    const token = tokenOf(sentBack);
    expect(await verify(token)).toMatchObject({ valid: false, state: 'expired' });
    expect(await verify(token, `${year}-12-21`)).toMatchObject({ valid: true, state: 'valid' });
    for (const day of ['12-22', '12-31'])
      expect(await verify(token, `${year}-${day}`)).toMatchObject({ valid: false, state: 'under_correction' });
  });

  test('APP-1, APP-7: a new year allows a new application and restarts numbers', async () => {
    const { data: documents } = (await waiting.get(`/profiles/${unissued.profile_id}`)).body;
    const usable = documents.documents
      .filter(({ status }: { status: string }) => status === 'approved')
      .map(({ id }: { id: number }) => id);
    const body = { profile_id: unissued.profile_id, service_id: 1, document_ids: usable, data: {} };
    const made = waiting.expect(201, await waiting.post('/applications', body)).body.data;
    expect(made.year).toBe(year + 1);
    waiting.expect(200, await waiting.post(`/applications/${made.id}/submit`));
    const approved = waiting.expect(200, await waiting.post(`/applications/${made.id}/pay`)).body.data;
    expect(approved).toMatchObject({ status: 'approved', number: `KZ-N-${year + 1}-000001`, valid_until: `${year + 1}-12-31` });
    expect(await verify(tokenOf(approved))).toMatchObject({ valid: true, number: approved.number });
  });

  test('after the year all invariants hold, also those of reminders (APP-16)', async () => {
    expect(await findBrokenInvariants(api.surroundings.database.ownerUrl)).toEqual([]);
    expect(await findStaleDueDates(api.surroundings.database.ownerUrl)).toEqual([]);
  });
});
