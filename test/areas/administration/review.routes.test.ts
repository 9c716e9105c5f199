import { approve } from '../../support/factories.ts';
import { refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, owner } = await useRegistry();
const profileId = await make.profile(owner);

const decisionsOn = (kind: string, id: number) =>
  api.sql<{ decision: string; from_status: string; to_status: string; actor_id: number }>(
    'select decision, from_status, to_status, actor_id from review_decisions where subject_kind = $1 and subject_id = $2 order by id',
    [kind, id],
  );
const notificationsOf = (kind: string, id: number) =>
  api.sql<{ type: string }>('select type from notifications where subject_kind = $1 and subject_id = $2 order by id', [kind, String(id)]);

// REV-1
describe('a decision must have', () => {
  test.each([
    ['a kind', { id: 1, decision: 'approve' }],
    ['a known kind', { kind: 'invoice', id: 1, decision: 'approve' }],
    ['a decision', { kind: 'document', id: 1 }],
    ['a known decision', { kind: 'document', id: 1, decision: 'reject' }],
    ['a note to return', { kind: 'document', id: 1, decision: 'changes' }],
    ['a note to refuse', { kind: 'photo', id: 1, decision: 'cancel', note: null }],
    ['a note of five characters', { kind: 'profile', id: 1, decision: 'changes', note: ' no   ' }],
    ['a note of 3000 characters at the most', { kind: 'document', id: 1, decision: 'cancel', note: 'x'.repeat(3001) }],
    ['the revision of an application', { kind: 'application', id: 1, decision: 'approve' }],
    ['nothing unknown', { kind: 'document', id: 1, decision: 'approve', revision: 1 }],
    ['real days', { kind: 'application', id: 1, decision: 'approve', revision: 1, valid_from: '2026-02-30' }],
  ])('%s', async (_, body) => {
    expect(await administrator.post('/admin/review', body)).toMatchObject(refusal(422, 'validation_failed'));
  });

  test.each(['profile', 'photo', 'document', 'application'])('a missing %s is not found', async (kind) => {
    const revision = kind === 'application' ? { revision: 1 } : {};
    expect(await administrator.post('/admin/review', { kind, id: 2_147_483_647, decision: 'approve', ...revision })).toMatchObject({
      status: 404,
    });
  });
});

describe('decisions on a document', () => {
  test('answer the record, keep the history, notify the owner and write the audit (REV-2, AUD-2)', async () => {
    const id = await make.document(owner, profileId);
    const returned = administrator.expect(
      200,
      await administrator.post('/admin/review', { kind: 'document', id, decision: 'changes', note: '  the stamp is missing ' }),
    );
    const version = { updated_at: expect.any(String) };
    expect(returned.body.data).toEqual({ kind: 'document', id, status: 'changes', review_note: 'the stamp is missing', ...version });
    const approved = administrator.expect(200, await administrator.post('/admin/review', { kind: 'document', id, decision: 'approve' }));
    expect(approved.body.data).toEqual({ kind: 'document', id, status: 'approved', review_note: null, ...version });
    const actor_id = administrator.userId;
    expect(await decisionsOn('document', id)).toEqual([
      { decision: 'changes', from_status: 'pending', to_status: 'changes', actor_id },
      { decision: 'approve', from_status: 'changes', to_status: 'approved', actor_id },
    ]);
    expect(await notificationsOf('document', id)).toEqual([{ type: 'document.changes' }, { type: 'document.approved' }]);
    const { data } = administrator.expect(200, await administrator.get(`/admin/audit?request_id=${approved.body.request_id}`)).body;
    expect(data).toMatchObject([{ action: 'document.approved', actor_id, subject: { kind: 'document', id: String(id) } }]);
  });

  test('a repeat, with or without a key, is no second decision', async () => {
    const id = await make.document(owner, profileId);
    const body = { kind: 'document', id, decision: 'cancel', note: 'this is a forgery' };
    const key = { 'idempotency-key': 'decide-once-and-for-all' };
    const first = administrator.expect(200, await administrator.post('/admin/review', body, key));
    for (const headers of [key, {}])
      expect(administrator.expect(200, await administrator.post('/admin/review', body, headers)).body.data).toEqual(first.body.data);
    expect(await decisionsOn('document', id)).toHaveLength(1);
    expect(await notificationsOf('document', id)).toHaveLength(1);
    for (const other of [
      { decision: 'changes' },
      { note: 'this is a forgery, and not the first one' },
      { decision: 'approve', note: null },
    ])
      expect(await administrator.post('/admin/review', { ...body, ...other }, key)).toMatchObject(refusal(409, 'idempotency_key_conflict'));
    expect(await decisionsOn('document', id)).toHaveLength(1);
  });
});

