import { Client, Connection } from '@temporalio/client';
import type { Route } from '../../src/http/define-route.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { countStatements, type Figures, listStatements, type SentStatement, tableOf } from '../support/count-statements.ts';
import { type Fixtures, fixturesByRequests, fixturesIn } from '../support/factories.ts';
import { insertContract } from '../support/factories/contracts.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { publicEventsIn } from '../support/factories/public-events.ts';
import type { Member } from '../support/factories/record.ts';
import { insertRegistrations, type RegistrationRow } from '../support/factories/registrations.ts';
import { signingFixtures } from '../support/factories/signings.ts';
import { placeOf } from '../support/place-of.ts';
import { temporalAddress } from '../support/servers.ts';
import { startTestMessenger } from '../support/identities/telephones.ts';
import { waitFor } from '../support/wait-for.ts';
import { addTenFacts, insertInvoices, isPage, recordKindOf, type Records } from '../support/factories/budget-records.ts';
import { useRegistry } from '../support/use-registry.ts';

/** Counts that are the same on every machine: statements of each page, events of each process. The benchmark measures times. */

/** Statements of each page, for any number of rows; one of them authenticates. */
const pageBudgets: Record<string, number> = {
  getSession: 1,
  getCaptcha: 7,
  // Each area says what prevents an erasure.
  getErasure: 12,
  getErasureOf: 12,
  getAccount: 1,
  getNotificationPreferences: 2,
  listApiKeys: 3,
  getCatalog: 2,
  getPrices: 3,
  listFiles: 3,
  // The newest invoices and their number.
  getWallet: 5,
  getInvoice: 2,
  getInvoiceTimeline: 3,
  listProfiles: 2,
  summarizeProfiles: 6,
  getProfile: 3,
  getPortfolio: 7,
  listVehicles: 3,
  // Applications and registrations are searched for its uses.
  getDocument: 4,
  getDocumentTimeline: 3,
  listEvents: 3,
  getEvent: 2,
  getEventTimeline: 3,
  listAdditionalDocuments: 4,
  // One of them reads how the certificates stand now.
  listParticipants: 5,
  getRegistrationSettings: 2,
  listContracts: 3,
  getContract: 2,
  getContractTimeline: 3,
  verifyAgreement: 1,
  listApplications: 3,
  getApplication: 2,
  getApplicationReadiness: 2,
  getApplicationTimeline: 3,
  // One of them asks whether the next year can be applied for.
  getRegistrationOptions: 9,
  listRegistrations: 5,
  getRegistration: 3,
  getRegistrationTimeline: 3,
  listEventRegistrations: 6,
  verifyCertificate: 1,
  listSharedDocuments: 2,
  // The page, and both counts.
  listNotifications: 3,
  countUnreadNotifications: 2,
  listQueue: 2,
  // One of them writes the audit of the read.
  getApplicationRecord: 7,
  getProfileRecord: 7,
  getDocumentRecord: 8,
  getEditedCatalog: 4,
  // Each of the four indexes of words for whole words, then for beginnings.
  searchRecords: 9,
  // The page, the count, and the names of the accounts.
  listAuditEvents: 4,
  // Nine kinds are due by date, each by its own index, documents by two; then waiting, longest waiting, totals, sums of the day and failures.
  getOverview: 21,
  // Authentication, the page and the count.
  listAthletes: 3,
  // The page, its total and the lists.
  listNationalCertificates: 4,
  listUsers: 3,
  // One of them writes the audit of the read.
  getUser: 6,
  getIncident: 2,
  // One of them writes the audit of the read.
  getContactMessage: 3,
  listLedger: 3,
  // One of them reads all counts, one the quota of the target, one writes the audit of the read.
  previewOwnershipTransfer: 7,
  // The same ten, failures, totals, records of each kind until the page is full, and each kind on it: here five and four.
  listProcesses: 29,
  listPublicEvents: 2,
  getPublicEvent: 2,
  // The administration's row, the page and the count.
  listDialogs: 4,
  getConversation: 3,
  getChat: 3,
  getUnreadChat: 2,
  // One of them writes the audit of the read.
  listChats: 4,
  // One of them writes the audit of the read.
  getAccountChat: 4,
};

/** Query parameters that a page requires, or without which its first page is full before the rows are added. */
const queries: Record<string, string> = {
  '/captcha': '?purpose=contact',
  '/admin/audit': '?limit=100',
  '/admin/search': '?q=unknown',
  '/admin/profiles/:id/owner/preview': '?target_user_id=1',
};

/** The limit of a page that is not in the table, such as a new one. */
const usualStatements = 5;

