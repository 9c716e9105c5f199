import sharp from 'sharp';
import { sortTwins, type TestClient } from '../../support/client.ts';
import { approve, athleteData } from '../../support/factories.ts';
import { makeIin } from '../../support/identities/iin.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const organizerData = {
  organization_name: 'Алматы автоклубы',
  director_name: 'Ақбота Сәрсенова',
  director_position: 'директор',
  legal_address: 'Алматы, Абай 1',
  phone: '+7 727 200 00 00',
  email: 'club@example.kz',
};

const { api, make, administrator, audit } = await useRegistry();
const stranger = await api.user();

function problemPaths(answer: { body: { error: { details: { fields: { path: string }[] } } } }): string[] {
  return answer.body.error.details.fields.map(({ path }) => path).sort();
}

/** Lists the audited actions on a profile, except readings. */
const actionsOf = async (id: number) =>
  (await audit('profile', id)).map(({ action }) => action).filter((action) => action !== 'profile.read');

describe('POST /profiles', () => {
  test('creates a draft', async () => {
    const owner = await api.user();
    const photoId = await make.file(owner, 'photo');
    const made = owner.expect(201, await owner.post('/profiles', { kind: 'athlete', data: athleteData, photo_id: photoId }));
    expect(made.body.data).toMatchObject({
      kind: 'athlete',
      name: 'Әбдіқадырұлы Ғалым',
      data: athleteData,
      photo_id: photoId,
      status: 'draft',
      photo_status: 'draft',
      documents: [],
      review_note: null,
    });
    expect(made.headers.get('location')).toBe(`/api/v1/profiles/${made.body.data.id}`);
    expect(made.body.data).not.toHaveProperty('process');
    owner.expect(201, await owner.post('/profiles', { kind: 'organizer', data: organizerData }));
    const list = owner.expect(200, await owner.get('/profiles'));
    expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(['Әбдіқадырұлы Ғалым', 'Алматы автоклубы']);
    expect(list.body.meta).toEqual({ total: 2 });
    expect(await actionsOf(made.body.data.id)).toEqual(['profile.created']);
  });

  test('allows several athletes in an account, but each IIN once (PRO-1)', async () => {
    const owner = await api.user();
    const post = (data: Record<string, unknown>) => owner.post('/profiles', { kind: 'athlete', data: { ...athleteData, ...data } });
    const first = owner.expect(201, await post({ iin: '900517300019' })).body.data;
    const second = owner.expect(201, await post({})).body.data;
    owner.expect(201, await post({}));
    const refusal = { code: 'duplicate_profile', details: { profile_id: first.id } };
    expect(owner.expect(409, await post({ iin: '900517300019' })).body.error).toMatchObject(refusal);
    const change = (id: number, iin: string | null) => owner.patch(`/profiles/${id}`, { data: { iin } });
    expect(owner.expect(409, await change(second.id, '900517300019')).body.error).toMatchObject(refusal);
    expect((await owner.get(`/profiles/${second.id}`)).body.data.data).not.toHaveProperty('iin');
    owner.expect(200, await owner.patch(`/profiles/${first.id}`, { data: { city: 'Семей' } }));
    owner.expect(200, await change(first.id, null));
    owner.expect(200, await change(second.id, '900517300019'));
    expect((await administrator.get(`/profiles/${second.id}`)).body.data.duplicate_iin).toBe(false);
    expect((await owner.get('/profiles/summary')).body.meta).toEqual({ total: 3 });
  });

  test('lists all problems of records too, on create and on change: an image of less than 200 x 200 pixels (PRO-8)', async () => {
    const owner = await api.user();
    const dot = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#58a' } })
      .png()
      .toBuffer();
    const { id: photoId } = owner.expect(201, await owner.upload(dot, 'other', 'dot.png')).body.data;
    const profileId = await make.profile(owner);
    for (const refused of [
      await owner.post('/profiles', { kind: 'athlete', data: { ...athleteData, birth_date: '2999-01-01' }, photo_id: photoId }),
      await owner.patch(`/profiles/${profileId}`, { data: { birth_date: '2999-01-01' }, photo_id: photoId }),
    ])
      expect(owner.expect(422, refused).body.error.details.fields).toEqual([
        expect.objectContaining({ path: 'body.data.birth_date' }),
        expect.objectContaining({ path: 'body.photo_id', code: 'photo_too_small', message: expect.stringContaining('1 x 1') }),
      ]);
  });

  test('lists all problems at once (API-2)', async () => {
    const owner = await api.user();
    const data = { ...athleteData, birth_date: '1990-02-30', citizenship: 'ZZ', iin: '123456789012', phone: 'x', rank: 1 };
    const refused = owner.expect(422, await owner.post('/profiles', { kind: 'athlete', data, photo_id: 'x', status: 'approved' }));
    expect(problemPaths(refused)).toEqual([
      'body.data.birth_date',
      'body.data.citizenship',
      'body.data.iin',
      'body.data.phone',
      'body.data.rank',
      'body.photo_id',
      'body.status',
    ]);
    expect(
      problemPaths(
        owner.expect(422, await owner.post('/profiles', { kind: 'athlete', data: { ...athleteData, birth_date: '2999-01-01' } })),
      ),
    ).toEqual(['body.data.birth_date']);
    const judge = { kind: 'judge', data: { ...athleteData, iin: '123456789012' }, photo_id: 'x' };
    expect(problemPaths(owner.expect(422, await owner.post('/profiles', judge)))).toEqual(['body.data.iin', 'body.kind', 'body.photo_id']);
    const { kind: _, ...kindless } = judge;
    expect(problemPaths(owner.expect(422, await owner.post('/profiles', kindless)))).toEqual([
      'body.data.iin',
      'body.kind',
      'body.photo_id',
    ]);
    // For an unknown kind the required fields of `data` are unknown.
    expect(problemPaths(owner.expect(422, await owner.post('/profiles', { data: {} })))).toEqual(['body.kind']);
    expect(await api.sql('select id from profiles where owner_id = $1', [owner.userId])).toEqual([]);
  });

  test('accepts only an image of the caller as the photo', async () => {
    const owner = await api.user();
    const post = async (photoId: string) =>
      owner.expect(422, await owner.post('/profiles', { kind: 'athlete', data: athleteData, photo_id: photoId })).body.error.details.fields;
    expect(await post(await make.file(stranger, 'photo'))).toEqual([
      expect.objectContaining({ path: 'body.photo_id', code: 'unknown_file' }),
    ]);
    expect(await post(await make.file(owner, 'scan'))).toEqual([
      expect.objectContaining({ path: 'body.photo_id', code: 'wrong_file_type' }),
    ]);
  });

  test('flags the same IIN in two accounts to administrators (PRO-1)', async () => {
    const [one, two] = [await api.user(), await api.user()];
    const shared = makeIin(athleteData.birth_date, 'male', 7);
    const take = async (owner: TestClient) => {
      const id = await make.profile(owner);
      owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { iin: shared } }));
      return id;
    };
    const first = await take(one);
    expect((await administrator.get(`/profiles/${first}`)).body.data).toMatchObject({ duplicate_iin: false, owner_id: one.userId });
    const second = await take(two);
    for (const id of [first, second]) expect((await administrator.get(`/profiles/${id}`)).body.data.duplicate_iin).toBe(true);
    expect((await one.get(`/profiles/${first}`)).body.data).not.toHaveProperty('duplicate_iin');
    two.expect(200, await two.delete(`/profiles/${second}`));
    expect((await administrator.get(`/profiles/${first}`)).body.data.duplicate_iin).toBe(false);
  });
});

