import { approve } from '../../support/factories.ts';
import { problemsOf, refusal, wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();

describe('POST /documents', () => {
  test('adds a pending document, starts its process and writes the audit', async () => {
    const owner = await api.user();
    const profileId = await make.profile(owner);
    const fileId = await make.file(owner, 'scan');
    const body = {
      profile_id: profileId,
      type: 'passport',
      file_id: fileId,
      number: 'AB 12-34',
      country: 'KZ',
      issued_at: '2024-01-10',
      expires_at: '2034-01-09',
    };
    const answer = owner.expect(201, await owner.post('/documents', body));
    expect(answer.body.data).toMatchObject({ ...body, status: 'pending', review_note: null, decided_at: null, history: [], used_by: [] });
    expect(answer.headers.get('location')).toBe(`/api/v1/documents/${answer.body.data.id}`);
    expect(answer.body.data).not.toHaveProperty('process');
    const created = { action: 'document.created', actor_id: owner.userId, request_id: answer.body.request_id };
    expect(await audit('document', answer.body.data.id)).toMatchObject([created]);
    const seen = administrator.expect(200, await administrator.get(`/documents/${answer.body.data.id}`)).body.data;
    expect(seen.process).toMatchObject({
      workflow_id: `document/${answer.body.data.id}`,
      waiting_for: 'administrator',
      next_timer_at: '2034-01-10T00:00:00+05:00',
    });
    const least = { profile_id: profileId, type: 'identity', file_id: await make.file(owner, 'scan') };
    const { data } = owner.expect(201, await owner.post('/documents', least)).body;
    expect(data).toMatchObject({ number: null, country: null, issued_at: null, expires_at: null });
  });

  test('lists all problems at once (API-2)', async () => {
    const owner = await api.user();
    const answer = await owner.post('/documents', {
      profile_id: 0,
      type: 'licence',
      file_id: 'x',
      number: '<b>',
      country: 'XX',
      issued_at: '2024-02-30',
      expires_at: 'soon',
      status: 'approved',
    });
    expect(wrongFieldsOf(answer)).toEqual([
      'body.country',
      'body.expires_at',
      'body.file_id',
      'body.issued_at',
      'body.number',
      'body.profile_id',
      'body.status',
      'body.type',
    ]);
  });

  test('refuses an expired document, or one issued after it expires (DOC-4)', async () => {
    const owner = await api.user();
    const body = { profile_id: await make.profile(owner), type: 'medical', file_id: await make.file(owner, 'scan') };
    expect(problemsOf(await owner.post('/documents', { ...body, expires_at: '2020-01-01' }))).toEqual(['body.expires_at expired']);
    expect(problemsOf(await owner.post('/documents', { ...body, issued_at: '2024-01-02', expires_at: '2024-01-01' }))).toContain(
      'body.issued_at after_expires_at',
    );
    const foreign = { ...body, file_id: crypto.randomUUID(), expires_at: '2020-01-01' };
    expect(problemsOf(await owner.post('/documents', foreign))).toEqual(['body.expires_at expired', 'body.file_id unknown_file']);
    expect(await api.sql('select id from documents where profile_id = $1', [body.profile_id])).toEqual([]);
  });
});

describe('GET /documents/{id} and its timeline', () => {
  test('show the events, their actors and who acts next', async () => {
    const owner = await api.user();
    const id = await make.document(owner, await make.profile(owner));
    const waitingFor = async () => (await owner.get(`/documents/${id}/timeline`)).body.data.at(-1).waiting_for;
    expect(await waitingFor()).toBe('administrator');
    administrator.expect(
      200,
      await administrator.post('/admin/review', { kind: 'document', id, decision: 'changes', note: 'the stamp is missing' }),
    );
    expect((await owner.get(`/documents/${id}`)).body.data).toMatchObject({ status: 'changes', review_note: 'the stamp is missing' });
    expect(await waitingFor()).toBe('owner');
    owner.expect(200, await owner.patch(`/documents/${id}`, { file_id: await make.file(owner, 'scan', 'better') }));
    await approve(administrator, 'document', id);
    const { data } = owner.expect(200, await owner.get(`/documents/${id}/timeline`)).body;
    expect(data.map(({ step, actor, waiting_for }: Record<string, unknown>) => [step, actor, waiting_for])).toEqual([
      ['created', 'owner', null],
      ['changes', 'administrator', null],
      ['updated', 'owner', null],
      ['approved', 'administrator', null],
    ]);
    expect(data[1].text).toContain('the stamp is missing');
    const { history, review_note } = owner.expect(200, await owner.get(`/documents/${id}`)).body.data;
    expect(review_note).toBeNull();
    expect(history).toMatchObject([
      { decision: 'changes', note: 'the stamp is missing' },
      { decision: 'approve', note: null },
    ]);
    const { file_id: fileId } = owner.expect(200, await owner.get(`/documents/${id}`)).body.data;
    owner.expect(200, await owner.delete(`/files/${fileId}`));
    const after = owner.expect(200, await owner.get(`/documents/${id}/timeline`)).body.data;
    expect(after.at(-1)).toMatchObject({ step: 'file_deleted', actor: 'owner', waiting_for: 'owner' });
  });
});

describe('PATCH /documents/{id}', () => {
  test('a change returns an approved document to review; equal values do not (DOC-7)', async () => {
    const owner = await api.user();
    const id = await make.document(owner, await make.profile(owner), { status: 'approved', expiresAt: '2034-01-10' });
    const { file_id: fileId } = owner.expect(200, await owner.get(`/documents/${id}`)).body.data;
    const same = { number: 'N12345678', file_id: fileId.toUpperCase() };
    expect(owner.expect(200, await owner.patch(`/documents/${id}`, same)).body.data).toMatchObject({ status: 'approved', file_id: fileId });
    const changed = owner.expect(200, await owner.patch(`/documents/${id}`, { number: null, expires_at: '2035-01-10' })).body.data;
    expect(changed).toMatchObject({
      status: 'pending',
      number: null,
      expires_at: '2035-01-10',
      issued_at: '2024-01-10',
      review_note: null,
    });
    expect((await audit('document', id)).at(-1)).toMatchObject({ action: 'document.updated', data: { changed: ['number', 'expiresAt'] } });
  });

  test('checks the days as they stand after the change (DOC-4)', async () => {
    const owner = await api.user();
    const id = await make.document(owner, await make.profile(owner), { expiresAt: '2034-01-10' });
    expect(problemsOf(await owner.patch(`/documents/${id}`, { expires_at: '2023-01-01' }))).toEqual([
      'body.expires_at expired',
      'body.issued_at after_expires_at',
    ]);
    expect((await owner.get(`/documents/${id}`)).body.data.expires_at).toBe('2034-01-10');
  });

  test('refuses to change a document of a submitted application and names the application (DOC-3)', async () => {
    const owner = await api.user();
    const application = await make.application(owner);
    const [first, second] = application.documentIds;
    // A draft does not prevent changes. The changed document returns to review, which does not block the submission.
    owner.expect(200, await owner.patch(`/documents/${first}`, { number: 'N 2' }));
    owner.expect(200, await owner.post(`/applications/${application.id}/submit`));
    expect(await owner.patch(`/documents/${second}`, { number: 'N 3' })).toMatchObject(
      refusal(409, 'document_in_use', { applications: [application.id] }),
    );
    expect((await owner.get(`/documents/${second}`)).body.data).toMatchObject({ status: 'approved', used_by: [application.id] });
  });

  test('never changes a submitted document when submission and change run at once (DOC-3)', async () => {
    const owner = await api.user();
    const application = await make.application(owner);
    const { documentIds } = application;
    const [submitted, ...changes] = await Promise.all([
      owner.post(`/applications/${application.id}/submit`),
      ...['N 1', 'N 2', 'N 3', 'N 4'].map((number) => owner.patch(`/documents/${documentIds[0]}`, { number })),
    ]);
    expect(submitted.status).toBe(200);
    for (const change of changes) expect([200, 409]).toContain(change.status);
    const [row] = await api.sql<{ late: string }>(
      `select count(*) as late from audit_events c, audit_events s where c.action = 'document.updated' and c.subject_id = $1
         and s.action = 'application.submitted' and s.subject_id = $2 and c.id > s.id`,
      [String(documentIds[0]), String(application.id)],
    );
    expect(Number(row?.late)).toBe(0);
    expect((await owner.patch(`/documents/${documentIds[0]}`, { number: 'N 9' })).status).toBe(409);
  });
});

describe('a document past its last day (DOC-1, DOC-2)', () => {
  test('expires at midnight in UTC+5, cannot be approved, and returns to review with a new last day', async () => {
    const owner = await api.user();
    const { now } = (await owner.get('/sandbox/clock')).body.data;
    const year = Number(now.slice(0, 4)) + 1;
    const profileId = await make.profile(owner);
    const id = await make.document(owner, profileId, { status: 'approved', expiresAt: `${year}-03-01` });

    await api.travelTo(`${year}-03-01T23:59:00+05:00`);
    expect((await owner.get(`/documents/${id}`)).body.data.status).toBe('approved');
    await api.travelTo(`${year}-03-02T00:00:00+05:00`);
    expect((await owner.get(`/documents/${id}`)).body.data).toMatchObject({
      status: 'expired',
      review_note: `Document ${id} expired after ${year}-03-01.`,
    });
    expect((await owner.get(`/documents/${id}/timeline`)).body.data.at(-1)).toMatchObject({
      step: 'expired',
      actor: 'system',
      waiting_for: 'owner',
    });
    const notified = await api.sql<{ type: string }>(
      "select type from notifications where user_id = $1 and subject_kind = 'document' order by id",
      [owner.userId],
    );
    expect(notified.map(({ type }) => type)).toEqual(['document.expiring', 'document.expired']);

    expect(await administrator.post('/admin/review', { kind: 'document', id, decision: 'approve' })).toMatchObject(
      refusal(409, 'invalid_state'),
    );
    expect(problemsOf(await owner.patch(`/documents/${id}`, { number: 'N 1' }))).toEqual(['body.expires_at expired']);
    expect(owner.expect(200, await owner.patch(`/documents/${id}`, { expires_at: `${year + 2}-03-01` })).body.data).toMatchObject({
      status: 'pending',
      review_note: null,
    });
    await approve(administrator, 'document', id);
  });
});
