import { dayOf, yearOf } from '../../../src/platform/time/date-time.ts';
import type { Answer } from '../../support/client.ts';
import { approve, fixturesByRequests } from '../../support/factories.ts';
import { makeIin } from '../../support/identities/iin.ts';
import { textOfRow, type NotificationRow } from '../../support/texts/notification-texts.ts';
import { waitFor } from '../../support/wait-for.ts';
import { codeOf, problemsOf, refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, owner, audit } = await useRegistry();
const dayMs = 86_400_000;
const dayFrom = (days: number) => dayOf(new Date(Date.now() + days * dayMs));

type Kind = 'profile' | 'document';
type Fields = Record<string, unknown>;
const read = async (kind: Kind, id: number) => administrator.expect(200, await administrator.get(`/admin/records/${kind}/${id}`)).body.data;
const send = (kind: Kind, id: number, body: Fields, headers: Record<string, string> = {}): Promise<Answer> =>
  administrator.patch(`/admin/records/${kind}/${id}`, body, headers);
/** Corrects a record by its present version. */
const correct = async (kind: Kind, id: number, changes: Fields): Promise<Answer> =>
  send(kind, id, { ...changes, updated_at: (await read(kind, id)).updated_at });
const stale = '409 stale_revision';
const audited = async (kind: Kind, id: number, action: string) =>
  (await audit(kind, id)).filter((row) => row.action === `${kind}.${action}`).map(({ actor_id, data }) => ({ actor_id, data }));
const notificationsOf = async (kind: Kind, id: number) => {
  const rows = await api.sql<NotificationRow & { user_id: number }>(
    "select user_id, type, facts, subject_id from notifications where subject_kind = $1 and subject_id = $2 and type in ('record.corrected', 'document.expired') order by id",
    [kind, String(id)],
  );
  return rows.map((row) => ({ user_id: row.user_id, type: row.type, text: textOfRow(row) }));
};
const rowOf = async (kind: Kind, id: number) => (await api.sql<Fields>(`select * from ${kind}s where id = $1`, [id]))[0];

describe('who may', () => {
  test('a key without admin:read gets only id, status and version of what it corrects', async () => {
    const profileId = await make.profile(owner);
    const ids = { profile: profileId, document: await make.document(owner, profileId) };
    const writer = await administrator.program(['admin:write']);
    for (const kind of ['profile', 'document'] as const) {
      const id = ids[kind];
      const { updated_at } = await read(kind, id);
      const body = kind === 'profile' ? { data: {}, updated_at } : { updated_at };
      const { data } = writer.expect(200, await writer.patch(`/admin/records/${kind}/${id}`, body)).body;
      expect(data).toEqual({ id, status: expect.any(String), updated_at });
    }
  });

  test.each(['profile', 'document'] as const)('a missing %s is not found', async (kind) => {
    expect(codeOf(await administrator.get(`/admin/records/${kind}/2147483647`))).toBe('404 not_found');
    const body = { ...(kind === 'profile' ? { data: {} } : {}), updated_at: new Date().toISOString() };
    expect(codeOf(await send(kind, 2_147_483_647, body))).toBe('404 not_found');
  });
});

