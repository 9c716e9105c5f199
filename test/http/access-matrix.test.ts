import { readFileSync } from 'node:fs';
import { isClosedToImpersonation, isOfBrowsers } from '../../src/http/access/access.ts';
import { type Scope, scopes } from '../../src/http/access/scopes.ts';
import type { Route } from '../../src/http/define-route.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { type Answer, TestClient } from '../support/client.ts';
import { makeContract } from '../support/factories/contracts.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertExport } from '../support/factories/national.ts';
import { tell } from '../support/factories/notifications.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { signingFixtures } from '../support/factories/signings.ts';
import { makeScan } from '../support/papers/scans.ts';
import { administratorPassword } from '../support/sign-up.ts';
import { useRegistry } from '../support/use-registry.ts';

/**
 * Every route of the published document with every caller that it must refuse. These are anonymous callers, keys without the scope, users,
 * other accounts, administrators on routes of the owner, and blocked accounts. New routes need no line here, except to name the record of
 * their path.
 */

const published = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(({ atRoot }) => !atRoot);
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const isChange = ({ method }: Route) => method !== 'GET';

const { api, make, owner, administrator } = await useRegistry();
const other = await api.user();
/** The id in a path below `/profiles`, `/documents` and so on: the owner's record. */
let records: Record<string, string | number>;

beforeAll(async () => {
  const profileId = await make.profile(owner);
  const documentId = await make.document(owner, profileId, { type: 'identity' });
  const application = await make.application(owner, { on: { profileId, documentIds: [documentId] } });
  const invoice = owner.expect(201, await owner.post('/invoices', { amount: '100.00' }, { 'idempotency-key': 'matrix' })).body.data;
  await owner.makeKey(['files:read']);
  const receiver = { url: 'http://127.0.0.1:65000/hook', types: ['registry.webhook.*'], password: owner.password };
  const webhook = owner.expect(201, await owner.post('/webhooks', receiver)).body.data;
  const keys = owner.expect(200, await owner.get('/api-keys')).body.data;
  await signingFixtures(api.platform).signing(owner.userId);
  // The first of each kind, by which administrators find it.
  await api.sql(`insert into contact_messages (name, email, message, created_at) values ('x', 'x@example.kz', 'of the matrix', now())`);
  await api.sql(
    `insert into incidents (kind, subject_kind, subject_id, details, at) values ('bank_mismatch', 'invoice', '1', '{}', now())`,
  );
  const { id: agreedOn } = await eventFixtures(api.platform).event(owner, { status: 'draft' });
  const contract = await makeContract(owner, agreedOn);
  // Every record of administrators has the id 1 here.
  await insertExport(
    databaseOf(api.platform.orm.em.fork()),
    { administratorId: administrator.userId, list: 'insurance', ids: [] },
    new Date(),
  );
  await tell(api.platform, owner.userId, documentId);
  const { data: notifications } = owner.expect(200, await owner.get('/notifications')).body;
  const [session] = await api.sql<{ id: string }>('select id from sessions where user_id = $1', [owner.userId]);
  const [exported] = await api.sql<{ id: number }>(
    `insert into account_exports (user_id, file_id, request_id, requested_at) values ($1, gen_random_uuid(), 'of the matrix', now()) returning id`,
    [owner.userId],
  );
  const [list, results] = await api.sql<{ id: number }>(
    `insert into imports (kind, mode, status, event_id, owner_id, actor_id, request_id, row_count, ignored_columns, created_at)
     select kind, 'check', 'done', (select min(id) from events), $1, $1, 'of the matrix', 200, '[]', now()
     from unnest('{registrations,participants}'::text[]) kind returning id`,
    [owner.userId],
  );
  records = {
    account: session?.id ?? '',
    'registration-imports': list?.id ?? 0,
    'participant-imports': results?.id ?? 0,
    'account/exports': exported?.id ?? 0,
    notifications: notifications[0].id,
    contracts: contract.id,
    profiles: profileId,
    documents: documentId,
    applications: application.id,
    invoices: invoice.id,
    files: await make.file(owner, 'scan', 'of the matrix'),
    'api-keys': keys[0].id,
    webhooks: webhook.id,
    ...(await insertRegistration(profileId)),
  };
});

/**
 * An unpublished event, visible only to its owner, in the earlier flow, so that it has a draft agreement; a draft registration, and a
 * submitted one with a conversation.
 */
async function insertRegistration(profileId: number): Promise<Record<string, number>> {
  const event = await eventFixtures(api.platform).event(owner, { status: 'draft', agreementFlow: 1 });
  const db = databaseOf(api.platform.orm.em.fork());
  const row = { eventId: event.id, ownerId: owner.userId, profileId };
  const rows = [{ ...row, status: 'draft' } as const, { ...row, class: 'N2' }];
  const [id = 0, submitted = 0] = await insertRegistrations(db, rows, new Date());
  return { events: event.id, 'event-registrations': id, messenger: submitted };
}

