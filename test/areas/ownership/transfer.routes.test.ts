import { randomUUID } from 'node:crypto';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { TestClient } from '../../support/client.ts';
import { topUp } from '../../support/factories.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { organizerSteps } from '../../support/factories/event-steps.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { makeIin } from '../../support/identities/iin.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { administratorPassword } from '../../support/sign-up.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();

/** Invariants that also hold for events and agreements inserted as rows, which have no history. */
const held = /^(what |a transfer |every |a wallet|no wallet|an application is charged|a payment|the history of an application)/;
afterEach(async () => {
  const broken = await findBrokenInvariants(api.surroundings.database.ownerUrl);
  expect(broken.filter((line) => held.test(line))).toEqual([]);
});

const reason = 'The club takes its athlete over';
const people = () => Promise.all([api.user('Old owner'), api.user('New owner')]);

function body(from: TestClient, to: TestClient, options: Record<string, unknown> = {}) {
  return { current_user_id: from.userId, target_user_id: to.userId, reason, password: administratorPassword, ...options };
}
function transfer(profileId: number, from: TestClient, to: TestClient, key?: string) {
  return administrator.put(`/admin/profiles/${profileId}/owner`, body(from, to), key === undefined ? {} : { 'idempotency-key': key });
}
const moved = async (profileId: number, from: TestClient, to: TestClient) =>
  administrator.expect(200, await transfer(profileId, from, to)).body.data;
async function preview(profileId: number, to: number) {
  return administrator.get(`/admin/profiles/${profileId}/owner/preview?target_user_id=${to}`);
}
const read = async (client: TestClient, path: string) => client.expect(200, await client.get(path)).body.data;
const refusal = ({ status, body: { error } }: Awaited<ReturnType<typeof transfer>>) => [status, error?.code];
const statusOf = async (client: TestClient, path: string) => (await client.get(path)).status;
const ownerOf = async (profileId: number) =>
  (await api.sql<{ owner: number }>('select owner_id as owner from profiles where id = $1', [profileId]))[0]?.owner;
/** Who has notifications of a type about a record. */
const notifiedOf = async (type: string, id: number) =>
  (
    await api.sql<{ user_id: number }>('select user_id from notifications where type = $1 and subject_id = $2 order by user_id', [
      type,
      String(id),
    ])
  ).map((row) => row.user_id);
const none = { documents: 0, applications: 0, certificates: 0, files: 0, events: 0, contracts: 0, registrations: 0, conversations: 0 };
const hasMoved = async (client: TestClient, paths: readonly string[], status: number) => {
  for (const path of paths) expect([path, await statusOf(client, path)]).toEqual([path, status]);
};

/** An athlete with an application for an international licence. */
async function licence(owner: TestClient, status: 'submitted' | 'approved') {
  const on = await make.athlete(owner);
  const driver = await make.document(owner, on.profileId, { type: 'driver', status: 'approved', expiresAt: '2034-01-10' });
  const form = { on: { ...on, documentIds: [...on.documentIds, driver] }, serviceId: 10, data: { discipline_id: 1 } };
  return { ...(await make.application(owner, { ...form, status })), on };
}

/** Rows that a transfer must not change (OWN-2). */
async function whatStays(): Promise<unknown> {
  const tables = {
    ledger_transactions: 'id',
    ledger_entries: 'id',
    wallets: 'user_id',
    invoices: 'id',
    certificates: 'application_id',
    audit_events: 'id',
    notifications: 'id',
    application_history: 'id',
    registration_history: 'id',
    review_decisions: 'id',
    review_standings: 'id',
    participants: 'application_id',
  };
  const rows: Record<string, string[]> = {};
  for (const [table, key] of Object.entries(tables))
    rows[table] = (await api.sql<{ row: string }>(`select t::text as row from ${table} t order by ${key}`)).map(({ row }) => row);
  return rows;
}

