import { randomUUID } from 'node:crypto';
import { isClosedToImpersonation } from '../../../src/http/access/access.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { allRoutes } from '../../../src/routes.ts';
import type { Answer, TestClient } from '../../support/client.ts';
import { athleteData, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { certificateFixtures } from '../../support/factories/certificates.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { requests } from '../../support/factories/event-steps.ts';
import { eventFixtures, type EventWishes } from '../../support/factories/events.ts';
import { tell } from '../../support/factories/notifications.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { makeScan } from '../../support/papers/scans.ts';
import { startTestApi, type TestApi } from '../../support/test-api.ts';

/** Each change that an administrator may make in an account is made once, and the audit names both (ACC-14). A new route needs a line here. */

let api: TestApi;
let make: Fixtures<Member>;
let events: ReturnType<typeof eventFixtures>;
let user: TestClient;
let member: Member;
let administrator: TestClient;

beforeAll(async () => {
  api = await startTestApi();
  make = fixturesIn(api.platform);
  events = eventFixtures(api.platform);
  // No licence ends during the events of the test.
  const year = new Date().getFullYear() + 1;
  await api.browser().put('/sandbox/clock', { now: `${year}-03-01T09:00:00+05:00` });
  [user, administrator] = [await api.user('User'), await api.administrator()];
  const actor = { kind: 'user', userId: user.userId, isAdministrator: false, impersonatedUserId: null } as const;
  member = { userId: user.userId, caller: { actor, requestId: 'fixtures', ip: null } };
  const wanted = { user_id: user.userId, password: administrator.password };
  administrator.csrf = administrator.expect(200, await administrator.post('/admin/impersonate', wanted)).body.data.csrf_token;
});
afterAll(() => api.close());

/** What is sent: the path with its ids, and a body, a form or nothing. */
type Sent = [path: string, body?: unknown, raw?: FormData];

const db = () => databaseOf(api.platform.orm.em.fork());
const form = (content: Buffer, fields: Record<string, string> = {}) => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  made.set('file', new Blob([new Uint8Array(content)]), 'scan.pdf');
  return made;
};
const scan = () => makeScan(randomUUID());
const event = async (wishes: EventWishes = {}) => (await events.event(user, wishes)).id;
const application = async (wishes: Parameters<typeof make.application>[1] = {}) => (await make.application(member, wishes)).id;
const invoice = async () =>
  user.expect(201, await user.post('/invoices', { amount: '150.00' }, { 'idempotency-key': randomUUID() })).body.data.id;
const contract = async () => (await contractFixtures(api.platform).contract(user, { status: 'generated' })).id;
async function notification(): Promise<number> {
  await tell(api.platform, user.userId, await make.document(member, await make.profile(member)));
  return user.expect(200, await user.get('/notifications?limit=1')).body.data[0].id;
}
async function participation(): Promise<[number, number]> {
  const id = await event({ agreementFlow: 1 });
  const { applicationId, number } = await certificateFixtures(api.platform)();
  user.expect(201, await user.post(`/events/${id}/participants`, { certificate: number }));
  return [id, applicationId];
}
async function additional(): Promise<[number, number]> {
  const id = await event();
  const body = { file_id: await make.file(member, 'scan', randomUUID()), title: 'Bulletin', kind: 'bulletin' };
  return [id, user.expect(201, await user.post(`/events/${id}/additional-documents`, body)).body.data.document_id];
}
/** A registration of the user's for the user's own event. */
async function registration(): Promise<[number, number]> {
  const { id, profileId } = await make.application(member, { status: 'approved' });
  const eventId = await event();
  const rows = [{ eventId, ownerId: user.userId, profileId, applicationIds: [id], class: 'Абсолют' }];
  const [registrationId = 0] = await insertRegistrations(db(), rows, await api.platform.clock.now(db()));
  return [eventId, registrationId];
}