describe('a read of a record', () => {
  test('a profile with its applications in any status, the newest first', async () => {
    const person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const on = { profileId, documentIds };
    const issued = await make.application(person, { on, status: 'approved' });
    const draft = await make.application(person, { on, serviceId: 20 });
    const [certificate] = await api.sql<{ number: string }>('select number from certificates where application_id = $1', [issued.id]);
    const { applications } = await read('profile', profileId);
    expect(applications).toEqual([
      { id: draft.id, service_id: 20, year: yearOf(new Date()), status: 'draft', number: null },
      { id: issued.id, service_id: 1, year: yearOf(new Date()), status: 'approved', number: certificate?.number },
    ]);
  });

  test('a profile with owner, documents, decisions on both parts and process; the read is audited (AUD-4)', async () => {
    const iin = makeIin('1990-05-17', 'male', 1);
    const person = await api.user();
    const id = await make.profile(person, { status: 'approved', data: { iin } });
    await fixturesByRequests(api).profile(await api.user(), { data: { iin } });
    const documentId = await make.document(person, id, { type: 'identity', status: 'changes' });
    const record = await read('profile', id);
    expect(record).toMatchObject({
      id,
      kind: 'athlete',
      data: { iin, last_name: 'Әбдіқадырұлы' },
      status: 'approved',
      photo_status: 'approved',
      photo_id: expect.any(String),
      duplicate_iin: true,
      owner: { id: person.userId, email: person.email },
      documents: [{ id: documentId, status: 'changes', review_note: expect.any(String), file_id: expect.any(String) }],
      history: [
        { part: 'profile', decision: 'approve', from_status: 'pending', to_status: 'approved', actor_id: administrator.userId },
        { part: 'photo', decision: 'approve' },
      ],
      updated_at: expect.stringMatching(/T\d{2}:\d{2}:\d{2}\.\d{3}\+05:00$/),
      process: { workflow_id: `profile/${id}`, waiting_for: null },
    });
    expect(await audited('profile', id, 'read')).toEqual([{ actor_id: administrator.userId, data: { part: 'record' } }]);
  });

  test('a document with its profile, the records that use it and its process', async () => {
    const person = await api.user();
    const { id: applicationId, profileId, documentIds } = await make.application(person, { status: 'submitted' });
    const [identity = 0] = documentIds;
    expect(await read('document', identity)).toMatchObject({
      id: identity,
      type: 'identity',
      profile: { id: profileId, duplicate_iin: false },
      owner: { id: person.userId },
      applications: [{ id: applicationId, service_id: 1, status: 'submitted' }],
      registrations: [],
      history: [{ decision: 'approve', to_status: 'approved', actor_id: administrator.userId }],
      process: { workflow_id: `document/${identity}`, waiting_for: 'date', next_timer_at: '2033-11-11T00:00:00+05:00' },
    });
    expect(await audited('document', identity, 'read')).toHaveLength(1);
  });
});