/** A valid body for changes of a record, so that only its owner is the reason of the refusal; other routes refuse or take a missing one. */
function bodyOf({ access, path, request }: Route): unknown {
  return path.includes(':') && (access.kind === 'scope' || access.kind === 'browser') ? request.example : undefined;
}

async function send(client: TestClient, route: Route, headers: Record<string, string> = {}): Promise<Answer> {
  const [, area = '', part = ''] = route.path.split('/');
  const id = records[`${area}/${part}`] ?? records[area] ?? 1;
  const path = route.path.replace(':perspective', 'athlete').replace(/:\w+/g, String(id));
  if (route.bodyKind === 'upload' && route.path.includes(':')) {
    const form = new FormData();
    for (const [name, value] of Object.entries(route.request.example ?? {})) form.set(name, String(value));
    form.set('file', new Blob([new Uint8Array(await makeScan('scan'))]), 'scan.pdf');
    return client.request(route.method, path, { raw: form, headers });
  }
  return client.request(route.method, path, { body: bodyOf(route), headers });
}

/** A route's answer to a client, as `METHOD /path status code`, so that a difference names the route. */
async function answersOf(client: TestClient, asked: readonly Route[], headers: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  for (const route of asked) {
    const { status, body } = await send(client, route, headers);
    lines.push(`${nameOf(route)} ${status} ${body?.error?.code ?? ''}`.trim());
  }
  return lines;
}
const all = (asked: readonly Route[], answer: string) => asked.map((route) => `${nameOf(route)} ${answer}`);
const having = (...kinds: Route['access']['kind'][]) => published.filter(({ access }) => kinds.includes(access.kind));