describe('PATCH /profiles/{id}', () => {
  test('replaces, removes and keeps fields; equal values change nothing', async () => {
    const owner = await api.user();
    const id = await make.profile(owner, { data: { phone: '+77011234567' } });
    const changed = owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { city: null, last_name: 'Сәрсенов' } }));
    expect(changed.body.data.name).toBe('Сәрсенов Ғалым');
    expect(changed.body.data.data).toMatchObject({ phone: '+77011234567', last_name: 'Сәрсенов' });
    expect(changed.body.data.data).not.toHaveProperty('city');
    owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { last_name: 'Сәрсенов' } }));
    owner.expect(200, await owner.patch(`/profiles/${id}`, {}));
    expect(await audit('profile', id)).toMatchObject([
      { action: 'profile.updated', data: { changed: ['city', 'last_name'], status: 'draft', photo_status: 'draft' } },
    ]);
  });

  test('returns a changed identity or photo to review, but not contacts (PRO-3)', async () => {
    const owner = await api.user();
    const id = await make.profile(owner, { status: 'approved' });
    expect(owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { city: 'Семей' } })).body.data).toMatchObject({
      status: 'approved',
      photo_status: 'approved',
    });
    expect(owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { first_name: 'Ғани' } })).body.data).toMatchObject({
      status: 'pending',
      photo_status: 'approved',
    });
    await waitForProcess(id, (process) => process.status === 'running' && process.waiting_for === 'administrator');
    await approve(administrator, 'profile', id);
    const replaced = owner.expect(200, await owner.patch(`/profiles/${id}`, { photo_id: await make.file(owner, 'photo') }));
    expect(replaced.body.data).toMatchObject({ status: 'approved', photo_status: 'pending' });
    expect(problemPaths(owner.expect(422, await owner.patch(`/profiles/${id}`, { photo_id: null })))).toEqual(['body.photo_id']);
  });
});