/** Pages that must show more rows when there are more; otherwise the added rows belong to another page. */
const growing = [
  'listApiKeys',
  'listFiles',
  'getWallet',
  'getInvoiceTimeline',
  'listProfiles',
  'summarizeProfiles',
  'getProfile',
  'getPortfolio',
  'listVehicles',
  'getDocument',
  'getDocumentTimeline',
  'listContracts',
  'getContractTimeline',
  'listApplications',
  'getApplicationTimeline',
  'listAdditionalDocuments',
  'listParticipants',
  'getRegistrationOptions',
  'listRegistrations',
  'getRegistration',
  'getRegistrationTimeline',
  'listEventRegistrations',
  'listSharedDocuments',
  'listNotifications',
  'listQueue',
  'getApplicationRecord',
  'getProfileRecord',
  'getDocumentRecord',
  'listAuditEvents',
  'listProcesses',
  'listAthletes',
  'listNationalCertificates',
  'listUsers',
  'listLedger',
  'listPublicEvents',
  'getPublicEvent',
  'listDialogs',
  'getConversation',
  'getChat',
  'listChats',
  'getAccountChat',
];

/**
 * Upper bounds of a process in Temporal's history. Messages that arrive together may share a workflow task, so the count may be less.
 * Temporal counts the bytes.
 */
const historyBudgets: Record<string, { events: number; bytes: number }> = {
  // Started, submitted, paid, certificate made.
  application: { events: 37, bytes: 7800 },
  // Started, approved; waits for its last day.
  document: { events: 20, bytes: 4700 },
  // Submitted, the data approved, the photo approved; over.
  profile: { events: 28, bytes: 7200 },
  // Started, checked out, paid at the bank, verified by its owner; over. A slow machine may ask the bank once more.
  invoice: { events: 58, bytes: 11_500 },
  // Waits for a place, is offered the first free one, accepts it.
  registration: { events: 22, bytes: 5800 },
  // 250 rows in three batches; keeps their outcome.
  import: { events: 25, bytes: 5600 },
};

const messenger = await startTestMessenger();
const { api, owner, administrator } = await useRegistry(messenger.variables);

afterAll(async () => {
  await messenger.close();
});

const pages = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(isPage);

interface Asked {
  name: string;
  statements: SentStatement[];
  /** Size of the answer, bytes. */
  length: number;
}

/** Statements of a page, without the sandbox clock and the outbox relay. */
async function ask(route: Route, records: Records): Promise<Asked> {
  const path = route.path.replace(':perspective', 'athlete').replace(/:\w+/, String(records[recordKindOf(route.path)] ?? 'missing'));
  const client = route.access.kind === 'administrator' ? administrator : owner;
  const { statements, result } = await countStatements(() => client.get(`${path}${queries[route.path] ?? ''}`));
  expect([route.path, result.status, result.body.error]).toEqual([route.path, 200, undefined]);
  return {
    name: route.name,
    statements: statements.filter(({ text }) => !text.includes('"sandbox_clock"') && !text.includes('"outbox"')),
    length: result.bytes.length,
  };
}