describe('access', () => {
  test('refuses a non-administrator, a key without the scope and a wrong password (OWN-7)', async () => {
    const [from, to] = await people();
    const profileId = await make.profile(from);
    const path = `/admin/profiles/${profileId}/owner`;
    expect(refusal(await from.put(path, body(from, to, { password: from.password })))).toEqual([403, 'forbidden']);
    const reader = await administrator.program(['admin:read']);
    expect(refusal(await reader.put(path, body(from, to)))).toEqual([403, 'insufficient_scope']);
    const wrong = await administrator.put(path, body(from, to, { password: 'not-the-password' }));
    expect(refusal(wrong)).toEqual([403, 'password_confirmation_failed']);
    expect(await ownerOf(profileId)).toBe(from.userId);
    const writer = await administrator.program(['admin:write']);
    writer.expect(200, await writer.put(path, body(from, to)));
    expect(await ownerOf(profileId)).toBe(to.userId);
  });
});

// OWN-3
describe('a refusal changes no row', () => {
  test('an invalid request', async () => {
    const [from, to] = await people();
    const profileId = await make.profile(from);
    const path = `/admin/profiles/${profileId}/owner`;
    expect(refusal(await administrator.put(path, body(from, to, { reason: 'so' })))).toEqual([422, 'validation_failed']);
    expect(refusal(await transfer(999_999, from, to))).toEqual([404, 'not_found']);
    expect(refusal(await administrator.put(path, body(from, to, { target_user_id: 999_999 })))).toEqual([404, 'not_found']);
    expect(refusal(await preview(999_999, to.userId))).toEqual([404, 'not_found']);
    expect(refusal(await preview(profileId, 999_999))).toEqual([404, 'not_found']);
    expect(refusal(await administrator.get(`${path}/preview`))).toEqual([422, 'validation_failed']);
  });

  test.each([
    ['same_account', async (from: TestClient, _to: TestClient) => from],
    ['target_is_administrator', async () => administrator],
    [
      'target_blocked',
      async (_from: TestClient, to: TestClient) => {
        await api.sql("update users set status = 'blocked' where id = $1", [to.userId]);
        return to;
      },
    ],
  ])('%s', async (code, target) => {
    const [from, other] = await people();
    const profileId = await make.profile(from);
    const to = await target(from, other);
    const before = await whatStays();
    expect(refusal(await transfer(profileId, from, to))).toEqual([409, code]);
    expect(await whatStays()).toEqual(before);
    expect(await ownerOf(profileId)).toBe(from.userId);
    expect((await preview(profileId, to.userId)).body.data.conflicts).toEqual([{ code }]);
  });

  test('owner_changed', async () => {
    const [from, to] = await people();
    const profileId = await make.profile(from);
    expect(refusal(await transfer(profileId, to, to))).toEqual([409, 'owner_changed']);
    expect(await ownerOf(profileId)).toBe(from.userId);
  });

  test('duplicate_profile names the existing profile; a preview names every conflict', async () => {
    const [from, to] = await people();
    const iin = makeIin('1990-05-17', 'male', 3);
    const options = { data: { iin } };
    const [profileId, theirs] = [await make.profile(from, options), await make.profile(to, options)];
    const refused = await transfer(profileId, from, to);
    expect(refusal(refused)).toEqual([409, 'duplicate_profile']);
    expect(refused.body.error.details).toEqual({ profile_id: theirs });
    await api.sql("update users set status = 'blocked' where id = $1", [to.userId]);
    const { conflicts } = (await preview(profileId, to.userId)).body.data;
    expect(conflicts).toEqual([{ code: 'target_blocked' }, { code: 'duplicate_profile' }]);
  });
});