const actions: Record<string, () => Promise<Sent>> = {
  'PATCH /account': async () => ['/account', { language: 'kk' }],
  'POST /notifications/:id/read': async () => [`/notifications/${await notification()}/read`],
  'POST /notifications/read': async () => ['/notifications/read', { up_to_id: await notification() }],
  'PUT /notifications/preferences': async () => [
    '/notifications/preferences',
    { preferences: [{ type: 'document.approved', mail: false, bot: false }] },
  ],
  'POST /files': async () => ['/files', undefined, form(await scan(), { purpose: 'identity' })],
  'DELETE /files/:uuid': async () => [`/files/${await make.file(member, 'scan', randomUUID())}`],
  'POST /invoices': async () => ['/invoices', { amount: '100.00' }],
  'POST /invoices/:id/checkout': async () => [`/invoices/${await invoice()}/checkout`],
  'POST /invoices/:id/verify': async () => {
    const id = await invoice();
    user.expect(200, await user.post(`/invoices/${id}/checkout`));
    return [`/invoices/${id}/verify`];
  },
  'POST /profiles': async () => ['/profiles', { kind: 'athlete', data: athleteData }],
  'PATCH /profiles/:id': async () => [`/profiles/${await make.profile(member)}`, { data: { ...athleteData, city: 'Семей' } }],
  'DELETE /profiles/:id': async () => [`/profiles/${await make.profile(member)}`],
  'POST /profiles/:id/submit': async () => [`/profiles/${await make.profile(member)}/submit`],
  'POST /documents': async () => [
    '/documents',
    { profile_id: await make.profile(member), type: 'medical', file_id: await make.file(member, 'scan', randomUUID()) },
  ],
  'PATCH /documents/:id': async () => [`/documents/${await make.document(member, await make.profile(member))}`, { number: 'N7654321' }],
  'POST /applications': async () => {
    const { profileId, documentIds } = await make.athlete(member);
    return ['/applications', { profile_id: profileId, service_id: 1, document_ids: documentIds, data: {} }];
  },
  'PATCH /applications/:id': async () => [`/applications/${await application()}`, { data: { team: 'Alatau' } }],
  'POST /applications/:id/submit': async () => [`/applications/${await application()}/submit`],
  'POST /applications/:id/pay': async () => {
    const id = await application({ status: 'submitted' });
    await make.money(member, 100_000_000);
    return [`/applications/${id}/pay`];
  },
  'POST /applications/:id/cancel': async () => [`/applications/${await application()}/cancel`, { reason: 'by telephone' }],
  'PUT /applications/:id/sharing': async () => {
    const id = await application();
    await api.sql('update applications set sharing_enabled = true, sharing_confirmed_at = now() where id = $1', [id]);
    return [`/applications/${id}/sharing`, { enabled: false }];
  },
  'POST /events': async () => ['/events', requests.event(await events.organizer(user))],
  'PATCH /events/:id': async () => [`/events/${await event()}`, { location: 'Семей' }],
  'POST /events/:id/submit': async () => {
    const id = await event();
    const fileId = await make.file(member, 'scan', randomUUID());
    user.expect(200, await user.patch(`/events/${id}`, { stage: 'regulations', files: { regulations: fileId } }));
    return [`/events/${id}/submit`, { stage: 'regulations' }];
  },
  'POST /events/:id/cancel': async () => [`/events/${await event({ status: 'draft' })}/cancel`, { reason: 'by telephone' }],
  'PUT /events/:id/registration-settings': async () => [`/events/${await event()}/registration-settings`, { classes: ['N2'] }],
  'POST /events/:id/additional-documents': async () => [
    `/events/${await event()}/additional-documents`,
    { file_id: await make.file(member, 'scan', randomUUID()), title: 'Bulletin', kind: 'bulletin' },
  ],
  'DELETE /events/:id/additional-documents/:document_id': async () => {
    const [id, documentId] = await additional();
    return [`/events/${id}/additional-documents/${documentId}`];
  },
  'POST /events/:id/participants': async () => {
    const { number } = await certificateFixtures(api.platform)();
    return [`/events/${await event({ agreementFlow: 1 })}/participants`, { certificate: number }];
  },
  'PATCH /events/:id/participants/:application_id': async () => {
    const [id, applicationId] = await participation();
    return [`/events/${id}/participants/${applicationId}`, { place: 1 }];
  },
  'DELETE /events/:id/participants/:application_id': async () => {
    const [id, applicationId] = await participation();
    return [`/events/${id}/participants/${applicationId}`];
  },
  'POST /events/:id/registrations/batch': async () => {
    const on = await make.application(member, { status: 'approved' });
    const row = { profile_id: on.profileId, application_id: on.id, class: 'Абсолют' };
    return [`/events/${await event()}/registrations/batch`, { registrations: [row], submit: true }];
  },
  'POST /events/:id/register': async () => {
    const on = await make.application(member, { status: 'approved' });
    return [`/events/${await event()}/register`, { profile_id: on.profileId, application_id: on.id, class: 'Абсолют' }];
  },
  'PATCH /events/:id/registrations/:registration_id': async () => {
    const [id, registrationId] = await registration();
    return [`/events/${id}/registrations/${registrationId}`, { decision: 'approve' }];
  },
  'POST /event-registrations/:id/withdraw': async () => [`/event-registrations/${(await registration())[1]}/withdraw`],
  'POST /contracts': async () => {
    // The fixture brings the signing setting.
    await contract();
    return ['/contracts', { event_id: await event({ status: 'draft' }) }];
  },
  'POST /contracts/:id/scan': async () => [`/contracts/${await contract()}/scan`, undefined, form(await makeScan(randomUUID(), 2))],
  'POST /contracts/:id/replace': async () => [`/contracts/${await contract()}/replace`, { reason: 'by telephone' }],
  'POST /contracts/:id/cancel': async () => [`/contracts/${await contract()}/cancel`, { reason: 'by telephone' }],
  'POST /messenger/:perspective/registrations/:id/messages': async () => [
    `/messenger/athlete/registrations/${(await registration())[1]}/messages`,
    { message: 'Hello' },
  ],
  'POST /messenger/:perspective/registrations/:id/read': async () => {
    const [, id] = await registration();
    user.expect(201, await user.post(`/messenger/athlete/registrations/${id}/messages`, { message: 'Hello' }));
    return [`/messenger/organizer/registrations/${id}/read`];
  },
  'POST /chat/messages': async () => ['/chat/messages', { message: 'Hello' }],
  'POST /chat/read': async () => {
    const office = await api.administrator();
    office.expect(201, await office.post(`/admin/chats/${user.userId}/messages`, { message: 'Hello' }));
    return ['/chat/read'];
  },
  // Ends the impersonation, so it is the last.
  'POST /auth/impersonation/stop': async () => ['/auth/impersonation/stop'],
};