async function waitForProcess(
  id: number,
  isDone: (process: { status: string; waiting_for: string | null; workflow_id: string }) => boolean,
): Promise<void> {
  await waitFor(async () => (await administrator.get(`/profiles/${id}`)).body.data.process, isDone, `the process of profile ${id}`);
}

describe('POST /profiles/{id}/submit and the review', () => {
  test('submit, return, correct, resubmit and approve a profile; its history keeps every decision (PRO-2)', async () => {
    const owner = await api.user();
    const id = await make.profile(owner);
    const sent = owner.expect(200, await owner.post(`/profiles/${id}/submit`));
    expect(sent.body.data).toMatchObject({ status: 'pending', photo_status: 'pending' });
    expect(sent.body.data.submitted_at).not.toBeNull();
    const again = owner.expect(409, await owner.post(`/profiles/${id}/submit`));
    expect(again.body.error).toMatchObject({ code: 'invalid_state', details: { status: 'pending', photo_status: 'pending' } });

    await approve(administrator, 'photo', id);
    administrator.expect(
      200,
      await administrator.post('/admin/review', { kind: 'profile', id, decision: 'changes', note: 'Write the name as in the passport.' }),
    );
    const returned = (await owner.get(`/profiles/${id}`)).body.data;
    expect(returned).toMatchObject({
      status: 'changes',
      photo_status: 'approved',
      review_note: 'Write the name as in the passport.',
      photo_review_note: null,
    });
    await waitForProcess(id, (process) => process.waiting_for === 'owner' && process.workflow_id === `profile/${id}`);

    owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { last_name: 'Әбдіқадыров' } }));
    expect(owner.expect(200, await owner.post(`/profiles/${id}/submit`)).body.data).toMatchObject({
      status: 'pending',
      photo_status: 'approved',
    });
    await approve(administrator, 'profile', id);
    expect((await owner.get(`/profiles/${id}`)).body.data).toMatchObject({
      status: 'approved',
      photo_status: 'approved',
      review_note: null,
    });
    await waitForProcess(id, (process) => process.status !== 'running');
    expect(
      await api.sql(
        "select subject_kind as part, decision, note from review_decisions where subject_id = $1 and subject_kind <> 'document'",
        [id],
      ),
    ).toEqual([
      { part: 'photo', decision: 'approve', note: null },
      { part: 'profile', decision: 'changes', note: 'Write the name as in the passport.' },
      { part: 'profile', decision: 'approve', note: null },
    ]);
    expect(await actionsOf(id)).toEqual([
      'profile.submitted',
      'photo.approved',
      'profile.changes',
      'profile.updated',
      'profile.submitted',
      'profile.approved',
    ]);
  });

  test('submit once for the same Idempotency-Key, with the same answer (API-6)', async () => {
    const owner = await api.user();
    const id = await make.profile(owner);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => owner.post(`/profiles/${id}/submit`, undefined, { 'idempotency-key': 'submit-once' })),
    );
    const { effects, others } = sortTwins(answers);
    expect([effects.map(({ status }) => status), others]).toEqual([[200], []]);
    expect((await owner.post(`/profiles/${id}/submit`, undefined, { 'idempotency-key': 'submit-once' })).body.data).toEqual(
      effects[0]?.body.data,
    );
    expect(await actionsOf(id)).toEqual(['profile.submitted']);
  });
});