describe('pages', () => {
  let fixtures: Fixtures<Member>;
  let member: Member;
  let records: Records;

  /** A shared licence with one record of every kind. */
  beforeAll(async () => {
    // The processes must not use the database during the count.
    await api.stopWorkers();
    fixtures = fixturesIn({ ...api.platform, outbox: relayOnlyOutbox });
    const actor = { kind: 'user', userId: owner.userId, isAdministrator: false, impersonatedUserId: null } as const;
    member = { userId: owner.userId, caller: { actor, requestId: 'budget', ip: null } };
    const on = await fixtures.athlete(member);
    on.documentIds.push(await fixtures.document(member, on.profileId, { type: 'driver', status: 'approved', expiresAt: '2034-01-10' }));
    const shared = { sharingEnabled: true, sharingConfirmedAt: new Date() };
    const licence = { on, serviceId: 10, data: { discipline_id: 1 }, status: 'approved', columns: shared } as const;
    const { id, profileId, documentIds } = await fixtures.application(member, licence);
    const [found] = await api.sql<{ token: string; file_id: string }>(
      'select c.token, d.file_id from certificates c, documents d where c.application_id = $1 and d.id = $2',
      [id, documentIds[0]],
    );
    const events = publicEventsIn(databaseOf(api.platform.orm.em.fork()), api.platform.storage);
    const eventId = await events.event({ ownerId: owner.userId, profileId }, { stages: { results: 'approved' } });
    const registrations = [{ eventId, ownerId: owner.userId, profileId, applicationIds: [id] }];
    const [registrationId = 0] = await insertRegistrations(databaseOf(api.platform.orm.em.fork()), registrations, new Date());
    await insertInvoices(api, owner.userId, 1);
    const [invoice] = await api.sql<{ id: number }>('select id from invoices where owner_id = $1', [owner.userId]);
    await owner.makeKey(['files:read']);
    owner.expect(201, await owner.post('/chat/messages', { message: 'Hello' }));
    await signingFixtures(api.platform).signing(administrator.userId);
    const contract = await insertContract({ ...api.platform, outbox: relayOnlyOutbox }, member);
    const [made] = await api.sql<{ id: number }>(
      `insert into national_exports (administrator_id, list, count, file_id, request_id, requested_at)
       values ($1, 'print', 1, gen_random_uuid(), 'budget', now()) returning id`,
      [administrator.userId],
    );
    const [key] = await api.sql<{ id: number }>('select id from api_keys where user_id = $1', [owner.userId]);
    const [incident] = await api.sql<{ id: number }>(
      `insert into incidents (kind, subject_kind, subject_id, details, at)
       values ('bank_mismatch', 'invoice', $1, '{}', now()) returning id`,
      [String(invoice?.id)],
    );
    const [message] = await api.sql<{ id: number }>(
      `insert into contact_messages (name, email, message, created_at) values ('x', 'x@example.kz', 'budget', now()) returning id`,
    );
    const [webhook] = await api.sql<{ id: number }>(
      `with made as (
         insert into webhooks (user_id, url, types, sees_all, secret, place, change_id, position_at, created_at, updated_at)
         values ($1, 'https://example.com/', '{*}', false, 'x', 0, 0, now(), now(), now()) returning id)
       insert into webhook_deliveries (webhook_id, message_id, type, subject, body, is_test, is_own, next_try_at, created_at)
       select id, 'budget', 'budget', 'budget', '{}', false, true, now(), now() from made returning webhook_id as id`,
      [owner.userId],
    );
    const [archive] = await api.sql<{ id: number }>(
      `insert into account_exports (user_id, file_id, request_id, requested_at) values ($1, gen_random_uuid(), 'budget', now()) returning id`,
      [owner.userId],
    );
    const [list, results] = await api.sql<{ id: number }>(
      `insert into imports (kind, mode, status, event_id, owner_id, actor_id, request_id, row_count, ignored_columns, created_at)
       select kind, 'check', 'done', $2, $1, $1, 'budget', 200, '[]', now() from unnest('{registrations,participants}'::text[]) kind returning id`,
      [owner.userId, eventId],
    );
    records = {
      account: archive?.id ?? 0,
      'registration-imports': list?.id ?? 0,
      'participant-imports': results?.id ?? 0,
      webhooks: webhook?.id ?? 0,
      'admin/users': owner.userId,
      'admin/incidents': incident?.id ?? 0,
      'admin/contact-messages': message?.id ?? 0,
      'api-keys': key?.id ?? 0,
      applications: id,
      contracts: contract.id,
      'contracts/verify': contract.token,
      // The default one.
      'admin/contract-templates': 1,
      'admin/national': made?.id ?? 0,
      'admin/chats': owner.userId,
      'admin/profiles': profileId,
      documents: documentIds[0] ?? 0,
      events: eventId,
      'event-registrations': registrationId,
      files: found?.file_id ?? '',
      invoices: invoice?.id ?? 0,
      messenger: registrationId,
      profiles: profileId,
      verify: found?.token ?? '',
    };
  });

  afterAll(() => api.startWorkers());

  async function askAll(): Promise<Asked[]> {
    const all: Asked[] = [];
    for (const route of pages) all.push(await ask(route, records));
    return all;
  }

  async function addTenOfEach(): Promise<void> {
    const rows: RegistrationRow[] = [];
    for (let more = 0; more < 10; more += 1) {
      const { id, profileId } = await fixtures.application(member, { status: 'approved' });
      rows.push({ eventId: Number(records['events']), ownerId: owner.userId, profileId, applicationIds: [id] });
      await fixtures.document(member, Number(records['profiles']), { status: 'approved', expiresAt: '2034-01-10' });
      await fixtures.profile(await fixtures.person(), { status: 'pending' });
      await insertContract({ ...api.platform, outbox: relayOnlyOutbox }, member);
    }
    await insertRegistrations(databaseOf(api.platform.orm.em.fork()), rows, new Date());
  }

  test('cost the listed number of statements, for one row or many', async () => {
    const few = new Map<string, number>();
    const many = new Map<string, number>();
    for (const { name, length } of await askAll()) few.set(name, length);
    await addTenOfEach();
    await addTenFacts(api, records, { ownerId: owner.userId, administratorId: administrator.userId });
    const measured: Figures = {};
    const budgets: Figures = {};
    let details = '';
    for (const { name, statements, length } of await askAll()) {
      const budget = pageBudgets[name] ?? Math.min(usualStatements, statements.length);
      Object.assign(measured, { [name]: { statements: statements.length } });
      Object.assign(budgets, { [name]: { statements: budget } });
      if (statements.length !== budget) details += `\n\n${listStatements(name, statements)}`;
      many.set(name, length);
    }
    if (details !== '') details += `\n\nFewer statements, or the figures in ${placeOf('test/http/budgets.test.ts', 'const pageBudgets')}`;
    expect(tableOf(measured) + details).toBe(tableOf(budgets));
    expect(growing.filter((name) => (many.get(name) ?? 0) < (few.get(name) ?? 0) + 100)).toEqual([]);
  });
});