test('the document lists the routes tested here, each with its specified access', async () => {
  const document = (await api.browser().get('/openapi.json')).body;
  const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(operations.filter((operation) => !operation.includes(' /v/')).sort()).toEqual(published.map(nameOf).sort());

  const specified = readFileSync(new URL('../support/lists/endpoints.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  const wrong = specified.flatMap((line) => {
    const [, method, path = '', words = ''] = line.split('\t');
    const route = published.find((candidate) => nameOf(candidate) === `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
    if (!route) return [`${line}: missing`];
    const { access } = route;
    const isOfAdministrators = access.kind === 'administrator' || access.kind === 'impersonator';
    const inBrowsers = isOfAdministrators && isOfBrowsers(access) ? 'browser' : access.kind;
    // Anyone can call a webhook; its own tests cover its secret.
    const kind = route.countedAs === 'webhook' ? 'secret header' : inBrowsers;
    const said = 'scope' in access && !access.browserOnly ? access.scope : kind;
    const isAdministration = /administrator,|admin:/.test(words) === isOfAdministrators;
    return words.includes(said) && isAdministration ? [] : [`${line}: ${said}`];
  });
  expect(wrong).toEqual([]);
});

test('an anonymous caller reaches only public routes', async () => {
  const closed = having('account', 'browser', 'scope', 'administrator', 'impersonator');
  expect(await answersOf(api.browser(), closed)).toEqual(all(closed, '401 unauthenticated'));
  expect(await answersOf(new TestClient(api.url, 'fsk_not-a-key'), closed)).toEqual(all(closed, '401 unauthenticated'));
  const forms = having('session').filter(isChange);
  expect(await answersOf(api.browser(), forms)).toEqual(all(forms, '419 csrf_failed'));
});

test('every changing request by cookie needs the CSRF token', async () => {
  const changes = published.filter((route) => isChange(route) && route.access.kind !== 'public');
  expect(changes.length).toBeGreaterThan(20);
  for (const token of ['', 'x'.repeat(owner.csrf?.length ?? 0)])
    expect(await answersOf(owner, changes, { 'x-csrf-token': token })).toEqual(all(changes, '419 csrf_failed'));
});

test('a key passes only with the scope of the route, and never on browser routes', async () => {
  const scoped = published.filter(({ access }) => 'scope' in access && !isOfBrowsers(access));
  for (const scope of scopes) {
    const asked = scoped.filter(({ access }) => 'scope' in access && access.scope === scope);
    if (asked.length === 0) continue;
    const program = await administrator.program(scopes.filter((candidate) => candidate !== scope));
    expect(await answersOf(program, asked)).toEqual(all(asked, '403 insufficient_scope'));
  }
  const program = await administrator.program(scopes);
  const browsers = published.filter(({ access }) => isOfBrowsers(access));
  expect(await answersOf(program, browsers)).toEqual(all(browsers, '403 browser_session_required'));
});

describe("an administrator's key does only what its scopes allow", () => {
  /** Expected answer for a key with the route's scope on another account's record: a status, or several that pass. */
  function expected({ access, method, path }: Route, held: readonly Scope[]): string {
    const isOnRecord = access.kind === 'scope' && path.includes(':');
    // Conversations are private to their participants.
    const isRead = method === 'GET' && !/\/(portfolio|registration-options|registrations\/template\.xlsx)$|^\/messenger\//.test(path);
    return isOnRecord && !(isRead && held.includes('admin:read')) ? '404 not_found' : 'open';
  }

  /** Asks what these scopes allow; the test above has what they do not allow. */
  async function differences(held: readonly Scope[]): Promise<string[]> {
    const program = await administrator.program(held);
    const lines: string[] = [];
    const isAllowed = ({ access }: Route) =>
      access.kind !== 'public' && !isOfBrowsers(access) && (!('scope' in access) || held.includes(access.scope));
    for (const route of published.filter(isAllowed)) {
      const { status, body } = await send(program, route);
      const answer = `${status} ${body?.error?.code ?? ''}`.trim();
      // Passed the access check, with any answer of the route.
      const isOpen = ![401, 403, 404, 419, 500].includes(status) || (route.path === '/admin/review' && status === 422);
      const wanted = expected(route, held);
      if (wanted === 'open' ? !isOpen : wanted !== answer) lines.push(`${held.join('+')}: ${nameOf(route)} ${answer}, not ${wanted}`);
    }
    return lines;
  }

  test.each(scopes)('%s alone', async (scope) => {
    expect(await differences([scope])).toEqual([]);
  });

  test.each(scopes.filter((scope) => scope.endsWith(':read') && scope !== 'admin:read'))('%s with admin:read', async (scope) => {
    expect(await differences([scope, 'admin:read'])).toEqual([]);
  });

  test('lists of the account show no records of others, and processes need admin:read', async () => {
    const program = await administrator.program(scopes.filter((scope) => scope !== 'admin:read'));
    for (const path of ['/profiles', '/files', '/applications', '/events', '/contracts'])
      expect([path, program.expect(200, await program.get(path)).body.data]).toEqual([path, []]);
    const own = await make.profile(administrator);
    const shown = await Promise.all([program, administrator].map((client) => client.get(`/profiles/${own}`)));
    expect(shown.map(({ body }) => body.data.process)).toEqual([undefined, expect.anything()]);
  });

  test('a decision needs admin:write', async () => {
    const decision = { kind: 'document', id: records['documents'], decision: 'approve' };
    const reader = await administrator.program(scopes.filter((scope) => scope !== 'admin:write'));
    expect((await reader.post('/admin/review', decision)).body.error.code).toBe('insufficient_scope');
  });
});

test('ADM-1: the administration is closed to all other callers, by session and by key', async () => {
  const asked = having('administrator').filter(({ access }) => !isOfBrowsers(access));
  const browsers = having('administrator', 'impersonator');
  expect(await answersOf(other, browsers)).toEqual(all(browsers, '403 forbidden'));
  const program = await other.program(scopes.filter((scope) => !scope.startsWith('admin:')));
  const forPrograms = asked.filter(({ access }) => !isOfBrowsers(access));
  expect(await answersOf(program, forPrograms)).toEqual(all(forPrograms, '403 forbidden'));
});

describe("another account's record", () => {
  const onRecords = published.filter(({ path, access }) => path.includes(':') && (access.kind === 'scope' || access.kind === 'browser'));
  const reads = onRecords.filter(({ method }) => method === 'GET');
  const changes = onRecords.filter(isChange);

  test('every route with a record in its path is tested with one', () => {
    const unknown = onRecords.filter(({ path }) => records[path.split('/')[1] ?? ''] === undefined);
    expect(unknown.map(nameOf)).toEqual([]);
  });

  test('API-3: answers as if it did not exist, on every route', async () => {
    const blank = onRecords.filter((route) => !nameOf(route).startsWith('DELETE /api-keys'));
    expect(await answersOf(other, blank)).toEqual(all(blank, '404 not_found'));
    // This route requires the password first.
    const key = await other.delete(`/api-keys/${records['api-keys']}`, { password: other.password });
    expect([key.status, key.body.error.code]).toEqual([404, 'not_found']);
  });

  test('cannot be linked to an own record', async () => {
    const profileId = await make.profile(other);
    const fileId = await make.file(other, 'scan', 'own');
    const documentId = await make.document(other, profileId, { type: 'identity' });
    const { id: applicationId } = await make.application(other, { on: { profileId, documentIds: [documentId] } });
    const foreign = { profile: records['profiles'], document: records['documents'], file: records['files'] };
    const answers = [
      await other.post('/documents', { profile_id: foreign.profile, type: 'identity', file_id: fileId }),
      await other.post('/documents', { profile_id: profileId, type: 'identity', file_id: foreign.file }),
      await other.patch(`/documents/${documentId}`, { file_id: foreign.file }),
      await other.patch(`/profiles/${profileId}`, { photo_id: foreign.file }),
      await other.post('/profiles', {
        kind: 'organizer',
        data: {
          organization_name: 'Club',
          director_name: 'Director',
          director_position: 'Head',
          legal_address: 'Almaty',
          phone: '+7 701 123 45 67',
          email: 'club@example.kz',
        },
        photo_id: foreign.file,
      }),
      await other.post('/applications', { profile_id: foreign.profile, service_id: 1, document_ids: [], data: {} }),
      await other.patch(`/applications/${applicationId}`, { document_ids: [foreign.document] }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'not_found'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [404, 'not_found'],
      [422, 'validation_failed'],
    ]);
  });

  test('appears in no list of other accounts', async () => {
    for (const path of ['/profiles', '/profiles/summary', '/files', '/applications', '/events', '/contracts', '/api-keys']) {
      const listed: { id: unknown }[] = other.expect(200, await other.get(path)).body.data;
      expect([path, listed.map(({ id }) => id)]).toEqual([path, expect.not.arrayContaining([records[path.split('/')[1] ?? '']])]);
    }
    const wallet = other.expect(200, await other.get('/wallet')).body.data;
    expect(wallet.invoices).toEqual([]);
  });

  test('API-3: administrators may read it, except whole dossiers, and change nothing', async () => {
    for (const route of reads) {
      const { status } = await send(administrator, route);
      // An application without a certificate answers 409 to each reader. An unpublished event offers no options to any caller.
      // A key is personal; administrators read the requests of an account elsewhere.
      const isClosed =
        /\/(portfolio|registration-options|registrations\/template\.xlsx)$|^\/(messenger|api-keys|webhooks|account\/exports)\//.test(
          route.path,
        );
      const expected = isClosed ? 404 : /\/(certificate|credential|qr)$/.test(route.path) ? 409 : 200;
      expect([nameOf(route), status]).toEqual([nameOf(route), expected]);
    }
    // An administrator may cancel a competition and annul its agreement.
    const elsewhere = new Set([
      'DELETE /api-keys/:id',
      'PUT /applications/:id/sharing',
      'POST /events/:id/cancel',
      'POST /contracts/:id/cancel',
    ]);
    const changed = changes.filter((route) => !elsewhere.has(nameOf(route)));
    expect(await answersOf(administrator, changed)).toEqual(all(changed, '404 not_found'));
    const sharing = changes.filter(({ path }) => path.endsWith('/sharing'));
    expect(await answersOf(administrator, sharing)).toEqual(all(sharing, '403 forbidden'));
    const key = await administrator.delete(`/api-keys/${records['api-keys']}`, { password: administratorPassword });
    expect(key.body.error.code).toBe('not_found');
  });
});

test('AUD-8: each read of a record under impersonation leaves one row', async () => {
  const colleague = await api.user();
  await api.sql(`update users set role = 'administrator' where id = $1`, [colleague.userId]);
  const acting = await colleague.post('/admin/impersonate', { user_id: owner.userId, password: colleague.password });
  colleague.csrf = colleague.expect(200, acting).body.data.csrf_token;
  const reads = published.filter(
    ({ method, path, access }) =>
      method === 'GET' && path.includes(':') && ['scope', 'browser'].includes(access.kind) && !isClosedToImpersonation(access),
  );
  const countRows = async () => (await api.sql('select 1 from audit_events where actor_id = $1', [colleague.userId])).length;
  const wrong: string[] = [];
  let [before, read] = [await countRows(), 0];
  for (const route of reads) {
    const { status } = await send(colleague, route);
    const after = await countRows();
    const expected = status < 300 ? 1 : 0;
    if (after - before !== expected) wrong.push(`${nameOf(route)} ${status}: ${after - before}`);
    [before, read] = [after, read + expected];
  }
  expect(wrong).toEqual([]);
  expect(read).toBeGreaterThan(20);
});

test('a block ends every session and key of the account at once', async () => {
  const person = await api.user();
  const program = await person.program(scopes.filter((scope) => !scope.startsWith('admin:')));
  person.expect(200, await person.get('/profiles'));
  program.expect(200, await program.get('/profiles'));
  await api.sql(`update users set status = 'blocked' where id = $1`, [person.userId]);
  const closed = having('account', 'browser', 'scope', 'administrator', 'impersonator');
  expect(await answersOf(person, closed)).toEqual(all(closed, '401 unauthenticated'));
  expect(await answersOf(program, closed)).toEqual(all(closed, '401 unauthenticated'));
  const login = await person.post('/auth/login', { email: person.email, password: person.password });
  expect([login.status, login.body.error.code]).toEqual([403, 'account_blocked']);
});
