import { TestClient } from '../../support/client.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator } = await useRegistry();

interface Listed {
  id: number;
  category: string;
  action: string;
  actor_id: number | null;
  subject: { kind: string; id: string };
  ip: string;
  request_id: string;
  data: Record<string, unknown> & { count: number };
}

async function find(query: string): Promise<Listed[]> {
  return administrator.expect(200, await administrator.get(`/admin/audit?${query}`)).body.data;
}
/** The security events that a filter finds, once all have been written. */
async function eventsOf(query: string): Promise<Listed[]> {
  await api.platform.securityLog.flush();
  return find(`category=security&${query}`);
}
let requests = 0;
/** Headers with a unique request id, to find the event of the request. */
const named = () => ({ 'x-request-id': `security-${(requests += 1)}-of-the-test` });

test('refused logins, captchas, CSRF tokens, keys, scopes and passwords are security events (AUD-5)', async () => {
  const person = await api.user();
  const secret = 'not-the-password-of-anybody';
  const attempts: [string, (headers: Record<string, string>) => Promise<unknown>, Partial<Listed>][] = [
    [
      'login.failed',
      async (headers) => {
        const browser = api.browser();
        await browser.session();
        await browser.post('/auth/login', { email: person.email, password: secret }, headers);
      },
      { actor_id: null, subject: { kind: 'user', id: String(person.userId) } },
    ],
    [
      'captcha.failed',
      async (headers) => {
        const { captcha_id } = await person.captcha('contact');
        const message = { name: 'x', email: 'x@example.kz', message: 'hello', captcha_id, captcha_answer: 'zzzzz' };
        await person.post('/contact', message, headers);
      },
      { actor_id: person.userId, subject: { kind: 'route', id: 'sendContactMessage' } },
    ],
    [
      'csrf.failed',
      (headers) => person.post('/auth/logout', undefined, { ...headers, 'x-csrf-token': 'wrong' }),
      { actor_id: person.userId, subject: { kind: 'route', id: 'logOut' } },
    ],
    [
      'api_key.refused',
      (headers) => new TestClient(api.url, 'fsk_made-up').get('/profiles', headers),
      { actor_id: null, subject: { kind: 'route', id: 'listProfiles' } },
    ],
    [
      'scope.refused',
      async (headers) => (await person.program(['files:read'])).get('/profiles', headers),
      { actor_id: person.userId, subject: { kind: 'route', id: 'listProfiles' } },
    ],
    ['access.refused', (headers) => person.get('/admin/queue', headers), { actor_id: person.userId }],
    [
      'password_confirmation.failed',
      (headers) => person.post('/auth/password', { current_password: secret, password: 'a-quite-different-secret' }, headers),
      { actor_id: person.userId },
    ],
    ['reset_link.refused', (headers) => api.browser().get('/reset?token=made-up', headers), { actor_id: null }],
    [
      'reset_link.refused',
      (headers) => person.post('/auth/reset', { token: 'made-up', password: 'a-quite-different-secret' }, headers),
      { actor_id: person.userId },
    ],
  ];
  for (const [action, attempt, expected] of attempts) {
    const headers = named();
    await attempt(headers);
    expect(await eventsOf(`request_id=${headers['x-request-id']}`)).toMatchObject([
      { category: 'security', action, ip: '127.0.0.1', ...expected },
    ]);
  }
  const written = JSON.stringify(await api.sql('select * from security_events'));
  for (const word of [secret, person.email, person.csrf ?? '', 'fsk_made-up', 'zzzzz']) expect(written).not.toContain(word);
});

test("a request for another account's record is an event with the record; for a missing record it is none", async () => {
  const [owner, other] = [await api.user(), await api.user()];
  const profile = await make.profile(owner);
  const file = await make.file(owner, 'scan', 'not yours');
  for (const [path, subject] of [
    [`/files/${file}`, { kind: 'file', id: file }],
    [`/profiles/${profile}`, { kind: 'profile', id: String(profile) }],
  ] as const) {
    // Equal events of one address and account share a row, so the second case needs another account.
    const reader = subject.kind === 'file' ? other : await api.user();
    const headers = named();
    expect((await reader.get(path, headers)).status).toBe(404);
    const expected = { action: 'record.refused', actor_id: reader.userId, subject };
    expect(await eventsOf(`request_id=${headers['x-request-id']}`)).toMatchObject([expected]);
  }
  const stranger = await api.user();
  const headers = named();
  expect((await stranger.get('/profiles/2000000000', headers)).status).toBe(404);
  expect(await eventsOf(`request_id=${headers['x-request-id']}`)).toEqual([]);
});

