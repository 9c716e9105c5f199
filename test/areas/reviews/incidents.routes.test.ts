import type { TestClient } from '../../support/client.ts';
import { refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator, audit } = await useRegistry();

const reason = 'the bank sent it back';
let invoices = 0;

async function makeIncident(): Promise<number> {
  invoices += 1;
  const [row] = await api.sql<{ id: number }>(
    `insert into incidents (kind, subject_kind, subject_id, details, at)
     values ('bank_mismatch', 'invoice', $1, '{"number": "123456"}', now()) returning id`,
    [String(900_000 + invoices)],
  );
  return row?.id ?? 0;
}

async function makeMessage(): Promise<number> {
  const [row] = await api.sql<{ id: number }>(
    `insert into contact_messages (name, email, message, created_at) values ('Visitor', 'visitor@example.kz', 'When does it start?', now()) returning id`,
  );
  return row?.id ?? 0;
}

async function waiting(kind: string): Promise<number[]> {
  const { data } = administrator.expect(200, await administrator.get(`/admin/queue?kind=${kind}&limit=100`)).body;
  return data.map(({ id }: { id: number }) => id);
}

const auditOf = async (kind: string, id: number) =>
  (await audit(kind, id)).map(({ action, actor_id, data }) => ({ action, actor_id, data }));

describe('GET /admin/incidents/{id}', () => {
  const read = (id: number, client: TestClient = administrator) => client.get(`/admin/incidents/${id}`);

  test('shows an open and a resolved incident, without a row (REV-4)', async () => {
    const id = await makeIncident();
    const open = administrator.expect(200, await read(id)).body.data;
    expect(open).toEqual({
      id,
      kind: 'bank_mismatch',
      subject: { kind: 'invoice', id: String(900_000 + invoices) },
      details: { number: '123456' },
      at: expect.stringMatching(/\+05:00$/),
      resolved_at: null,
      resolved_by: null,
      resolution: null,
      transaction_id: null,
    });
    expect(await auditOf('incident', id)).toEqual([]);
    const resolved = administrator.expect(200, await administrator.post(`/admin/incidents/${id}/resolve`, { reason })).body.data;
    expect(administrator.expect(200, await read(id)).body.data).toEqual(resolved);
  });

  test('refuses unknown ids and other callers', async () => {
    const id = await makeIncident();
    expect(await read(2_000_000_000)).toMatchObject(refusal(404, 'not_found'));
    expect((await administrator.get('/admin/incidents/x')).status).toBe(422);
    expect(await read(id, await api.user())).toMatchObject(refusal(403, 'forbidden'));
    expect(await read(id, await administrator.program(['admin:write']))).toMatchObject(refusal(403, 'insufficient_scope'));
  });
});