describe('decisions on other records', () => {
  test('the data and the photo of a profile have separate decisions', async () => {
    const person = await api.user();
    const id = await make.profile(person, { status: 'pending' });
    expect(
      administrator.expect(
        200,
        await administrator.post('/admin/review', { kind: 'photo', id, decision: 'changes', note: 'the face is not seen' }),
      ).body.data,
    ).toEqual({
      kind: 'photo',
      id,
      status: 'changes',
      review_note: 'the face is not seen',
      updated_at: (await person.get(`/profiles/${id}`)).body.data.updated_at,
    });
    await approve(administrator, 'profile', id);
    expect((await person.get(`/profiles/${id}`)).body.data).toMatchObject({
      status: 'approved',
      photo_status: 'changes',
      photo_review_note: 'the face is not seen',
    });
    expect(await decisionsOn('profile', id)).toHaveLength(1);
    expect(await decisionsOn('photo', id)).toHaveLength(1);
  });

  test('a decision on an application names the revision that was read, and is made once', async () => {
    const person = await api.user();
    const made = await make.application(person, { status: 'submitted' });
    const sent = person.expect(200, await person.get(`/applications/${made.id}`)).body.data;
    const decide = (revision: number) =>
      administrator.post('/admin/review', {
        kind: 'application',
        id: made.id,
        decision: 'changes',
        revision,
        note: 'choose another category',
      });
    expect(await decide(sent.revision - 1)).toMatchObject(refusal(409, 'stale_revision', { revision: sent.revision }));
    const returned = administrator.expect(200, await decide(sent.revision)).body.data;
    expect(returned).toMatchObject({
      kind: 'application',
      id: made.id,
      status: 'changes',
      review_note: 'choose another category',
      number: null,
    });
    expect(returned.revision).toBeGreaterThan(sent.revision);
    expect((await decide(sent.revision)).status).toBe(409);
    expect(await decisionsOn('application', made.id)).toHaveLength(1);
  });

  test('the record of an application has what a decision needs', async () => {
    const person = await api.user();
    const made = await make.application(person, { status: 'submitted', data: { team: 'Барыс' } });
    const path = `/admin/records/application/${made.id}`;
    expect((await person.get(path)).status).toBe(403);
    expect((await administrator.get('/admin/records/application/2147483647')).status).toBe(404);
    const record = administrator.expect(200, await administrator.get(path)).body.data;
    expect(record).toMatchObject({
      id: made.id,
      status: 'submitted',
      owner: { id: person.userId, email: person.email },
      profile: { id: made.profileId, duplicate_iin: false },
      payment: { purpose: 'insurance', paid: false },
      history: [],
      process: { workflow_id: `application/${made.id}`, status: 'running' },
    });
    expect(record.documents.map(({ id }: { id: number }) => id)).toEqual(made.documentIds);
    expect(record.documents[0].file_id).toMatch(/^[0-9a-f-]{36}$/);
    const review = record.certificate_review;
    expect(review.can_approve).toBe(false);
    expect(review.revision).toBe(record.revision);
    expect(review.conditions.filter(({ ok }: { ok: boolean }) => !ok).map(({ rule }: { rule: string }) => rule)).toEqual(['payment']);

    await make.money(person, 2_000_000);
    person.expect(200, await person.post(`/applications/${made.id}/pay`));
    const issued = administrator.expect(200, await administrator.get(path)).body.data;
    expect(issued).toMatchObject({ status: 'approved', payment: { paid: true } });
    expect(issued.certificate_review.conditions.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
  });
});

describe('a decision on what was seen', () => {
  const note = 'the copy is not readable';
  const read = async (path: string) => administrator.expect(200, await administrator.get(path)).body.data;
  const decide = (kind: string, id: number, body: Record<string, unknown>) => administrator.post('/admin/review', { kind, id, ...body });

  test('is refused after the owner has changed the record, and names its version (REV-5)', async () => {
    const person = await api.user();
    const id = await make.profile(person, { status: 'pending' });
    const documentId = await make.document(person, id);
    const seen = { profile: await read(`/profiles/${id}`), document: await read(`/documents/${documentId}`) };
    const [photo, scan] = [await make.file(person, 'photo'), await make.file(person, 'scan', 'another scan')];
    person.expect(200, await person.patch(`/profiles/${id}`, { data: { last_name: 'Басқа', birth_date: '1991-02-03' } }));
    person.expect(200, await person.patch(`/profiles/${id}`, { photo_id: photo }));
    person.expect(200, await person.patch(`/documents/${documentId}`, { file_id: scan }));
    const now = { profile: await read(`/profiles/${id}`), document: await read(`/documents/${documentId}`) };
    for (const [kind, of] of [
      ['profile', 'profile'],
      ['photo', 'profile'],
      ['document', 'document'],
    ] as const)
      for (const decision of [{ decision: 'approve' }, { decision: 'changes', note }, { decision: 'cancel', note }]) {
        const subject = kind === 'document' ? documentId : id;
        const refused = await decide(kind, subject, { ...decision, updated_at: seen[of].updated_at });
        expect([kind, refused.status, refused.body.error]).toMatchObject([
          kind,
          409,
          { code: 'stale_revision', details: { updated_at: now[of].updated_at } },
        ]);
        expect(await decisionsOn(kind, subject)).toEqual([]);
      }

    // Data and photo are one profile: the answer to the first decision has the version for the second.
    const first = administrator.expect(200, await decide('profile', id, { decision: 'approve', updated_at: now.profile.updated_at }));
    expect((await decide('photo', id, { decision: 'approve', updated_at: now.profile.updated_at })).status).toBe(409);
    const { updated_at } = first.body.data;
    administrator.expect(200, await decide('photo', id, { decision: 'approve', updated_at }));
    administrator.expect(200, await decide('document', documentId, { decision: 'approve', updated_at: now.document.updated_at }));
  });

  test('of two decisions on one version, one is accepted (REV-5)', async () => {
    const id = await make.document(owner, profileId);
    const { updated_at } = await read(`/documents/${id}`);
    const answers = await Promise.all([
      decide('document', id, { decision: 'approve', updated_at }),
      decide('document', id, { decision: 'changes', note, updated_at }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409]);
    expect(await decisionsOn('document', id)).toHaveLength(1);
  });

  test('approves no record whose file was deleted (REV-6)', async () => {
    const person = await api.user();
    const id = await make.profile(person, { status: 'pending' });
    const documentId = await make.document(person, id);
    const { file_id } = await read(`/documents/${documentId}`);
    person.expect(200, await person.delete(`/files/${file_id}`));
    // A photo in use cannot be deleted; only a fault of the storage's records leaves a profile without it.
    await api.sql('update files set deleted_at = now() where id = (select photo_id from profiles where id = $1)', [id]);
    for (const [kind, subject] of [
      ['document', documentId],
      ['photo', id],
    ] as const) {
      expect(await decide(kind, subject, { decision: 'approve' })).toMatchObject(refusal(409, 'file_missing'));
      administrator.expect(200, await decide(kind, subject, { decision: 'changes', note }));
    }
    const file = await make.file(person, 'scan', 'the file again');
    person.expect(200, await person.patch(`/documents/${documentId}`, { file_id: file }));
    administrator.expect(200, await decide('document', documentId, { decision: 'approve' }));
  });

  test.each([
    ['2990 letters and 10 emoji', 'ә'.repeat(2990) + '🏁'.repeat(10), 200],
    ['3000 emoji', '🏁'.repeat(3000), 200],
    ['3001 characters', '🏁'.repeat(3001), 422],
    ['four emoji', '🏁'.repeat(4), 422],
  ])('a note is measured in characters: %s (REV-1)', async (_, words, status) => {
    const id = await make.document(owner, profileId);
    expect((await decide('document', id, { decision: 'changes', note: words })).status).toBe(status);
  });
});