describe('an athlete', () => {
  // OWN-1, OWN-2
  test('moves with documents, applications, certificates, registrations and files; money, snapshots and history stay', async () => {
    const [from, to] = await people();
    const on = await make.athlete(from);
    const certificate = await make.application(from, { on, status: 'approved' });
    const draft = await make.application(from, { on, serviceId: 20 });
    const loose = await make.file(from, 'scan', 'loose');
    const organizer = await api.user('Organizer');
    const { id: eventId } = await eventFixtures(api.platform).event(organizer);
    const row = { eventId, ownerId: from.userId, profileId: on.profileId, applicationIds: [certificate.id] };
    const [registrationId = 0] = await insertRegistrations(databaseOf(api.platform.orm.em.fork()), [row], new Date());
    await waitFor(
      () => statusOf(from, `/applications/${certificate.id}/certificate`),
      (status) => status === 200,
      'the certificate to be made',
    );
    const pdf = (await from.get(`/applications/${certificate.id}/certificate`)).bytes;
    const { photo_id: photoId, documents } = await read(from, `/profiles/${on.profileId}`);
    const files = [photoId, ...documents.map(({ file_id: fileId }: { file_id: string }) => fileId)];
    const paths = [
      `/profiles/${on.profileId}`,
      `/profiles/${on.profileId}/portfolio`,
      `/applications/${certificate.id}`,
      `/applications/${certificate.id}/certificate`,
      `/applications/${draft.id}/readiness`,
      `/event-registrations/${registrationId}`,
      ...on.documentIds.map((id) => `/documents/${id}`),
      ...files.map((id) => `/files/${id}`),
    ];

    const { counts, stays, conflicts } = (await preview(on.profileId, to.userId)).body.data;
    expect(counts).toEqual({ ...none, documents: 2, applications: 2, certificates: 1, files: 3, registrations: 1 });
    expect(conflicts).toEqual([]);
    expect(stays).toEqual(expect.arrayContaining(['wallet', 'ledger_entries', 'issued_snapshots', 'loose_files']));
    const before = (await whatStays()) as Record<string, string[]>;

    const done = await moved(on.profileId, from, to);
    expect(done).toMatchObject({ profile_id: on.profileId, owner: { id: to.userId }, previous_owner: { id: from.userId }, moved: counts });
    await hasMoved(from, paths, 404);
    await hasMoved(to, paths, 200);
    expect((await to.get(`/applications/${certificate.id}/certificate`)).bytes.equals(pdf)).toBe(true);
    expect(await statusOf(from, `/files/${loose}`)).toBe(200);
    expect(await read(from, '/profiles')).toEqual([]);
    expect((await read(to, '/applications')).map(({ id }: { id: number }) => id)).toEqual([draft.id, certificate.id]);
    expect((await read(to, '/event-registrations')).map(({ id }: { id: number }) => id)).toEqual([registrationId]);

    const after = (await whatStays()) as Record<string, string[]>;
    for (const [table, rows] of Object.entries(before)) {
      // The transfer adds only its own entries; a generated certificate PDF adds its time.
      const added = after[table]?.slice(rows.length) ?? [];
      expect([table, after[table]?.slice(0, rows.length)]).toEqual([table, rows]);
      expect([table, added.length]).toEqual([table, { audit_events: added.length, notifications: 2 }[table] ?? 0]);
    }
    const transfers = (await audit('profile', on.profileId)).filter(({ action }) => action === 'profile.transferred');
    expect(transfers).toMatchObject([{ data: { from: from.userId, to: to.userId }, actor_id: administrator.userId }]);
    expect(await notifiedOf('profile.transferred', on.profileId)).toEqual([from.userId, to.userId].toSorted((left, right) => left - right));
    const [kept] = await api.sql('select reason from ownership_transfers where profile_id = $1', [on.profileId]);
    expect(kept).toEqual({ reason });
  });

  test('the new owner pays an application submitted before, and is notified of its expiry (OWN-8)', async () => {
    const [from, to] = await people();
    const on = await make.athlete(from);
    const { id } = await make.application(from, { on, status: 'submitted' });
    await moved(on.profileId, from, to);
    expect(refusal(await from.post(`/applications/${id}/pay`))).toEqual([404, 'not_found']);
    expect(refusal(await to.post(`/applications/${id}/pay`))).toEqual([409, 'insufficient_funds']);
    await topUp(to, api.surroundings.bank.url, '50000.00');
    expect(to.expect(200, await to.post(`/applications/${id}/pay`)).body.data).toMatchObject({ status: 'approved', paid: true });
    const decision = { kind: 'document', id: on.documentIds[0], decision: 'changes', note: 'a page is missing' };
    administrator.expect(200, await administrator.post('/admin/review', decision));
    expect(await notifiedOf('document.changes', on.documentIds[0] ?? 0)).toEqual([to.userId]);
  });

  test('a refund goes to the old owner who paid, when the new owner cancels the application (OWN-2)', async () => {
    const [from, to] = await people();
    const { id, on } = await licence(from, 'submitted');
    await topUp(from, api.surroundings.bank.url, '500000.00');
    from.expect(200, await from.post(`/applications/${id}/pay`));
    const balance = async (client: TestClient) => (await read(client, '/wallet')).balance_minor;
    const price = (await read(from, `/applications/${id}`)).amount_minor;
    const left = await balance(from);
    await moved(on.profileId, from, to);
    expect(await balance(from)).toBe(left);
    to.expect(200, await to.post(`/applications/${id}/cancel`, { reason: 'we do not want it' }));
    expect([await balance(from), await balance(to)]).toEqual([left + price, 0]);
    const notified = await api.sql<{ user_id: number; type: string }>(
      "select user_id, type from notifications where subject_kind = 'application' and subject_id = $1 and type like 'application.%' order by id desc limit 2",
      [String(id)],
    );
    expect(notified).toEqual([
      { user_id: from.userId, type: 'application.refunded' },
      { user_id: to.userId, type: 'application.cancelled' },
    ]);
  });

  test('public sharing of a licence is closed until the new owner consents (OWN-4)', async () => {
    const [from, to] = await people();
    const { id, on } = await licence(from, 'approved');
    from.expect(200, await from.put(`/applications/${id}/sharing`, { enabled: true, confirmed: true }));
    const [{ token } = { token: '' }] = await api.sql<{ token: string }>('select token from certificates where application_id = $1', [id]);
    const anybody = api.browser();
    expect(await statusOf(anybody, `/verify/${token}/documents`)).toBe(200);
    await moved(on.profileId, from, to);
    expect((await read(anybody, `/verify/${token}`)).documents_access).toBe(false);
    expect(await statusOf(anybody, `/verify/${token}/documents`)).toBe(404);
    to.expect(200, await to.put(`/applications/${id}/sharing`, { enabled: true, confirmed: true }));
    expect(await statusOf(anybody, `/verify/${token}/documents`)).toBe(200);
  });

  test('a file shared with another profile is copied; the object is deleted with the last copy (OWN-6)', async () => {
    const [from, to] = await people();
    const [profileId, sibling] = [await make.profile(from), await make.profile(from)];
    const fileId = await make.file(from, 'scan', 'family');
    const ids: number[] = [];
    for (const id of [profileId, sibling]) {
      const made = await from.post('/documents', { profile_id: id, type: 'consent', file_id: fileId, issued_at: '2024-01-10' });
      ids.push(from.expect(201, made).body.data.id);
    }
    expect((await preview(profileId, to.userId)).body.data.counts).toEqual({ ...none, documents: 1, files: 2 });
    await moved(profileId, from, to);
    expect((await read(from, `/documents/${ids[1]}`)).file_id).toBe(fileId);
    const { file_id: copyId } = await read(to, `/documents/${ids[0]}`);
    expect(copyId).not.toBe(fileId);
    await hasMoved(to, [`/files/${fileId}`], 404);
    await hasMoved(from, [`/files/${copyId}`], 404);
    expect((await to.get(`/files/${copyId}`)).bytes.equals((await from.get(`/files/${fileId}`)).bytes)).toBe(true);

    const [{ key } = { key: '' }] = await api.sql<{ key: string }>('select storage_key as key from files where id = $1', [fileId]);
    from.expect(200, await from.delete(`/files/${fileId}`));
    expect(await statusOf(to, `/files/${copyId}`)).toBe(200);
    to.expect(200, await to.delete(`/files/${copyId}`));
    expect(await api.platform.storage.stat(key)).toBeNull();
    const purged = await api.sql('select id from files where storage_key = $1 and purged_at is not null', [key]);
    expect(purged).toHaveLength(2);
  });

  test('a copy that came back moves on, though the original is printed on the certificate of another profile (OWN-6; life 3401)', async () => {
    const [from, to] = await people();
    const sibling = await make.athlete(from);
    await make.application(from, { on: sibling, status: 'approved' });
    const { photo_id: photoId } = await read(from, `/profiles/${sibling.profileId}`);
    const data = { last_name: 'Twin', first_name: 'Person', birth_date: '1991-05-17', gender: 'female', citizenship: 'KZ' };
    const { id } = from.expect(201, await from.post('/profiles', { kind: 'athlete', data, photo_id: photoId })).body.data;
    await moved(id, from, to);
    const { photo_id: copyId } = await read(to, `/profiles/${id}`);
    expect(copyId).not.toBe(photoId);
    await moved(id, to, from);
    await moved(id, from, to);
    expect((await read(to, `/profiles/${id}`)).photo_id).toBe(copyId);
    await hasMoved(from, [`/files/${copyId}`], 404);
    expect((await read(from, `/profiles/${sibling.profileId}`)).photo_id).toBe(photoId);
  });

  test('the photo of an issued certificate stays available, also when it was copied and exchanged', async () => {
    const [from, to] = await people();
    const on = await make.athlete(from);
    const { id } = await make.application(from, { on, status: 'approved' });
    const { photo_id: photoId } = await read(from, `/profiles/${on.profileId}`);
    const data = { last_name: 'Other', first_name: 'Person', birth_date: '1991-05-17', gender: 'female', citizenship: 'KZ' };
    const made = from.expect(201, await from.post('/profiles', { kind: 'athlete', data, photo_id: photoId }));
    await moved(on.profileId, from, to);
    const { photo_id: copyId } = await read(to, `/profiles/${on.profileId}`);
    expect(copyId).not.toBe(photoId);
    to.expect(200, await to.patch(`/profiles/${on.profileId}`, { photo_id: await make.file(to, 'photo') }));
    const refused = await to.delete(`/files/${copyId}`);
    expect(refusal(refused)).toEqual([409, 'file_in_use']);
    from.expect(200, await from.patch(`/profiles/${made.body.data.id}`, { photo_id: await make.file(from, 'photo') }));
    from.expect(200, await from.delete(`/files/${photoId}`));
    const print = '/admin/national/lists/print';
    const added = administrator.expect(200, await administrator.post(print, { operation: 'add', ids: [id] })).body.data;
    expect(added).toMatchObject({ ids: [id], skipped: [] });
    administrator.expect(200, await administrator.post(print, { operation: 'clear' }));
    const [{ year } = { year: 0 }] = await api.sql<{ year: number }>('select year from national_certificates where application_id = $1', [
      id,
    ]);
    const found = administrator.expect(200, await administrator.post(print, { operation: 'auto', year })).body.data;
    expect(found.ids).toContain(id);
    administrator.expect(200, await administrator.post(print, { operation: 'clear' }));
    administrator.expect(200, await administrator.post(print, { operation: 'add', ids: [id] }));
    const { status } = administrator.expect(201, await administrator.post(`${print}/export`, { ids: [id] })).body.data;
    expect(status).toBe('ready');
    const third = await api.user('Third owner');
    await moved(on.profileId, to, third);
    expect(refusal(await third.delete(`/files/${copyId}`))).toEqual([409, 'file_in_use']);
  });
});