describe('POST /admin/incidents/{id}/resolve', () => {
  const resolve = (id: number, fields = {}) => administrator.post(`/admin/incidents/${id}/resolve`, { reason, ...fields });

  test('resolves it once: it leaves the queue, and a repeat changes nothing (REV-4)', async () => {
    const id = await makeIncident();
    expect(await waiting('incident')).toContain(id);
    const first = administrator.expect(200, await resolve(id)).body.data;
    expect(first).toMatchObject({
      id,
      kind: 'bank_mismatch',
      subject: { kind: 'invoice' },
      details: { number: '123456' },
      resolved_at: expect.stringMatching(/\+05:00$/),
      resolved_by: administrator.userId,
      resolution: reason,
      transaction_id: null,
    });
    expect(await waiting('incident')).not.toContain(id);
    expect(administrator.expect(200, await resolve(id, { reason: 'for another reason' })).body.data).toEqual(first);
    // The reason stays out of the audit.
    expect(await auditOf('incident', id)).toEqual([{ action: 'incident.resolved', actor_id: administrator.userId, data: {} }]);
  });

  test('of two concurrent requests one resolves it', async () => {
    const id = await makeIncident();
    const answers = await Promise.all([resolve(id), resolve(id, { reason: 'the other one' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body.data).toEqual(answers[1]?.body.data);
    expect(await auditOf('incident', id)).toHaveLength(1);
  });

  test('refuses a missing reason and an unknown incident', async () => {
    const id = await makeIncident();
    expect((await resolve(id, { reason: 'no' })).status).toBe(422);
    expect(await resolve(2_000_000_000)).toMatchObject(refusal(404, 'not_found'));
    expect(await waiting('incident')).toContain(id);
  });
});

describe('GET /admin/contact-messages/{id}', () => {
  const read = (id: number, client: TestClient = administrator) => client.get(`/admin/contact-messages/${id}`);

  test('shows a new and an answered message, and each read leaves a row (AUD-4)', async () => {
    const id = await makeMessage();
    expect(administrator.expect(200, await read(id)).body.data).toEqual({
      id,
      name: 'Visitor',
      email: 'visitor@example.kz',
      message: 'When does it start?',
      status: 'new',
      created_at: expect.stringMatching(/\+05:00$/),
      answered_at: null,
      answered_by: null,
      note: null,
    });
    const answered = administrator.expect(200, await administrator.post(`/admin/contact-messages/${id}/answered`)).body.data;
    expect(administrator.expect(200, await read(id)).body.data).toEqual(answered);
    const row = { actor_id: administrator.userId, data: {} };
    expect(await auditOf('contact_message', id)).toEqual([
      { action: 'contact_message.read', ...row },
      { action: 'contact_message.answered', ...row },
      { action: 'contact_message.read', ...row },
    ]);
  });

  test('refuses unknown ids and other callers, without a row', async () => {
    const id = await makeMessage();
    expect(await read(2_000_000_000)).toMatchObject(refusal(404, 'not_found'));
    expect((await administrator.get('/admin/contact-messages/x')).status).toBe(422);
    expect(await read(id, await api.user())).toMatchObject(refusal(403, 'forbidden'));
    expect(await read(id, await administrator.program(['admin:write']))).toMatchObject(refusal(403, 'insufficient_scope'));
    for (const one of [id, 2_000_000_000]) expect(await auditOf('contact_message', one)).toEqual([]);
  });
});

describe('POST /admin/contact-messages/{id}/answered', () => {
  const answer = (id: number, body?: unknown) => administrator.post(`/admin/contact-messages/${id}/answered`, body);

  test('removes it from the queue, with or without a note; a repeat changes nothing (ACC-16)', async () => {
    const [id, other] = [await makeMessage(), await makeMessage()];
    expect(await waiting('contact_message')).toEqual(expect.arrayContaining([id, other]));
    const first = administrator.expect(200, await answer(id, { note: 'by telephone' })).body.data;
    expect(first).toMatchObject({ id, name: 'Visitor', status: 'answered', answered_by: administrator.userId, note: 'by telephone' });
    expect(administrator.expect(200, await answer(id, { note: 'by mail' })).body.data).toEqual(first);
    expect(administrator.expect(200, await answer(other)).body.data).toMatchObject({ status: 'answered', note: null });
    expect(await waiting('contact_message')).not.toEqual(expect.arrayContaining([id]));
    expect(await waiting('contact_message')).not.toEqual(expect.arrayContaining([other]));
    expect(await auditOf('contact_message', id)).toEqual([
      { action: 'contact_message.answered', actor_id: administrator.userId, data: {} },
    ]);
  });

  test('refuses an empty note and an unknown message', async () => {
    const id = await makeMessage();
    expect((await answer(id, { note: 'no' })).status).toBe(422);
    expect((await answer(id, { colour: 'red' })).status).toBe(422);
    expect(await answer(2_000_000_000)).toMatchObject(refusal(404, 'not_found'));
    expect(await waiting('contact_message')).toContain(id);
  });
});
