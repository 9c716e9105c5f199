import { randomUUID } from 'node:crypto';
import { isClosedToImpersonation } from '../../../src/http/access/access.ts';
import type { Route } from '../../../src/http/define-route.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { allRoutes } from '../../../src/registry/routes.ts';
import type { Answer, TestClient } from '../../support/client.ts';
import { athleteData, fixturesIn, type Member } from '../../support/factories.ts';
import { certificateFixtures } from '../../support/factories/certificates.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { requests } from '../../support/factories/event-steps.ts';
import { eventFixtures, type EventOptions } from '../../support/factories/events.ts';
import { tell } from '../../support/factories/notifications.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { placeOf } from '../../support/place-of.ts';
import { makeScan } from '../../support/papers/scans.ts';
import { useRegistry } from '../../support/use-registry.ts';

/**
 * Each change that an administrator may make in an account is made once, and the audit names both. A route sends its
 * `request.example`, to a new record of the first segment of its path. One that needs more has an entry in `actions`.
 */

const { api } = await useRegistry();
const make = fixturesIn(api.platform);
const events = eventFixtures(api.platform);
let user: TestClient;
let member: Member;
let administrator: TestClient;

beforeAll(async () => {
  // No licence ends during the events of the test.
  const year = new Date().getFullYear() + 1;
  await api.browser().put('/sandbox/clock', { now: `${year}-03-01T09:00:00+05:00` });
  [user, administrator] = [await api.user('User'), await api.administrator()];
  const actor = { kind: 'user', userId: user.userId, isAdministrator: false, impersonatedUserId: null } as const;
  member = { userId: user.userId, caller: { actor, requestId: 'fixtures', ip: null } };
  const wanted = { user_id: user.userId, password: administrator.password };
  administrator.csrf = administrator.expect(200, await administrator.post('/admin/impersonate', wanted)).body.data.csrf_token;
});

/** What is sent: the path with its ids, and a body, a form or nothing. */
type Sent = [path: string, body?: unknown, raw?: FormData];

const db = () => databaseOf(api.platform.orm.em.fork());
const form = (content: Buffer, fields: Record<string, string> = {}) => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  made.set('file', new Blob([new Uint8Array(content)]), 'scan.pdf');
  return made;
};
const event = async (options: EventOptions = {}) => (await events.event(user, options)).id;
const application = async (options: Parameters<typeof make.application>[1] = {}) => (await make.application(member, options)).id;
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

/** A new record, as its owner makes it, by the first segment of a path. */
const makeRecord: Record<string, () => Promise<unknown>> = {
  applications: () => application(),
  contracts: contract,
  documents: async () => make.document(member, await make.profile(member)),
  'event-registrations': async () => (await registration())[1],
  events: () => event({ status: 'in_progress' }),
  files: () => make.file(member, 'scan', randomUUID()),
  invoices: invoice,
  notifications: notification,
  profiles: () => make.profile(member),
};

async function sendExample({ path, bodyKind, request: { example } }: Route): Promise<Sent> {
  const id = path.includes(':') ? await makeRecord[path.split('/')[1] ?? '']?.() : '';
  const sent = path.replace(/:\w+/, String(id));
  if (bodyKind !== 'upload') return [sent, example];
  return [sent, undefined, form(await makeScan(randomUUID(), 2), example as Record<string, string> | undefined)];
}