// PRO-7
describe('a correction of a profile', () => {
  test('changes only the data; the owner is notified of the fields, the audit has no values (AUD-3)', async () => {
    const person = await api.user();
    const id = await make.profile(person, { status: 'approved' });
    const before = await rowOf('profile', id);
    const { body } = administrator.expect(
      200,
      await correct('profile', id, { data: { last_name: 'Әбдіқадыров', city: null, phone: '+7 701 000 00 00' } }),
    );
    expect(body.data).toMatchObject({
      name: 'Әбдіқадыров Ғалым',
      status: 'approved',
      photo_status: 'approved',
      data: { last_name: 'Әбдіқадыров', phone: '+7 701 000 00 00' },
    });
    expect(body.data.data).not.toHaveProperty('city');
    expect(body.data).toEqual({ ...(await read('profile', id)), process: body.data.process });
    const after = await rowOf('profile', id);
    expect({ ...after, data: 0, name: 0, updated_at: 0 }).toEqual({ ...before, data: 0, name: 0, updated_at: 0 });
    expect(await audited('profile', id, 'corrected')).toEqual([
      { actor_id: administrator.userId, data: { changed: ['city', 'last_name', 'phone'] } },
    ]);
    expect(await notificationsOf('profile', id)).toEqual([
      {
        user_id: person.userId,
        type: 'record.corrected',
        text: `The federation has corrected your profile ${id}: city, last name, telephone. If this is wrong, contact the federation.`,
      },
    ]);
  });

  test('that changes nothing writes nothing', async () => {
    const id = await make.profile(owner);
    const { data, updated_at } = await read('profile', id);
    expect(administrator.expect(200, await correct('profile', id, { data: { city: data.city } })).body.data.updated_at).toBe(updated_at);
    expect([await audited('profile', id, 'corrected'), await notificationsOf('profile', id)]).toEqual([[], []]);
  });

  test('names the exact version that was read: of two concurrent ones one wins, and a repeat is stale', async () => {
    const id = await make.profile(owner);
    const { updated_at } = await read('profile', id);
    const off = (ms: number) => new Date(Date.parse(updated_at) + ms).toISOString();
    for (const other of [off(1), off(-1), updated_at.replace(/\.\d{3}/, '.000').replace(/:\d{2}\./, ':59.')])
      expect(await send('profile', id, { data: { city: 'Семей' }, updated_at: other })).toMatchObject(
        refusal(409, 'stale_revision', { updated_at }),
      );
    // The same instant in another form is the same version.
    const cities = ['Семей', 'Астана', 'Орал'];
    const answers = await Promise.all(cities.map((city) => send('profile', id, { data: { city }, updated_at: off(0) })));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409, 409]);
    const won = cities[answers.findIndex(({ status }) => status === 200)];
    expect((await read('profile', id)).data.city).toBe(won);
    expect(codeOf(await send('profile', id, { data: { city: won }, updated_at }))).toBe(stale);
    expect(await audited('profile', id, 'corrected')).toHaveLength(1);
    expect(await notificationsOf('profile', id)).toHaveLength(1);
  });

  test('is stale after any change of the profile, such as a decision or an edit by the owner', async () => {
    const person = await api.user();
    const id = await make.profile(person, { status: 'pending' });
    const first = (await read('profile', id)).updated_at;
    await approve(administrator, 'photo', id);
    expect(codeOf(await send('profile', id, { data: { city: 'Орал' }, updated_at: first }))).toBe(stale);
    const second = (await read('profile', id)).updated_at;
    person.expect(200, await person.patch(`/profiles/${id}`, { data: { city: 'Семей' } }));
    expect(codeOf(await send('profile', id, { data: { city: 'Орал' }, updated_at: second }))).toBe(stale);
  });

  test('and a decision at the same moment: each takes effect whole, or the correction is stale', async () => {
    const id = await make.profile(await api.user(), { status: 'pending' });
    const { updated_at } = await read('profile', id);
    const [corrected] = await Promise.all([
      send('profile', id, { data: { last_name: 'Оспанов' }, updated_at }),
      approve(administrator, 'profile', id),
    ]);
    const { status, data } = await read('profile', id);
    expect(status).toBe('approved');
    expect([corrected.status, data.last_name]).toEqual(corrected.status === 200 ? [200, 'Оспанов'] : [409, 'Әбдіқадырұлы']);
  });

  test('obeys the same checks as an edit by the owner, all problems at once', async () => {
    const id = await make.profile(owner);
    const data = { birth_date: dayFrom(2), iin: '900517300129', colour: 'red', last_name: null };
    const problems = [
      'body.data.birth_date not_past',
      'body.data.colour unknown_field',
      'body.data.iin custom',
      'body.data.last_name required',
    ];
    expect(problemsOf(await correct('profile', id, { data }))).toEqual(problems);
    const misshapen = problemsOf(await send('profile', id, { data, status: 'approved', updated_at: 'yesterday' }));
    expect(misshapen).toEqual(['body.status unknown_field', 'body.updated_at custom']);
    expect(problemsOf(await send('profile', id, {}))).toEqual(['body.data required', 'body.updated_at required']);
    expect(await audited('profile', id, 'corrected')).toEqual([]);
  });

  test("refuses the IIN of the account's other athlete; the IIN of another account's athlete is flagged on both", async () => {
    const [person, stranger] = [await api.user(), await api.user()];
    const iin = makeIin('1990-05-17', 'male', 2);
    const taken = await make.profile(person, { data: { iin } });
    const id = await make.profile(person);
    expect(await correct('profile', id, { data: { iin } })).toMatchObject(refusal(409, 'duplicate_profile', { profile_id: taken }));
    const other = await make.profile(stranger);
    expect(administrator.expect(200, await correct('profile', other, { data: { iin } })).body.data.duplicate_iin).toBe(true);
    expect((await read('profile', taken)).duplicate_iin).toBe(true);
    expect(administrator.expect(200, await correct('profile', other, { data: { iin: null } })).body.data.duplicate_iin).toBe(false);
    expect((await read('profile', taken)).duplicate_iin).toBe(false);
  });

  test('leaves an issued certificate unchanged, byte for byte, and in force', async () => {
    const person = await api.user();
    const { id: applicationId, profileId, documentIds } = await make.application(person, { status: 'approved' });
    const certificate = async () => {
      const [row] = await api.sql<Fields>('select *, snapshot::text as snapshot_text from certificates where application_id = $1', [
        applicationId,
      ]);
      return row;
    };
    // The PDF is made at the first download.
    const printed = person.expect(200, await person.get(`/applications/${applicationId}/certificate`));
    const before = await certificate();
    administrator.expect(200, await correct('profile', profileId, { data: { last_name: 'Оспанов', birth_date: '1991-01-01' } }));
    administrator.expect(200, await correct('document', documentIds[0] ?? 0, { number: 'N0000001' }));
    const verified = await api.browser().get(`/verify/${String(before?.['token'])}`);
    expect(verified.body.data).toMatchObject({ valid: true, state: 'valid' });
    expect(await certificate()).toEqual(before);
    const again = await person.get(`/applications/${applicationId}/certificate`);
    expect(again.bytes.equals(printed.bytes)).toBe(true);
  });

  test('wakes the records that use the profile: a minor then needs a consent', async () => {
    const person = await api.user();
    const made = await make.application(person, { status: 'submitted' });
    const young = dayFrom(-15 * 365);
    administrator.expect(200, await correct('profile', made.profileId, { data: { birth_date: young } }));
    const process = async () => (await administrator.get(`/applications/${made.id}`)).body.data.process;
    await waitFor(process, ({ waiting_for }) => waiting_for === 'owner', 'the application to wait for its owner');
    expect((await person.get(`/applications/${made.id}/readiness`)).body.data).toContainEqual(
      expect.objectContaining({ rule: 'consent', ok: false }),
    );
  });
});