/** Changes of nothing. */
const withoutEffect = [
  // Computes a price.
  'POST /applications/quote',
  // Waits for the PDF that the process makes.
  'POST /contracts/:id/request-confirmation',
];

test('every route that changes something in an account is tried', () => {
  const routes = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(
    ({ method, access }) => method !== 'GET' && !isClosedToImpersonation(access) && access.kind !== 'public' && access.kind !== 'session',
  );
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(actions), ...withoutEffect].toSorted()).toEqual(names.toSorted());
});

test.each(Object.entries(actions))('%s', async (name, prepare) => {
  const [path, body, raw] = await prepare();
  const requestId = randomUUID();
  const headers = { 'x-request-id': requestId, 'idempotency-key': randomUUID() };
  const answer: Answer = await administrator.request(name.split(' ')[0] ?? '', path, { body, headers, ...(raw && { raw }) });
  expect([200, 201]).toContain(administrator.expect(answer.status < 300 ? answer.status : 200, answer).status);
  const rows = await api.sql<{ action: string; actor_id: number | null; impersonated_user_id: number | null }>(
    'select action, actor_id, impersonated_user_id from audit_events where request_id = $1',
    [requestId],
  );
  expect(rows).toContainEqual({ action: expect.any(String), actor_id: administrator.userId, impersonated_user_id: user.userId });
});