const actions: Record<string, () => Promise<Sent>> = {
  'POST /profiles': async () => ['/profiles', { kind: 'athlete', data: athleteData }],
  'PATCH /documents/:id': async () => [`/documents/${await make.document(member, await make.profile(member))}`, { number: 'N7654321' }],
  'PATCH /events/:id': async () => [`/events/${await event()}`, { location: 'Семей' }],
  'PUT /events/:id/registration-settings': async () => [`/events/${await event()}/registration-settings`, { classes: ['N2'] }],
  'POST /notifications/read': async () => ['/notifications/read', { up_to_id: await notification() }],
  'POST /invoices/:id/verify': async () => {
    const id = await invoice();
    user.expect(200, await user.post(`/invoices/${id}/checkout`));
    return [`/invoices/${id}/verify`];
  },
  'POST /documents': async () => [
    '/documents',
    { profile_id: await make.profile(member), type: 'medical', file_id: await make.file(member, 'scan', randomUUID()) },
  ],
  'POST /applications': async () => {
    const { profileId, documentIds } = await make.athlete(member);
    return ['/applications', { profile_id: profileId, service_id: 1, document_ids: documentIds, data: {} }];
  },
  'PATCH /applications/:id': async () => [`/applications/${await application()}`, { data: { team: 'Alatau' } }],
  'POST /applications/:id/pay': async () => {
    const id = await application({ status: 'submitted' });
    await make.money(member, 100_000_000);
    return [`/applications/${id}/pay`];
  },
  'PUT /applications/:id/sharing': async () => {
    const id = await application();
    await api.sql('update applications set sharing_enabled = true, sharing_confirmed_at = now() where id = $1', [id]);
    return [`/applications/${id}/sharing`, { enabled: false }];
  },
  'POST /events': async () => ['/events', requests.event(await events.organizer(user))],
  'POST /events/:id/submit': async () => {
    const id = await event();
    const fileId = await make.file(member, 'scan', randomUUID());
    user.expect(200, await user.patch(`/events/${id}`, { stage: 'regulations', files: { regulations: fileId } }));
    return [`/events/${id}/submit`, { stage: 'regulations' }];
  },
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
  'POST /event-registrations/:id/accept': async () => {
    const [, id] = await registration();
    await api.sql("update registrations set status = 'offered', offered_until = now() + interval '1000 days' where id = $1", [id]);
    return [`/event-registrations/${id}/accept`];
  },
  'POST /events/:id/registrations/batch': async () => {
    const on = await make.application(member, { status: 'approved' });
    const row = { profile_id: on.profileId, application_id: on.id, class: 'Абсолют' };
    return [`/events/${await event()}/registrations/batch`, { registrations: [row], submit: true }];
  },
  'POST /events/:id/registrations/import': async () => {
    const on = await make.application(member, { status: 'approved' });
    const [row] = await api.sql<{ name: string; number: string }>(
      `select p.name, c.number from profiles p, certificates c where p.id = $1 and c.application_id = $2`,
      [on.profileId, on.id],
    );
    const sheet = Buffer.from(`Athlete;Class;Licence number\n${row?.name};Абсолют;${row?.number}`);
    return [`/events/${await event()}/registrations/import`, undefined, form(sheet, { mode: 'submit' })];
  },
  'POST /events/:id/participants/import': async () => {
    const { number } = await certificateFixtures(api.platform)();
    const sheet = Buffer.from(`Licence number;Place\n${number};1`);
    return [`/events/${await event({ agreementFlow: 1 })}/participants/import`, undefined, form(sheet, { mode: 'submit' })];
  },
  'POST /events/:id/register': async () => {
    const on = await make.application(member, { status: 'approved' });
    return [`/events/${await event()}/register`, { profile_id: on.profileId, application_id: on.id, class: 'Абсолют' }];
  },
  'PATCH /events/:id/registrations/:registration_id': async () => {
    const [id, registrationId] = await registration();
    return [`/events/${id}/registrations/${registrationId}`, { decision: 'approve' }];
  },
  'POST /contracts': async () => {
    // The fixture brings the signing setting.
    await contract();
    return ['/contracts', { event_id: await event({ status: 'draft' }) }];
  },
  'POST /messenger/:perspective/registrations/:id/messages': async () => [
    `/messenger/athlete/registrations/${(await registration())[1]}/messages`,
    { message: 'Hello' },
  ],
  'POST /messenger/:perspective/registrations/:id/read': async () => {
    const [, id] = await registration();
    user.expect(201, await user.post(`/messenger/athlete/registrations/${id}/messages`, { message: 'Hello' }));
    return [`/messenger/organizer/registrations/${id}/read`];
  },
  'POST /chat/read': async () => {
    const office = await api.administrator();
    office.expect(201, await office.post(`/admin/chats/${user.userId}/messages`, { message: 'Hello' }));
    return ['/chat/read'];
  },
};

/** Changes of nothing. */
const withoutEffect = [
  // Computes a price.
  'POST /applications/quote',
  // Waits for the PDF that the process makes.
  'POST /contracts/:id/request-confirmation',
];

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
/** Ends the impersonation, so it is the last. */
const isEnd = ({ path }: Route) => Number(path === '/auth/impersonation/stop');
const changes = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' })
  .filter(
    ({ method, access }) => method !== 'GET' && !isClosedToImpersonation(access) && access.kind !== 'public' && access.kind !== 'session',
  )
  .toSorted((one, other) => isEnd(one) - isEnd(other));

test('each entry of the tables is a route', () => {
  expect(changes.map(nameOf)).toEqual(expect.arrayContaining([...Object.keys(actions), ...withoutEffect]));
});

test.each(changes.map((route) => [nameOf(route), route] as const).filter(([name]) => !withoutEffect.includes(name)))(
  'ACC-14: %s',
  async (name, route) => {
    const [path, body, raw] = await (actions[name] ?? (() => sendExample(route)))();
    const requestId = randomUUID();
    const headers = { 'x-request-id': requestId, 'idempotency-key': randomUUID() };
    const answer: Answer = await administrator.request(route.method, path, { body, headers, ...(raw && { raw }) });
    if (actions[name] === undefined && answer.status >= 400) {
      const edit = placeOf('test/areas/accounts/impersonated-actions.routes.test.ts', 'const actions');
      throw new Error(`${edit}: add an action that prepares ${name}; its example is answered ${answer.status} ${answer.bytes.toString()}`);
    }
    administrator.expect(answer.status === 201 ? 201 : 200, answer);
    const rows = await api.sql<{ action: string; actor_id: number | null; impersonated_user_id: number | null }>(
      'select action, actor_id, impersonated_user_id from audit_events where request_id = $1',
      [requestId],
    );
    expect(rows).toContainEqual({ action: expect.any(String), actor_id: administrator.userId, impersonated_user_id: user.userId });
  },
);