test('the history of a process holds a few events for each command', async () => {
  // No licence ends before the event.
  await api.travelTo(`${new Date().getFullYear() + 1}-03-01T12:00:00+05:00`);
  const fixtures = fixturesByRequests(api);
  const { profileId, documentIds } = await fixtures.athlete(owner);
  const { id } = await fixtures.application(owner, { on: { profileId, documentIds }, status: 'approved' });
  const certificate = 'select pdf_made_at as at from certificates where application_id = $1';
  await waitFor(
    () => api.sql<{ at: Date | null }>(certificate, [id]),
    ([made]) => made?.at != null,
    'the certificate to be made',
  );
  const [invoice] = await api.sql<{ id: number }>("select id from invoices where owner_id = $1 and status = 'paid'", [owner.userId]);
  const [registrationId, importId] = [await acceptOfferedPlace(), await importManyRows()];
  const connection = await Connection.connect({ address: await temporalAddress() });
  const measured: Figures = {};
  const above: string[] = [];
  try {
    const client = new Client({ connection, namespace: api.surroundings.config.TEMPORAL_NAMESPACE });
    const ids = {
      application: id,
      document: documentIds[1],
      profile: profileId,
      invoice: invoice?.id,
      registration: registrationId,
      import: importId,
    };
    for (const [kind, recordId] of Object.entries(ids)) {
      const { historyLength: events, historySize: bytes = 0 } = await client.workflow.getHandle(`${kind}/${recordId}`).describe();
      measured[kind] = { events, bytes };
      const budget = historyBudgets[kind];
      if (budget === undefined || events > budget.events || bytes > budget.bytes) above.push(kind);
    }
  } finally {
    await connection.close();
  }
  // The tables show more than the names.
  expect(above.length === 0 ? '' : tableOf(measured)).toBe(above.length === 0 ? '' : tableOf(historyBudgets));
});

/** A registration that waits for the only place of its class until another is withdrawn, and accepts it. @returns its id */
async function acceptOfferedPlace(): Promise<number> {
  const fixtures = fixturesByRequests(api);
  const settings = { classes: ['N2'], classLimits: [{ name: 'N2', capacity: 1, waitingList: true, offerHours: 48 }] };
  const event = await eventFixtures(api.platform).event(administrator, { settings });
  const ids: number[] = [];
  for (let more = 0; more < 2; more += 1) {
    const { id, profileId } = await fixtures.application(owner, { status: 'approved' });
    const body = { profile_id: profileId, application_id: id, class: 'N2' };
    ids.push(owner.expect(201, await owner.post(`/events/${event.id}/register`, body)).body.data.id);
  }
  const [holding = 0, waiting = 0] = ids;
  owner.expect(200, await owner.post(`/event-registrations/${holding}/withdraw`));
  owner.expect(200, await owner.post(`/event-registrations/${waiting}/accept`));
  return waiting;
}

/** @returns the id of an import that has taken its rows */
async function importManyRows(): Promise<number> {
  const event = await eventFixtures(api.platform).event(administrator, {});
  const form = new FormData();
  form.set('mode', 'check');
  form.set('file', new Blob([`Athlete\n${Array.from({ length: 250 }, (_, index) => `Unknown ${index}\n`).join('')}`]), 'list.csv');
  const { id } = owner.expect(202, await owner.request('POST', `/events/${event.id}/registrations/import`, { raw: form })).body.data;
  const read = async () => owner.expect(200, await owner.get(`/registration-imports/${id}`)).body.data;
  await waitFor(read, ({ status }) => status === 'done', 'the rows to be taken');
  return id;
}