// DOC-6
describe('a correction of a document', () => {
  test('changes its fields; status, note and scan stay, the owner is notified, audit and timeline show it (ADM-5)', async () => {
    const person = await api.user();
    const id = await make.document(person, await make.profile(person), { type: 'identity', status: 'changes' });
    const before = await rowOf('document', id);
    const changes = { type: 'passport', number: 'K 1', country: 'DE', issued_at: '2023-02-01', expires_at: '2035-01-01' };
    const { data } = administrator.expect(200, await correct('document', id, changes)).body;
    expect(data).toMatchObject({ ...changes, status: 'changes', review_note: before?.['review_note'], file_id: before?.['file_id'] });
    const same = { ...changes, updated_at: 0 };
    expect({ ...(await rowOf('document', id)), ...same }).toEqual({ ...before, ...same });
    const changed = ['type', 'number', 'country', 'issued_at', 'expires_at'];
    expect(await audited('document', id, 'corrected')).toEqual([{ actor_id: administrator.userId, data: { changed } }]);
    expect(await notificationsOf('document', id)).toEqual([
      {
        user_id: person.userId,
        type: 'record.corrected',
        text: `The federation has corrected your document ${id}: type, number, country, date of issue, expiry. If this is wrong, contact the federation.`,
      },
    ]);
    const timeline = person.expect(200, await person.get(`/documents/${id}/timeline`)).body.data;
    expect(timeline.at(-1)).toMatchObject({ step: 'corrected', actor: 'administrator', waiting_for: 'owner' });
    expect(administrator.expect(200, await correct('document', id, { number: null })).body.data.number).toBeNull();
  });

  test('that changes nothing writes nothing; its key repeats the answer and refuses other content', async () => {
    const id = await make.document(owner, await make.profile(owner));
    const { updated_at } = await read('document', id);
    expect(administrator.expect(200, await send('document', id, { number: 'N12345678', updated_at })).body.data.updated_at).toBe(
      updated_at,
    );
    expect(await audited('document', id, 'corrected')).toEqual([]);
    const key = { 'idempotency-key': `correction-of-${id}` };
    const body = { number: 'N7', updated_at };
    const first = administrator.expect(200, await send('document', id, body, key)).body.data;
    expect(administrator.expect(200, await send('document', id, body, key)).body.data.updated_at).toBe(first.updated_at);
    expect(codeOf(await send('document', id, { ...body, number: 'N8' }, key))).toBe('409 idempotency_key_conflict');
    expect(codeOf(await send('document', id, body))).toBe(stale);
    expect(await audited('document', id, 'corrected')).toHaveLength(1);
    expect(await notificationsOf('document', id)).toHaveLength(1);
  });

  test('reports all problems of its shape at once, then all of its days; the scan is no field of it (API-2)', async () => {
    const id = await make.document(owner, await make.profile(owner));
    const body = {
      file_id: '11111111-1111-4111-8111-111111111111',
      type: 'tale',
      country: 'XX',
      number: '<b>',
      updated_at: 1,
    };
    expect(problemsOf(await send('document', id, body))).toEqual([
      'body.country invalid_value',
      'body.file_id unknown_field',
      'body.number invalid_format',
      'body.type invalid_value',
      'body.updated_at invalid_type',
    ]);
    const reversed = { issued_at: '2090-01-01', expires_at: '2089-12-31' };
    expect(problemsOf(await correct('document', id, reversed))).toEqual(['body.issued_at after_expires_at', 'body.issued_at in_future']);
    expect(problemsOf(await correct('document', id, { expires_at: '2024-01-09' }))).toEqual(['body.issued_at after_expires_at']);
  });

  test('with a value that the database cannot store fails at once and for good', async () => {
    const id = await make.document(owner, await make.profile(owner));
    // A sequence is not rolled back, so it counts the attempts.
    await api.sql('create sequence tries');
    await api.sql(
      `create function refuse_value() returns trigger language plpgsql security definer as
       $$ begin perform nextval('tries'); raise exception using errcode = '22008', message = 'date out of range'; end $$`,
    );
    await api.sql(
      `create trigger refuse_value before update on documents for each row when (new.number = 'N22008') execute function refuse_value()`,
    );
    expect(codeOf(await correct('document', id, { number: 'N22008' }))).toBe('500 internal_error');
    expect(await api.sql('select last_value::int as count, is_called from tries')).toEqual([{ count: 1, is_called: true }]);
    await api.sql('drop trigger refuse_value on documents');
    administrator.expect(200, await correct('document', id, { number: 'N22009' }));
  });

  test('cannot change the type of a document that is or was linked to an active application, drafts included', async () => {
    const person = await api.user();
    const { id, documentIds } = await make.application(person);
    const [identity = 0] = documentIds;
    expect(await correct('document', identity, { type: 'passport', number: 'N5' })).toMatchObject(
      refusal(409, 'document_in_use', { applications: [id] }),
    );
    // The same type is no change.
    const same = administrator.expect(200, await correct('document', identity, { type: 'identity', number: 'N5' }));
    expect(same.body.data.number).toBe('N5');
  });

  test('to a past last day expires the document at once, and the certificate that uses it', async () => {
    const person = await api.user();
    const { id: applicationId, documentIds } = await make.application(person, { status: 'approved' });
    const [, medical = 0] = documentIds;
    const yesterday = dayFrom(-1);
    const { data } = administrator.expect(200, await correct('document', medical, { expires_at: yesterday })).body;
    expect(data).toMatchObject({
      status: 'expired',
      expires_at: yesterday,
      review_note: `Document ${medical} expired after ${yesterday}. Linked applications: ${applicationId}.`,
    });
    expect((await notificationsOf('document', medical)).map(({ type }) => type)).toEqual(['record.corrected', 'document.expired']);
    const statusOf = async () => (await person.get(`/applications/${applicationId}`)).body.data.status;
    await waitFor(statusOf, (status) => status === 'changes', 'the application to go back to its owner');
    const [certificate] = await api.sql<{ token: string }>('select token from certificates where application_id = $1', [applicationId]);
    expect((await api.browser().get(`/verify/${certificate?.token}`)).body.data.valid).toBe(false);
    const timeline = person.expect(200, await person.get(`/documents/${medical}/timeline`)).body.data;
    expect(timeline.slice(-2).map(({ step }: { step: string }) => step)).toEqual(['corrected', 'expired']);
    // A later last day does not reopen an expired document; an administrator decides.
    expect(administrator.expect(200, await correct('document', medical, { expires_at: '2035-01-01' })).body.data.status).toBe('expired');
    await approve(administrator, 'document', medical);
  });

  // Last, because the clock moves forwards only.
  test("moves its timer: before the certificate's end, and past the former last day", async () => {
    const year = yearOf(new Date()) + 1;
    await api.travelTo(`${year}-02-01T12:00:00+05:00`);
    const medicalUntil = { expiresAt: `${year}-02-20` };
    const { id: applicationId, documentIds } = await make.application(owner, { status: 'approved', medical: medicalUntil });
    const [identity = 0, medical = 0] = documentIds;
    const move = async (id: number, expires_at: string) =>
      administrator.expect(200, await correct('document', id, { expires_at })).body.data;
    expect((await move(medical, `${year + 7}-01-10`)).process.next_timer_at).toBe(`${year + 6}-11-11T00:00:00+05:00`);
    expect(await move(identity, `${year}-02-05`)).toMatchObject({ status: 'approved', process: { waiting_for: 'date' } });
    await api.travelTo(`${year}-02-06T12:00:00+05:00`);
    const shown = async (id: number) => (await owner.get(`/documents/${id}`)).body.data.status;
    expect([await shown(identity), await shown(medical)]).toEqual(['expired', 'approved']);
    expect((await owner.get(`/applications/${applicationId}`)).body.data.status).toBe('changes');
    await api.travelTo(`${year}-02-22T12:00:00+05:00`);
    expect(await shown(medical)).toBe('approved');
  });
});