// PRO-5
describe('DELETE /profiles/{id}', () => {
  test('deletes a never approved profile with its documents; its files stay, unused', async () => {
    const owner = await api.user();
    const id = await make.profile(owner);
    const documentId = await make.document(owner, id);
    const photoId = (await owner.get(`/profiles/${id}`)).body.data.photo_id;
    expect(owner.expect(200, await owner.delete(`/profiles/${id}`)).body.data).toEqual({ deleted: true });
    owner.expect(404, await owner.get(`/profiles/${id}`));
    owner.expect(404, await owner.get(`/documents/${documentId}`));
    owner.expect(404, await owner.delete(`/profiles/${id}`));
    owner.expect(200, await owner.delete(`/files/${photoId}`));
    expect(await actionsOf(id)).toEqual(['profile.deleted']);
  });

  test('refuses a profile of which any part was ever approved', async () => {
    const owner = await api.user();
    const id = await make.profile(owner, { status: 'approved' });
    const decision = { kind: 'photo', id, decision: 'cancel', note: 'Not the person.' };
    administrator.expect(200, await administrator.post('/admin/review', decision));
    expect(owner.expect(409, await owner.delete(`/profiles/${id}`)).body.error.code).toBe('profile_was_approved');
  });

  test('refuses a profile with a live application, and deletes unpaid finished applications with it', async () => {
    const owner = await api.user();
    const id = await make.profile(owner);
    const documentId = await make.document(owner, id);
    const on = { profileId: id, documentIds: [documentId] };
    const { id: cancelled } = await make.application(owner, { on, columns: { status: 'cancelled' } });
    const { id: closed } = await make.application(owner, { on, columns: { status: 'closed', closedAt: new Date() } });
    const { id: live } = await make.application(owner, { on });
    expect(owner.expect(409, await owner.delete(`/profiles/${id}`)).body.error).toMatchObject({
      code: 'profile_in_use',
      details: { applications: [live] },
    });
    owner.expect(200, await owner.get(`/applications/${cancelled}`));

    owner.expect(200, await owner.post(`/applications/${live}/cancel`, { reason: 'A mistake.' }));
    owner.expect(200, await owner.delete(`/profiles/${id}`));
    for (const gone of [cancelled, closed, live]) owner.expect(404, await owner.get(`/applications/${gone}`));
    expect(await api.sql('select from application_documents where document_id = $1', [documentId])).toEqual([]);
    const deletion = (await audit('profile', id)).at(-1)?.data;
    expect(deletion).toEqual({ kind: 'athlete', documents: [documentId], applications: [cancelled, closed, live] });
  });

  test('refuses a profile with a paid or issued application, even a finished one', async () => {
    const owner = await api.user();
    const id = await make.profile(owner);
    const on = { profileId: id, documentIds: [] };
    const ended = { status: 'cancelled', paid: true, paidAt: new Date(), paymentTransactionId: 1 } as const;
    const { id: paid } = await make.application(owner, { on, columns: ended });
    const { id: issued } = await make.application(owner, { on, columns: { status: 'cancelled' } });
    await api.sql(
      `insert into certificates (application_id, number, series, year, sequence, token, valid_from, valid_until, snapshot, issued_at)
       values ($1, 'X-1', 'X', 2026, 1, 'token', '2026-01-01', '2026-12-31', '{}', now())`,
      [issued],
    );
    expect(owner.expect(409, await owner.delete(`/profiles/${id}`)).body.error).toMatchObject({
      code: 'profile_in_use',
      details: { applications: [paid, issued] },
    });
  });
});

describe('GET /profiles/summary, /portfolio and /vehicles', () => {
  test('count and list the records of an athlete; vehicles are read-only (PRO-6)', async () => {
    const owner = await api.user();
    const id = await make.profile(owner, { status: 'approved' });
    const documentId = await make.document(owner, id, { status: 'approved' });
    owner.expect(201, await owner.post('/profiles', { kind: 'organizer', data: organizerData }));
    const application = await make.application(owner, { on: { profileId: id, documentIds: [documentId] } });

    const summary = owner.expect(200, await owner.get('/profiles/summary'));
    expect(summary.body.meta).toEqual({ total: 1 });
    expect(summary.body.data).toEqual([
      expect.objectContaining({ id, status: 'approved', counters: { documents: 1, applications: 1, certificates: 0, competitions: 0 } }),
    ]);

    const { data } = owner.expect(200, await owner.get(`/profiles/${id}/portfolio`)).body;
    expect(data.profile.id).toBe(id);
    expect(data.documents).toEqual([expect.objectContaining({ id: documentId, status: 'approved', review_note: null })]);
    expect(data.applications).toEqual([
      expect.objectContaining({ id: application.id, status: 'draft', paid: false, amount_minor: 865_000 }),
    ]);
    expect(data).toMatchObject({ certificates: [], participation: [] });

    expect(owner.expect(200, await owner.get(`/profiles/${id}/vehicles`)).body).toMatchObject({ data: [], meta: { total: 0 } });
    await api.sql(`insert into archived_vehicles (profile_id, data, archived_at) values ($1, '{"make": "ВАЗ", "year": 1998}', now())`, [
      id,
    ]);
    expect((await administrator.get(`/profiles/${id}/vehicles`)).body.data).toEqual([
      expect.objectContaining({ data: { make: 'ВАЗ', year: 1998 } }),
    ]);
    const refused = owner.expect(405, await owner.post(`/profiles/${id}/vehicles`, {}));
    expect(refused.headers.get('allow')).toContain('GET');

    const decision = { kind: 'document', id: documentId, decision: 'changes', note: 'The stamp is missing.' };
    administrator.expect(200, await administrator.post('/admin/review', decision));
    expect((await owner.get(`/profiles/${id}`)).body.data.documents).toEqual([
      expect.objectContaining({ id: documentId, status: 'changes', review_note: 'The stamp is missing.' }),
    ]);
  });
});