describe('an organizer', () => {
  test('moves with competitions, fees, agreements and files; registrations of others stay theirs (OWN-1)', async () => {
    const [from, to] = await people();
    const athlete = await api.user('Athlete');
    const steps = organizerSteps(api);
    const profileId = await eventFixtures(api.platform).organizer(from);
    const eventId = await steps.open(from, profileId);
    await steps.settle(eventId);
    from.expect(200, await steps.submit(from, eventId, 'details'));
    const { application_id: feeId } = await steps.read(from, eventId);
    const { id: agreedOn } = await eventFixtures(api.platform).event(from, { profileId });
    const contract = await contractFixtures(api.platform).contract(from, { eventId: agreedOn, status: 'pending' });
    const regulations = await steps.attach(from, agreedOn, 'regulations');
    const bulletin = await steps.pdf(from, 'bulletin');
    const added = { file_id: bulletin, title: 'Bulletin 1', kind: 'bulletin' };
    from.expect(201, await from.post(`/events/${agreedOn}/additional-documents`, added));
    const athletesProfile = await make.profile(athlete, { status: 'approved' });
    const row = { eventId: agreedOn, ownerId: athlete.userId, profileId: athletesProfile };
    const [registrationId = 0] = await insertRegistrations(databaseOf(api.platform.orm.em.fork()), [row], new Date());
    const paths = [
      `/events/${eventId}`,
      `/events/${agreedOn}/registrations`,
      `/events/${agreedOn}/additional-documents`,
      `/events/${agreedOn}/timeline`,
      `/applications/${feeId}`,
      `/contracts/${contract.id}`,
      `/contracts/${contract.id}/original`,
      `/contracts/${contract.id}/timeline`,
      `/files/${regulations}`,
      `/files/${bulletin}`,
    ];
    const { counts } = (await preview(profileId, to.userId)).body.data;
    // The scan of the agreement is the third file.
    expect(counts).toEqual({ ...none, applications: 2, files: 3, events: 2, contracts: 1 });
    expect((await moved(profileId, from, to)).moved).toEqual(counts);
    await hasMoved(from, paths, 404);
    await hasMoved(to, paths, 200);
    expect(await statusOf(athlete, `/event-registrations/${registrationId}`)).toBe(200);
    expect(await read(from, '/events')).toEqual([]);
    expect(await read(from, '/contracts')).toEqual([]);
    const timeline = await read(to, `/events/${eventId}/timeline`);
    expect(timeline[0]).toMatchObject({ step: 'created', actor: 'owner' });
    const decision = { decision: 'reject', reason: 'the class is full' };
    to.expect(200, await to.patch(`/events/${agreedOn}/registrations/${registrationId}`, decision));
    await steps.payFee(to, eventId);
    await steps.approve(eventId, 'details');
    const notified = await api.sql<{ user_id: number }>(
      "select user_id from notifications where subject_kind = 'event' and subject_id = $1 order by id desc limit 1",
      [String(eventId)],
    );
    expect(notified).toEqual([{ user_id: to.userId }]);
  });
});

