import { eventFixtures } from '../../support/factories/events.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, owner: organizer, administrator, audit } = await useRegistry();
const other = await api.user();
const eventId = (await eventFixtures(api.platform).event(organizer, { title: 'Көкшетау ралли' })).id;

const path = (id = eventId) => `/events/${id}/additional-documents`;
const note = 'the map is of last year';

async function add(content: 'photo' | 'scan' = 'scan', kind = 'bulletin') {
  const body = { file_id: await make.file(organizer, content), title: 'Бюллетень №1', kind };
  return organizer.expect(201, await organizer.post(path(), body)).body.data;
}

const decide = (id: number, decision: string, words?: string) =>
  administrator.post('/admin/review', { kind: 'additional_document', id, decision, ...(words === undefined ? {} : { note: words }) });

const actionsOf = async (id: number) => (await audit('additional_document', id)).map(({ action }) => action.split('.')[1]);

/** Types of the organizer's notifications about a document. */
async function typesOf(id: number): Promise<string[]> {
  const rows = await api.sql<{ type: string }>(
    "select type from notifications where subject_kind = 'additional_document' and subject_id = $1 and user_id = $2 order by id",
    [String(id), organizer.userId],
  );
  return rows.map(({ type }) => type);
}

test('adds a PDF or a picture, lists pages, and audits each step with the hash of the file', async () => {
  const document = await add('scan', 'schedule');
  expect(document).toEqual({
    document_id: expect.any(Number),
    event_id: eventId,
    title: 'Бюллетень №1',
    kind: 'schedule',
    file_id: expect.any(String),
    status: 'pending',
    review_note: null,
    decided_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const picture = await add('photo', 'scheme');
  const list = organizer.expect(200, await organizer.get(`${path()}?limit=1&page=2`)).body;
  expect(list.data.map((row: { document_id: number }) => row.document_id)).toEqual([picture.document_id]);
  expect(list.meta).toEqual({ total: 2, page: 2, limit: 1 });

  const id = document.document_id;
  organizer.expect(200, await organizer.delete(`${path()}/${id}`));
  const file = organizer.expect(200, await organizer.get('/files')).body.data.find((row: { id: string }) => row.id === document.file_id);
  expect(await audit('additional_document', id)).toMatchObject([
    { action: 'additional_document.added', actor_id: organizer.userId, data: { event_id: eventId, kind: 'schedule', sha256: file.sha256 } },
    {
      action: 'additional_document.deleted',
      actor_id: organizer.userId,
      data: { event_id: eventId, kind: 'schedule', status: 'pending', sha256: file.sha256 },
    },
  ]);
  expect((await organizer.delete(`${path()}/${id}`)).status).toBe(404);
});

test('takes a decision on the version that was read, with its file, and a note measured in characters (REV-1, REV-5, REV-6)', async () => {
  const { document_id: id, file_id: fileId, updated_at: seen } = await add();
  const given = { kind: 'additional_document', id };
  const words = 'ә'.repeat(2990) + '🏁'.repeat(10);
  const first = await administrator.post('/admin/review', { ...given, decision: 'changes', note: words, updated_at: seen });
  const { updated_at: updatedAt } = administrator.expect(200, first).body.data;
  expect(await administrator.post('/admin/review', { ...given, decision: 'approve', updated_at: seen })).toMatchObject({
    status: 409,
    body: { error: { code: 'stale_revision', details: { updated_at: updatedAt } } },
  });
  // Its file cannot be deleted; only a fault of the records leaves a document without it.
  await api.sql('update files set deleted_at = now() where id = $1', [fileId]);
  const approve = () => administrator.post('/admin/review', { ...given, decision: 'approve', updated_at: updatedAt });
  expect(await approve()).toMatchObject({ status: 409, body: { error: { code: 'file_missing' } } });
  await api.sql('update files set deleted_at = null where id = $1', [fileId]);
  administrator.expect(200, await approve());
});

// EVT-10
test('waits in the queue, takes decisions in any order, notifies the organizer once; a repeat changes nothing', async () => {
  const { document_id: id } = await add();
  const queued = administrator.expect(200, await administrator.get('/admin/queue?kind=additional_document')).body.data;
  expect(queued.find((item: { id: number }) => item.id === id)).toMatchObject({
    kind: 'additional_document',
    status: 'pending',
    title: 'bulletin: Бюллетень №1 (Көкшетау ралли)',
    type: 'bulletin',
    subject: 'Бюллетень №1 (Көкшетау ралли)',
    owner_id: organizer.userId,
    event_id: eventId,
  });

  expect((await decide(id, 'changes', 'no')).body.error.code).toBe('validation_failed');
  expect((await decide(id, 'changes')).body.error.code).toBe('validation_failed');
  for (const repeat of [1, 2]) {
    const { data } = administrator.expect(200, await decide(id, 'changes', note)).body;
    expect([repeat, data]).toMatchObject([repeat, { kind: 'additional_document', id, status: 'changes', review_note: note }]);
  }
  const returned = administrator.expect(200, await administrator.get('/admin/queue?kind=additional_document&status=changes')).body.data;
  expect(returned.map((item: { id: number }) => item.id)).toContain(id);
  for (const decision of ['approve', 'approve']) administrator.expect(200, await decide(id, decision));
  administrator.expect(200, await decide(id, 'cancel', note));

  expect(await typesOf(id)).toEqual(['additional_document.changes', 'additional_document.approved', 'additional_document.cancelled']);
  const rows = organizer.expect(200, await organizer.get(`${path()}?limit=100`)).body.data;
  expect(rows.find((row: { document_id: number }) => row.document_id === id)).toMatchObject({ status: 'cancelled', review_note: note });
  expect(await actionsOf(id)).toEqual(['added', 'changes', 'approved', 'cancelled']);
  const decisions = await api.sql(
    'select decision, from_status, to_status from review_decisions where subject_kind = $1 and subject_id = $2',
    ['additional_document', id],
  );
  expect(decisions).toEqual([
    { decision: 'changes', from_status: 'pending', to_status: 'changes' },
    { decision: 'approve', from_status: 'changes', to_status: 'approved' },
    { decision: 'cancel', from_status: 'approved', to_status: 'cancelled' },
  ]);
});

test('answers 404 for a decision on a deleted document; a parallel deletion and decision run one after the other', async () => {
  const { document_id: id } = await add();
  organizer.expect(200, await organizer.delete(`${path()}/${id}`));
  expect((await decide(id, 'approve')).status).toBe(404);

  for (let round = 0; round < 5; round += 1) {
    const { document_id: raced } = await add();
    const [deletion, decision] = await Promise.all([organizer.delete(`${path()}/${raced}`), decide(raced, 'approve')]);
    expect(deletion.status).toBe(200);
    // 404 also when the deletion commits before the response reads the document.
    expect([200, 404]).toContain(decision.status);
    const actions = await actionsOf(raced);
    expect(actions.at(-1)).toBe('deleted');
    expect((await typesOf(raced)).length).toBe(actions.includes('approved') ? 1 : 0);
  }
});

test("refuses another account's file, another event's document and a wrong body", async () => {
  const { document_id: id } = await add();
  const body = { file_id: await make.file(other, 'scan'), title: 'Bulletin', kind: 'bulletin' };
  administrator.expect(200, await administrator.get(path()));
  const foreign = await organizer.post(path(), body);
  expect([foreign.status, foreign.body.error.details.fields]).toEqual([
    422,
    [expect.objectContaining({ path: 'body.file_id', code: 'unknown_file' })],
  ]);
  const wrong = await organizer.post(path(), { ...body, title: ' ', kind: 'map', extra: 1 });
  expect(wrong.body.error.details.fields.map((field: { path: string; code: string }) => `${field.path} ${field.code}`).toSorted()).toEqual([
    'body.extra unknown_field',
    'body.kind invalid_value',
    'body.title too_small',
  ]);
  const { id: second } = await eventFixtures(api.platform).event(organizer);
  expect((await organizer.delete(`${path(second)}/${id}`)).status).toBe(404);
});

test('keeps its file, and cannot change once the event is completed or cancelled (EVT-10, EVT-19)', async () => {
  const { document_id: id, file_id: fileId } = await add();
  const kept = await organizer.delete(`/files/${fileId}`);
  expect([kept.status, kept.body.error.details]).toEqual([409, { used_by: [{ kind: 'additional_document', id }] }]);
  organizer.expect(200, await organizer.delete(`${path()}/${id}`));
  organizer.expect(200, await organizer.delete(`/files/${fileId}`));

  for (const status of ['completed', 'cancelled'] as const) {
    const event = await eventFixtures(api.platform).event(organizer, { status });
    const body = { file_id: await make.file(organizer, 'scan'), title: 'Bulletin', kind: 'other' };
    const refused = await organizer.post(path(event.id), body);
    expect([refused.status, refused.body.error]).toEqual([409, expect.objectContaining({ code: 'invalid_state', details: { status } })]);
    const [row] = await api.sql<{ id: number }>(
      "insert into additional_documents (event_id, file_id, title, kind, created_at, updated_at) values ($1, $2, 'Bulletin', 'other', now(), now()) returning id",
      [event.id, body.file_id],
    );
    expect((await organizer.delete(`${path(event.id)}/${row?.id}`)).body.error.code).toBe('invalid_state');
    const queued = administrator.expect(200, await administrator.get('/admin/queue?kind=additional_document&limit=100')).body.data;
    // Pending documents of a completed event can still be reviewed.
    expect(queued.some((item: { id: number }) => item.id === row?.id)).toBe(status === 'completed');
  }
});

test('respects the limit under parallel requests (EVT-10)', async () => {
  const { id } = await eventFixtures(api.platform).event(organizer);
  const fileId = await make.file(organizer, 'scan');
  await api.sql(
    "insert into additional_documents (event_id, file_id, title, kind, created_at, updated_at) select $1, $2, 'Bulletin', 'other', now(), now() from generate_series(1, 99)",
    [id, fileId],
  );
  const body = { file_id: fileId, title: 'Bulletin', kind: 'other' };
  const answers = await Promise.all([1, 2, 3].map(() => organizer.post(path(id), body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.find(({ status }) => status === 409)?.body.error).toMatchObject({
    code: 'quota_exceeded',
    details: { quota: 'additional_documents', used: 100, limit: 100 },
  });
});