test('many equal refusals are one event with their count, without audit rows (AUD-5)', async () => {
  const person = await api.user();
  const before = await api.sql<{ count: number }>('select count(*)::int as count from audit_events');
  await Promise.all(Array.from({ length: 40 }, () => person.get('/admin/queue')));
  const events = await eventsOf(`actor_id=${person.userId}&action=access.refused`);
  expect(events.reduce((sum, { data }) => sum + data.count, 0)).toBe(40);
  // Two rows, if the minute changed between them.
  expect(events.length).toBeLessThanOrEqual(2);
  expect(await api.sql('select count(*)::int as count from audit_events')).toEqual(before);
});

test('the list has both categories, or one of them', async () => {
  const person = await api.user();
  await person.get('/admin/queue');
  await api.platform.securityLog.flush();
  const actions = async (query: string) =>
    (await find(`actor_id=${person.userId}${query}`)).map(({ category, action }) => [category, action]);
  expect(await actions('&category=action')).toEqual([['action', 'account.registered']]);
  expect(new Set(await actions(''))).toEqual(
    new Set([
      ['action', 'account.registered'],
      ['security', 'access.refused'],
    ]),
  );
  expect((await administrator.get('/admin/audit?category=other')).status).toBe(422);
});

test("an administrator's read of another account's record is audited, an owner's read is not (AUD-4)", async () => {
  const owner = await api.user();
  const profileId = await make.profile(owner);
  const documentId = await make.document(owner, profileId);
  const { id: applicationId } = await make.application(owner, { on: { profileId, documentIds: [documentId] } });
  const fileId: string = owner.expect(200, await owner.get(`/documents/${documentId}`)).body.data.file_id;
  const reads: [string, string, string | number, Record<string, unknown>][] = [
    [`/files/${fileId}`, 'file', fileId, {}],
    [`/profiles/${profileId}`, 'profile', profileId, {}],
    [`/documents/${documentId}`, 'document', documentId, {}],
    [`/documents/${documentId}/timeline`, 'document', documentId, { part: 'timeline' }],
    [`/applications/${applicationId}`, 'application', applicationId, {}],
    [`/admin/records/application/${applicationId}`, 'application', applicationId, { part: 'record' }],
  ];
  for (const [path, kind, id, data] of reads) {
    if (!path.startsWith('/admin')) owner.expect(200, await owner.get(path));
    const headers = named();
    administrator.expect(200, await administrator.get(path, headers));
    expect(await find(`request_id=${headers['x-request-id']}`)).toMatchObject([
      { category: 'action', action: `${kind}.read`, actor_id: administrator.userId, subject: { kind, id: String(id) }, data },
    ]);
    expect(await find(`action=${kind}.read&actor_id=${owner.userId}`)).toEqual([]);
  }
  // The read is no step of the record's timeline.
  const notified = owner.expect(200, await owner.get(`/applications/${applicationId}/timeline`)).body.data;
  expect(notified.map(({ step }: { step: string }) => step)).toEqual(['created']);
});

test('a sweep deletes security events after ninety days, and no audit rows (AUD-1, AUD-7, SBX-2)', async () => {
  const person = await api.user();
  await person.get('/admin/queue');
  expect(await eventsOf(`actor_id=${person.userId}`)).toHaveLength(1);
  const { now } = (await person.get('/sandbox/clock')).body.data;
  await api.travelTo(new Date(Date.parse(now) + 91 * 24 * 60 * 60_000).toISOString());
  expect(await api.sql('select 1 from security_events where actor_id = $1', [person.userId])).toEqual([]);
  expect(await api.sql('select action from audit_events where actor_id = $1', [person.userId])).toEqual([{ action: 'account.registered' }]);
});