describe('a repeat', () => {
  test('with the same key changes nothing; with another reason it is refused', async () => {
    const [from, to] = await people();
    const profileId = await make.profile(from);
    const key = randomUUID();
    const first = administrator.expect(200, await transfer(profileId, from, to, key));
    const before = await whatStays();
    const again = administrator.expect(200, await transfer(profileId, from, to, key));
    expect(again.body.data).toEqual(first.body.data);
    expect(await whatStays()).toEqual(before);
    const other = await administrator.put(`/admin/profiles/${profileId}/owner`, body(from, to, { reason: 'Another one' }), {
      'idempotency-key': key,
    });
    expect(refusal(other)).toEqual([409, 'idempotency_key_conflict']);
    expect(refusal(await transfer(profileId, from, to))).toEqual([409, 'owner_changed']);
  });

  test("with the key of the old owner's registration command is judged by the rights after the transfer", async () => {
    const [from, to] = await people();
    const on = await make.athlete(from);
    const { id: eventId, profileId } = await eventFixtures(api.platform).event(from);
    const row = { eventId, ownerId: from.userId, profileId: on.profileId };
    const rows = [row, { ...row, class: 'Another' }];
    const [rejected = 0, withdrawn = 0] = await insertRegistrations(databaseOf(api.platform.orm.em.fork()), rows, new Date());
    const [rejectKey, withdrawKey] = [{ 'idempotency-key': randomUUID() }, { 'idempotency-key': randomUUID() }];
    const decision = { decision: 'reject', reason: 'the class is full' };
    const reject = (client: TestClient) => client.patch(`/events/${eventId}/registrations/${rejected}`, decision, rejectKey);
    const withdraw = (client: TestClient) => client.post(`/event-registrations/${withdrawn}/withdraw`, undefined, withdrawKey);
    from.expect(200, await reject(from));
    from.expect(200, await withdraw(from));
    await moved(profileId, from, to);
    expect(refusal(await reject(from))).toEqual([404, 'not_found']);
    await moved(on.profileId, from, to);
    expect(refusal(await withdraw(from))).toEqual([404, 'not_found']);
    expect(refusal(await from.post(`/event-registrations/${withdrawn}/withdraw`))).toEqual([404, 'not_found']);
    expect(refusal(await from.patch(`/events/${eventId}/registrations/${rejected}`, decision))).toEqual([404, 'not_found']);
  });

  test('the reason appears in no audit row or notification (OWN-5)', async () => {
    const [from, to] = await people();
    const profileId = await make.profile(from);
    await moved(profileId, from, to);
    const [found] = await api.sql<{ count: number }>(
      `select count(*)::int from (select data::text as text from audit_events union all select concat(facts, title, text) from notifications) t where t.text like $1`,
      [`%${reason}%`],
    );
    expect(found).toEqual({ count: 0 });
  });
});
