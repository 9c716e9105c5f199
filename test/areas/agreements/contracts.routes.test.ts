import { Client, Connection } from '@temporalio/client';
import { createHash } from 'node:crypto';
import { readableHistory } from '../../replay/readable-history.ts';
import type { TestClient } from '../../support/client.ts';
import { contractFixtures, makeContract, withPdf } from '../../support/factories/contracts.ts';
import { organizerSteps } from '../../support/factories/event-steps.ts';
import { eventFixtures, type EventOptions } from '../../support/factories/events.ts';
import { signer, signingFixtures, signingLayout } from '../../support/factories/signings.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { makePhoto, makeScan } from '../../support/papers/scans.ts';
import { textOfRow, type NotificationRow } from '../../support/texts/notification-texts.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator, owner, audit } = await useRegistry();
const make = contractFixtures(api.platform);
const other = await api.user('Other');

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted((left, right) => left - right);
const reason = 'The wrong dates stand in it';

async function newEvent(options: EventOptions = {}, by = owner): Promise<number> {
  const { id } = await eventFixtures(api.platform).event(by, { status: 'draft', settings: null, ...options });
  return id;
}
/** Creates an agreement about a new event. */
async function newContract(by = owner, options: EventOptions = {}) {
  return makeContract(by, await newEvent(options, by));
}
/** Makes a unique scan with as many pages as the agreement. */
const scanOf = ({ pages, number }: { pages: number; number: string }, text = 'signed') =>
  makeScan(`${text} ${number} ${Math.random()}`, pages);
const sendScan = async (contract: { id: number; pages: number; number: string }) =>
  owner.expect(200, await owner.sendFile(`/contracts/${contract.id}/scan`, await scanOf(contract))).body.data;
/** Inserts an agreement, with a scan unless it waits for one. */
async function existing(status: 'generated' | 'pending' | 'confirmed', by = owner) {
  const eventId = await newEvent({ status: status === 'confirmed' ? 'in_progress' : 'draft' }, by);
  return read((await make.contract(by, { eventId, status })).id, by);
}
const review = (id: number, body: unknown, headers: Record<string, string> = {}) =>
  administrator.post(`/admin/contracts/${id}/review`, body, headers);
const read = async (id: number, by = owner) => by.expect(200, await by.get(`/contracts/${id}`)).body.data;
const auditOf = async (id: number, action?: string) =>
  (await audit('contract', id)).filter((row) => action === undefined || row.action === action);
const stageOf = async (eventId: number) =>
  (await api.sql<{ status: string }>("select status from event_stages where event_id = $1 and stage = 'agreement'", [eventId]))[0]?.status;
const notificationsOf = async (contractId: number) => {
  const rows = await api.sql<NotificationRow & { user_id: number }>(
    "select type, user_id, facts, subject_id from notifications where subject_kind = 'contract' and subject_id = $1 order by id",
    [String(contractId)],
  );
  return rows.map((row) => ({ type: row.type, user_id: row.user_id, text: textOfRow(row) }));
};
const refusal = ({ status, body }: { status: number; body: { error?: { code: string; details?: Record<string, unknown> } } }) => [
  status,
  body.error?.code,
];
const keysOf = async (client: TestClient) =>
  (await client.get('/files?purpose=agreement')).body.data.map(({ sha256 }: { sha256: string }) => sha256);

// AGR-2, AGR-13
test('without a signing setting an agreement is refused and takes no number', async () => {
  const eventId = await newEvent();
  expect(refusal(await owner.post('/contracts', { event_id: eventId }))).toEqual([409, 'federation_signing_missing']);
  await signingFixtures(api.platform).signing(administrator.userId);
  const year = new Date().getUTCFullYear();
  const made = await makeContract(owner, eventId);
  expect(made.number).toMatch(new RegExp(`^A-(${year}|${year + 1})-00001$`));
});

describe('an agreement', () => {
  test('is created with its PDF, marks, hash and audit', async () => {
    const eventId = await newEvent({ title: 'Ұлытау ралли кубогы', location: 'Жезқазған' });
    const answer = owner.expect(201, await owner.post('/contracts', { event_id: eventId, data: { notes: 'Ескерту: жаңа трасса' } }));
    const contract = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/api/v1/contracts/${contract.id}`);
    expect(contract).toMatchObject({
      event_id: eventId,
      version: 1,
      workflow_version: 3,
      status: 'generated',
      signer: { name: signer.signer_name, position: signer.signer_position },
      pages: 2,
      scan_sha256: null,
      scan: null,
      reason: null,
      notes: 'Ескерту: жаңа трасса',
      replaces_id: null,
      replaced_by_id: null,
    });
    expect(contract.verification_token).toMatch(/^[\w-]{43}$/);
    expect(contract.verification_url).toBe(`${api.url}/a/${contract.verification_token}`);
    const original = owner.expect(200, await owner.get(`/contracts/${contract.id}/original`));
    expect(sha256Of(original.bytes)).toBe(contract.original_sha256);
    const [first, last] = [await readPdf(original.bytes), await readPdf(original.bytes, -1)];
    expect([first.pages, first.qr, last.qr]).toEqual([2, contract.verification_url, contract.verification_url]);
    expect(first.text.replace(/\s+/g, '')).toContain('«Ұлытауралликубогы»');
    expect(last.text.replace(/\s+/g, '')).toContain('Ескерту:жаңатрасса');
    const { signature, stamp } = signingLayout;
    expect(last.placed).toEqual([
      expect.objectContaining({ x: expect.closeTo(signature.x, 1), y: expect.closeTo(signature.y, 1), width: expect.closeTo(50, 1) }),
      expect.objectContaining({ x: expect.closeTo(stamp.x, 1), y: expect.closeTo(stamp.y, 1), width: expect.closeTo(40, 1) }),
    ]);
    const audit = await auditOf(contract.id);
    expect(audit.map(({ action }) => action)).toEqual(
      ['created', 'signature_applied', 'generated', 'downloaded'].map((word) => `contract.${word}`),
    );
    for (const row of audit) expect(row).toMatchObject({ actor_id: owner.userId, ip: expect.stringContaining('127.0.0.1') });
    // The PDF is recorded in the name of the request that created the agreement.
    for (const row of audit.slice(0, 3)) expect(row.request_id).toBe(answer.body.request_id);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(audit[1]?.data).toMatchObject({ signature_sha256: hash, stamp_sha256: hash, original_sha256: contract.original_sha256 });
    expect(audit[2]?.data).toMatchObject({ sha256: contract.original_sha256, pages: 2 });
    expect(audit[3]?.data).toEqual({ part: 'original', document: 'original', sha256: contract.original_sha256 });
  });

  test('keeps its bytes when setting, event and template change, and when the storage has lost it (AGR-3)', async () => {
    const contract = await newContract();
    const path = `/contracts/${contract.id}/original`;
    const before = owner.expect(200, await owner.get(path)).bytes;
    await signingFixtures(api.platform).signing(administrator.userId, {
      layout: { signature: { x: 5, y: 5, scale: 3 }, stamp: { x: 5, y: 5, scale: 0.1 } },
      signerName: 'Basqa Adam',
      ink: '#a01030',
    });
    await api.sql("update events set title = 'Another' where id = $1", [contract.event_id]);
    expect(owner.expect(200, await owner.get(path)).bytes.equals(before)).toBe(true);
    const later = await newContract();
    expect(later.signer.name).toBe('Basqa Adam');
    const placed = (await readPdf(owner.expect(200, await owner.get(`/contracts/${later.id}/preview`)).bytes, -1)).placed;
    expect(placed.map(({ width }) => Math.round(width))).toEqual([150, 4]);

    const [row] = await api.sql<{ key: string }>('select original_storage_key as key from contracts where id = $1', [contract.id]);
    await api.platform.storage.delete(row?.key ?? '');
    expect((await owner.get(path)).status).toBe(503);
    expect(await withPdf(owner, contract.id)).toEqual(contract);
    expect(owner.expect(200, await owner.get(path)).bytes.equals(before)).toBe(true);
    expect(await auditOf(contract.id, 'contract.generated')).toHaveLength(1);
    await signingFixtures(api.platform).signing(administrator.userId);
  });

  test('is not restored with other bytes; support must correct the record (AGR-3)', async () => {
    const contract = await newContract();
    const [row] = await api.sql<{ key: string; signing_id: number }>(
      'select original_storage_key as key, signing_id from contracts where id = $1',
      [contract.id],
    );
    await api.platform.storage.delete(row?.key ?? '');
    const restore = () => owner.post(`/contracts/${contract.id}/request-confirmation`);
    await api.sql("update contracts set original_sha256 = repeat('0', 64) where id = $1", [contract.id]);
    expect(refusal(await restore())).toEqual([409, 'cannot_be_made']);
    expect(await api.platform.storage.stat(row?.key ?? '')).toBeNull();
    // Other commands still work, and the PDF is restored once the record is corrected.
    await api.sql('update contracts set original_sha256 = $2 where id = $1', [contract.id, contract.original_sha256]);
    owner.expect(200, await owner.post(`/contracts/${contract.id}/cancel`, { reason }));
    await waitFor(
      async () => (await restore()).status,
      (status) => status === 200,
      'the PDF to be restored',
    );
  });

  // AGR-1, AGR-2
  test('is unique for an event under concurrent requests, and numbers have no gaps', async () => {
    const eventId = await newEvent();
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.post('/contracts', { event_id: eventId })));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body.error.code, body.error.details]).toEqual([409, 'contract_exists', { contract_id: made[0]?.body.data.id }]);
    const rows = await api.sql<{ count: number; last: number; series: number }>(
      `select count(*)::int as count, max(sequence)::int as last, (select last from number_series where series = 'A') as series from contracts`,
    );
    expect(rows[0]?.last).toBe(rows[0]?.count);
    expect(rows[0]?.series).toBe(rows[0]?.count);
  });

  // AGR-13
  test("is refused for another's event, one that is over or of the earlier flow, and an unapproved organizer", async () => {
    const create = async (options: EventOptions, by = owner) => refusal(await by.post('/contracts', { event_id: await newEvent(options) }));
    expect(await create({}, other)).toEqual([404, 'not_found']);
    expect(refusal(await owner.post('/contracts', { event_id: 2_000_000_000 }))).toEqual([404, 'not_found']);
    expect(await create({ status: 'cancelled' })).toEqual([409, 'invalid_state']);
    expect(await create({ status: 'completed' })).toEqual([409, 'invalid_state']);
    expect(await create({ agreementFlow: 1 })).toEqual([409, 'invalid_state']);
    const eventId = await newEvent();
    await api.sql("update profiles set status = 'pending' where id = (select profile_id from events where id = $1)", [eventId]);
    expect(refusal(await owner.post('/contracts', { event_id: eventId }))).toEqual([409, 'profile_not_approved']);
  });

  test('is refused with all problems of the shape at once, then for an unknown template (API-2)', async () => {
    const { body } = await owner.post('/contracts', { event_id: 0, template_id: 999_999, data: { notes: '', other: 1 }, more: true });
    expect(body.error.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.data.notes',
      'body.data.other',
      'body.event_id',
      'body.more',
    ]);
    const unknown = await owner.post('/contracts', { event_id: await newEvent(), template_id: 999_999 });
    expect([unknown.status, unknown.body.error.details.fields[0].path]).toEqual([422, 'body.template_id']);
  });

  test('is listed only to its organizer, newest first', async () => {
    const person = await api.user();
    const contracts = [await make.contract(person), await make.contract(person, { status: 'generated' })] as const;
    const listed = person.expect(200, await person.get('/contracts?limit=1&page=2'));
    expect(listed.body).toMatchObject({ data: [{ id: contracts[0].id }], meta: { total: 2, page: 2, limit: 1 } });
    const ofEvent = person.expect(200, await person.get(`/contracts?event_id=${contracts[1].eventId}&status=generated`));
    expect(ofEvent.body.data.map(({ id }: { id: number }) => id)).toEqual([contracts[1].id]);
    const ids: number[] = other.expect(200, await other.get('/contracts')).body.data.map(({ id }: { id: number }) => id);
    expect(ids).not.toContain(contracts[0].id);
  });

  test('is read with its process by an administrator, which is audited (AGR-16)', async () => {
    const { id } = await newContract();
    const seen = await read(id, administrator);
    expect(seen.process).toMatchObject({ workflow_id: `agreement/${id}`, waiting_for: 'owner', next_timer_at: expect.any(String) });
    expect((await read(id)).process).toBeUndefined();
    administrator.expect(200, await administrator.get(`/contracts/${id}/pdf?download=1`));
    expect(await auditOf(id, 'contract.read')).toHaveLength(2);
    expect((await auditOf(id, 'contract.downloaded')).map(({ actor_id }) => actor_id)).toEqual([administrator.userId]);
  });
});

describe('the signed scan', () => {
  test('is one PDF of all pages; it waits for a decision, stays private and cannot be deleted (AGR-4)', async () => {
    const contract = await newContract();
    const scan = await scanOf(contract);
    const sent = owner.expect(200, await owner.sendFile(`/contracts/${contract.id}/scan`, scan)).body.data;
    expect(sent).toMatchObject({ status: 'pending', scan_sha256: sha256Of(scan), scan: { pages: contract.pages, size: scan.length } });
    const [row] = await auditOf(contract.id, 'contract.scan_uploaded');
    expect(row).toMatchObject({
      actor_id: owner.userId,
      ip: expect.stringContaining('127.0.0.1'),
      data: { sha256: sha256Of(scan), pages: contract.pages, original_sha256: contract.original_sha256 },
    });
    const file = `/files/${sent.scan.file_id}`;
    expect(administrator.expect(200, await administrator.get(file)).bytes.equals(scan)).toBe(true);
    expect(refusal(await other.get(file))).toEqual([404, 'not_found']);
    const kept = await owner.delete(file);
    expect([...refusal(kept), kept.body.error.details.used_by]).toEqual([409, 'file_in_use', [{ kind: 'contract', id: contract.id }]]);
    // The generated PDF counts until the confirmation.
    expect(sha256Of(owner.expect(200, await owner.get(`/contracts/${contract.id}/pdf`)).bytes)).toBe(contract.original_sha256);
    const queue = administrator.expect(200, await administrator.get('/admin/queue?kind=contract')).body.data;
    const { id, event_id } = contract;
    expect(queue).toContainEqual(expect.objectContaining({ kind: 'contract', id, status: 'pending', owner_id: owner.userId, event_id }));
  });

  test('is refused and deleted if it is no PDF, has too few pages or is the generated one (AGR-4)', async () => {
    const person = await api.user();
    const contract = await existing('generated', person);
    const path = `/contracts/${contract.id}/scan`;
    const original = person.expect(200, await person.get(`/contracts/${contract.id}/original`)).bytes;
    const encrypted = Buffer.from(
      (await makeScan('x', 2)).toString('latin1').replace('trailer', 'trailer\n<< /Encrypt 1 0 R >>'),
      'latin1',
    );
    const cases: [Buffer, string][] = [
      [await makePhoto(), 'unsupported_type'],
      [Buffer.from('no file of a known kind'), 'unsupported_type'],
      [await makeScan('too short', contract.pages - 1), 'too_few_pages'],
      [original, 'not_signed'],
      [encrypted.subarray(0, 200), 'pdf_unreadable'],
    ];
    for (const [content, wanted] of cases) {
      const { status, body } = await person.sendFile(path, content);
      expect([status, body.error.code, body.error.details.reason]).toEqual([422, 'file_rejected', wanted]);
    }
    expect((await person.post(path)).status).toBe(415);
    const empty = new FormData();
    empty.set('other', 'x');
    expect((await person.request('POST', path, { raw: empty })).status).toBe(422);
    expect((await read(contract.id, person)).status).toBe('generated');
    expect(await keysOf(person)).toEqual([]);
    const [left] = await api.sql<{ count: number }>(
      'select count(*)::int as count from files where owner_id = $1 and purged_at is null and purpose = $2',
      [person.userId, 'agreement'],
    );
    expect(left?.count).toBe(0);
  });

  test('repeated with its key is the same command; another scan meanwhile is refused and deleted', async () => {
    const person = await api.user();
    const contract = await existing('generated', person);
    const path = `/contracts/${contract.id}/scan`;
    const [scan, another] = [await scanOf(contract), await scanOf(contract)];
    const key = { 'idempotency-key': 'the-scan-of-a-test' };
    const answers = [
      await person.sendFile(path, scan, 'scan.pdf', key),
      await person.sendFile(path, scan, 'scan.pdf', key),
      await person.sendFile(path, another, 'scan.pdf', key),
      await person.sendFile(path, another),
    ];
    expect(answers.map(({ status, body }) => [status, body.error?.code ?? body.data.scan_sha256])).toEqual([
      [200, sha256Of(scan)],
      [200, sha256Of(scan)],
      [409, 'idempotency_key_conflict'],
      [409, 'invalid_state'],
    ]);
    expect(await auditOf(contract.id, 'contract.scan_uploaded')).toHaveLength(1);
    expect(await keysOf(person)).toEqual([sha256Of(scan)]);
  });

  test('of two concurrent scans one is accepted, the other refused and deleted', async () => {
    const person = await api.user();
    const contract = await existing('generated', person);
    const scans = [await scanOf(contract), await scanOf(contract)];
    const answers = await Promise.all(scans.map((scan) => person.sendFile(`/contracts/${contract.id}/scan`, scan)));
    expect(statusesOf(answers)).toEqual([200, 409]);
    const { scan_sha256: taken } = await read(contract.id, person);
    expect(await keysOf(person)).toEqual([taken]);
  });
});

describe('the decision of the federation', () => {
  test('confirmed: in force, the scan counts, the next stage opens; a second decision is refused (AGR-5, AGR-14)', async () => {
    const contract = await existing('pending');
    expect(await stageOf(contract.event_id)).toBe('open');
    const key = { 'idempotency-key': `confirm-${contract.id}` };
    const confirmed = administrator.expect(200, await review(contract.id, { decision: 'confirm' }, key)).body.data;
    expect(confirmed).toMatchObject({ status: 'confirmed', reason: null, decided_at: expect.any(String) });
    expect(administrator.expect(200, await review(contract.id, { decision: 'confirm' }, key)).body.data).toEqual(confirmed);
    expect(await stageOf(contract.event_id)).toBe('approved');
    for (const decision of [{ decision: 'confirm' }, { decision: 'reject', reason }])
      expect(refusal(await review(contract.id, decision))).toEqual([409, 'invalid_state']);
    expect(refusal(await review(contract.id, { decision: 'reject', reason }, key))).toEqual([409, 'idempotency_key_conflict']);
    const pdf = owner.expect(200, await owner.get(`/contracts/${contract.id}/pdf`));
    expect(sha256Of(pdf.bytes)).toBe(contract.scan_sha256);
    for (const part of ['preview', 'original'])
      expect(sha256Of((await owner.get(`/contracts/${contract.id}/${part}`)).bytes)).toBe(contract.original_sha256);
    expect((await auditOf(contract.id, 'contract.downloaded')).map(({ data }) => [data['part'], data['sha256']])).toEqual([
      ['pdf', contract.scan_sha256],
      ['preview', contract.original_sha256],
      ['original', contract.original_sha256],
    ]);
    expect(await auditOf(contract.id, 'contract.confirmed')).toEqual([
      expect.objectContaining({
        actor_id: administrator.userId,
        ip: expect.any(String),
        data: { original_sha256: contract.original_sha256, scan_sha256: contract.scan_sha256 },
      }),
    ]);
    expect((await notificationsOf(contract.id)).map(({ type, user_id }) => [type, user_id])).toEqual([
      ['agreement.confirmed', owner.userId],
    ]);
  });

  test('rejected: needs a reason, notifies the organizer and allows another scan (AGR-14)', async () => {
    const contract = await sendScan(await newContract());
    for (const body of [
      { decision: 'reject' },
      { decision: 'reject', reason: 'no' },
      { decision: 'confirm', reason },
      { decision: 'approve' },
      {},
    ])
      expect([body, (await review(contract.id, body)).status]).toEqual([body, 422]);
    const rejected = administrator.expect(200, await review(contract.id, { decision: 'reject', reason })).body.data;
    expect(rejected).toMatchObject({ status: 'rejected', reason });
    expect(await stageOf(contract.event_id)).toBe('open');
    const [notified] = await notificationsOf(contract.id);
    expect(notified).toMatchObject({ type: 'agreement.rejected', text: expect.stringContaining(reason) });
    const again = await sendScan(contract);
    expect(again).toMatchObject({ status: 'pending', reason: null });
    expect(again.scan_sha256).not.toBe(contract.scan_sha256);
    // The agreement no longer keeps the earlier scan.
    owner.expect(200, await owner.delete(`/files/${contract.scan.file_id}`));
    administrator.expect(200, await review(contract.id, { decision: 'confirm' }));
    const timeline = owner.expect(200, await owner.get(`/contracts/${contract.id}/timeline`)).body.data;
    expect(timeline.map(({ step, actor }: { step: string; actor: string }) => [step, actor])).toEqual([
      ['created', 'owner'],
      ['generated', 'system'],
      ['scan_uploaded', 'owner'],
      ['rejected', 'administrator'],
      ['scan_uploaded', 'owner'],
      ['confirmed', 'administrator'],
    ]);
    expect(timeline[3].text).toContain(reason);
    expect(timeline.at(-1).waiting_for).toBeNull();
  });

  test('is about the scan that the administrator has read (REV-5)', async () => {
    const contract = await existing('pending');
    administrator.expect(200, await review(contract.id, { decision: 'reject', reason, updated_at: contract.updated_at }));
    owner.expect(200, await owner.sendFile(`/contracts/${contract.id}/scan`, await scanOf(contract, 'another')));
    const { updated_at } = await read(contract.id);
    for (const decision of [{ decision: 'confirm' }, { decision: 'reject', reason }]) {
      const refused = await review(contract.id, { ...decision, updated_at: contract.updated_at });
      expect(refusal(refused)).toEqual([409, 'stale_revision']);
      expect(refused.body.error?.details).toEqual({ updated_at });
    }
    administrator.expect(200, await review(contract.id, { decision: 'confirm', updated_at }));
  });

  test('needs a scan, and of two concurrent decisions one is accepted (AGR-14)', async () => {
    const contract = await existing('generated');
    expect(refusal(await review(contract.id, { decision: 'confirm' }))).toEqual([409, 'invalid_state']);
    expect(refusal(await review(2_000_000_000, { decision: 'confirm' }))).toEqual([404, 'not_found']);
    await sendScan(contract);
    const answers = await Promise.all([review(contract.id, { decision: 'confirm' }), review(contract.id, { decision: 'reject', reason })]);
    expect(statusesOf(answers)).toEqual([200, 409]);
    const { status } = await read(contract.id);
    expect(await stageOf(contract.event_id)).toBe(status === 'confirmed' ? 'approved' : 'open');
    expect(await notificationsOf(contract.id)).toHaveLength(1);
  });

  test('and a concurrent cancellation are serialized', async () => {
    const contract = await existing('pending');
    const [decided, cancelled] = await Promise.all([
      review(contract.id, { decision: 'confirm' }),
      owner.post(`/contracts/${contract.id}/cancel`, { reason }),
    ]);
    expect([200, 409]).toContain(decided.status);
    expect(cancelled.status).toBe(200);
    expect((await read(contract.id)).status).toBe('cancelled');
    expect(await stageOf(contract.event_id)).toBe('open');
  });
});

describe('the end of an agreement', () => {
  test('replaced: a new version with its own number, PDF and process; the event waits for it (AGR-6)', async () => {
    const contract = await existing('confirmed');
    await api.sql("update events set title = 'Жаңа атау' where id = $1", [contract.event_id]);
    const key = { 'idempotency-key': `replace-${contract.id}` };
    const body = { reason, data: { notes: 'Жаңа ескерту' } };
    const next = owner.expect(200, await owner.post(`/contracts/${contract.id}/replace`, body, key)).body.data;
    expect(next).toMatchObject({
      version: 2,
      status: 'generated',
      replaces_id: contract.id,
      notes: 'Жаңа ескерту',
      pages: 2,
      reason: null,
    });
    expect([next.number, next.verification_token, next.original_sha256]).not.toEqual(
      expect.arrayContaining([contract.number, contract.verification_token, contract.original_sha256]),
    );
    const pdf = owner.expect(200, await owner.get(`/contracts/${next.id}/original`)).bytes;
    expect((await readPdf(pdf)).text.replace(/\s+/g, '')).toContain('Жаңаатау');
    expect(owner.expect(200, await owner.post(`/contracts/${contract.id}/replace`, body, key)).body.data).toEqual(next);
    const old = await read(contract.id);
    expect(old).toMatchObject({ status: 'replaced', replaced_by_id: next.id, reason });
    expect(await stageOf(contract.event_id)).toBe('open');
    // Both files of the replaced agreement stay.
    expect(sha256Of((await owner.get(`/contracts/${contract.id}/pdf`)).bytes)).toBe(contract.scan_sha256);
    expect(sha256Of((await owner.get(`/contracts/${contract.id}/original`)).bytes)).toBe(contract.original_sha256);
    expect((await auditOf(contract.id, 'contract.replaced'))[0]?.data).toMatchObject({ scan_sha256: contract.scan_sha256 });
    expect((await auditOf(next.id)).map(({ action, actor_id }) => [action, actor_id]).slice(0, 3)).toEqual(
      ['created', 'signature_applied', 'generated'].map((word) => [`contract.${word}`, owner.userId]),
    );
    for (const path of ['replace', 'cancel'])
      expect(refusal(await owner.post(`/contracts/${contract.id}/${path}`, { reason }))).toEqual([409, 'invalid_state']);
    expect(refusal(await owner.sendFile(`/contracts/${contract.id}/scan`, await scanOf(contract)))).toEqual([409, 'invalid_state']);
    expect((await owner.post(`/contracts/${next.id}/replace`, { reason: 'no' })).status).toBe(422);
  });

  test('cancelled by an administrator: notifies the organizer, keeps the files, allows another one (AGR-6)', async () => {
    const contract = await existing('confirmed');
    const cancelled = administrator.expect(200, await administrator.post(`/contracts/${contract.id}/cancel`, { reason })).body.data;
    expect(cancelled).toMatchObject({ status: 'cancelled', reason });
    expect(await stageOf(contract.event_id)).toBe('open');
    expect(await auditOf(contract.id, 'contract.cancelled')).toMatchObject([
      { actor_id: administrator.userId, data: { from_status: 'confirmed' } },
    ]);
    expect((await notificationsOf(contract.id)).at(-1)).toMatchObject({ type: 'agreement.cancelled', user_id: owner.userId });
    expect(sha256Of((await owner.get(`/contracts/${contract.id}/pdf`)).bytes)).toBe(contract.scan_sha256);
    const another = owner.expect(201, await owner.post('/contracts', { event_id: contract.event_id })).body.data;
    expect(another).toMatchObject({ version: 1, replaces_id: null });
    expect((await owner.post(`/contracts/${another.id}/cancel`, {})).status).toBe(422);
  });

  test.each(['replace', 'cancel'] as const)(
    'ended by its organizer (%s): administrators see it once, the organizer is not notified (AGR-17)',
    async (how) => {
      const contract = await existing('confirmed');
      const notified = () =>
        api.sql<{ type: string; user_id: number }>(
          `select type, user_id from notifications where created_at > now() - interval '1 minute' and type <> 'agreement.confirmed'
          and type <> 'event_stage.approved' and subject_kind || '/' || subject_id in ($1, $2) order by id`,
          [`contract/${contract.id}`, `event/${contract.event_id}`],
        );
      const after = owner.expect(200, await owner.post(`/contracts/${contract.id}/${how}`, { reason })).body.data;
      expect(await stageOf(contract.event_id)).toBe('open');
      const recipients = await notified();
      expect(recipients.map(({ type }) => type)).toEqual(recipients.map(() => 'agreement.ended'));
      expect(recipients.map(({ user_id: id }) => id)).toContain(administrator.userId);
      expect(recipients.map(({ user_id: id }) => id)).not.toContain(owner.userId);
      expect((await notificationsOf(contract.id)).at(-1)?.text).toContain(reason);

      const queued = async () =>
        administrator
          .expect(200, await administrator.get('/admin/queue?kind=contract_ended&limit=100'))
          .body.data.find(({ id }: { id: number }) => id === contract.id);
      const { event_id } = contract;
      expect(await queued()).toMatchObject({ kind: 'contract_ended', status: 'unseen', owner_id: owner.userId, event_id, previous: null });
      expect(administrator.expect(200, await administrator.get('/admin/overview')).body.data.queue.contract_ended).toBeGreaterThan(0);
      const seen = () => administrator.post(`/admin/contracts/${contract.id}/seen`);
      expect((await owner.post(`/admin/contracts/${contract.id}/seen`)).status).toBe(403);
      const { updated_at } = await read(contract.id);
      for (const answer of [await seen(), await seen()])
        expect(administrator.expect(200, answer).body.data).toMatchObject({ id: contract.id, updated_at });
      expect(await queued()).toBeUndefined();
      expect((await auditOf(contract.id, 'contract.seen')).map(({ actor_id }) => actor_id)).toEqual([administrator.userId]);
      if (how === 'cancel') return;

      const previous = { id: contract.id, number: contract.number, version: 1 };
      expect([after.previous, (await read(contract.id)).previous]).toEqual([previous, null]);
      expect(refusal(await administrator.post(`/admin/contracts/${after.id}/seen`))).toEqual([409, 'invalid_state']);
      await sendScan(after);
      const waiting = administrator.expect(200, await administrator.get(`/admin/queue?kind=contract&q=${after.number}`)).body.data;
      expect(waiting).toMatchObject([{ id: after.id, previous, updated_at: (await read(after.id)).updated_at }]);
    },
  );

  test('ended by an administrator who impersonates the organizer: both sides are notified (AGR-17)', async () => {
    const contract = await existing('generated');
    const begun = await administrator.post('/admin/impersonate', { user_id: owner.userId, password: administrator.password });
    administrator.csrf = administrator.expect(200, begun).body.data.csrf_token;
    administrator.expect(200, await administrator.post(`/contracts/${contract.id}/cancel`, { reason }));
    const stopped = await administrator.post('/auth/impersonation/stop');
    administrator.csrf = administrator.expect(200, stopped).body.data.csrf_token;
    const notified = (await notificationsOf(contract.id)).map(({ type, user_id: id }) => [type, id]);
    expect(notified).toContainEqual(['agreement.ended', administrator.userId]);
    expect(notified).toContainEqual(['agreement.cancelled', owner.userId]);
  });

  test('concurrent replacements make one new version', async () => {
    const contract = await existing('generated');
    const answers = await Promise.all(Array.from({ length: 4 }, () => owner.post(`/contracts/${contract.id}/replace`, { reason })));
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409]);
    const live = await api.sql("select id from contracts where event_id = $1 and status = 'generated'", [contract.event_id]);
    expect(live).toHaveLength(1);
  });
});

describe('the event of an agreement', () => {
  const queueOf = async (query: string) =>
    administrator.expect(200, await administrator.get(`/admin/queue?limit=100&${query}`)).body.data as { id: number; flags: string[] }[];
  const cancelEvent = async (id: number) =>
    administrator.expect(200, await administrator.post(`/events/${id}/cancel`, { reason: 'There is no snow this year' }));
  const verify = async (contract: { verification_token: string }) =>
    (await owner.get(`/contracts/verify/${contract.verification_token}`)).body.data;
  const ended = (id: number) =>
    waitFor(
      async () => (await read(id, administrator)).process,
      ({ status }) => status === 'completed',
      'the process to end',
    );

  test('is cancelled: the agreement takes no more changes, its process ends, verification is unchanged (AGR-7)', async () => {
    const [made, waiting, confirmed] = [await newContract(), await existing('pending'), await existing('confirmed')];
    for (const { event_id: eventId } of [made, waiting, confirmed]) await cancelEvent(eventId);
    expect((await queueOf('kind=contract')).map(({ id }) => id)).not.toContain(waiting.id);
    expect(refusal(await owner.sendFile(`/contracts/${made.id}/scan`, await scanOf(made)))).toEqual([409, 'event_over']);
    expect(refusal(await owner.sendFile(`/contracts/${confirmed.id}/scan`, await scanOf(confirmed)))).toEqual([409, 'event_over']);
    expect(refusal(await review(waiting.id, { decision: 'confirm' }))).toEqual([409, 'event_over']);
    for (const { id } of [made, waiting, confirmed])
      expect(refusal(await owner.post(`/contracts/${id}/replace`, { reason }))).toEqual([409, 'event_over']);
    for (const { id } of [made, waiting]) expect(await ended(id)).toMatchObject({ waiting_for: null, next_timer_at: null });
    expect(owner.expect(200, await owner.get(`/contracts/${made.id}/timeline`)).body.data.at(-1).waiting_for).toBeNull();
    expect(await verify(made)).toMatchObject({ status: 'generated', valid: false });
    expect(await verify(waiting)).toMatchObject({ status: 'pending', valid: false });
    expect(await verify(confirmed)).toMatchObject({ status: 'confirmed', valid: true });
    owner.expect(200, await owner.post(`/contracts/${made.id}/cancel`, { reason }));
  });

  test('is cancelled concurrently: the agreement is confirmed before, or not at all (AGR-7)', async () => {
    const contract = await existing('pending');
    const [decided] = await Promise.all([review(contract.id, { decision: 'confirm' }), cancelEvent(contract.event_id)]);
    const { status } = await read(contract.id);
    expect([decided.status, decided.body.error?.code, status]).toEqual(
      decided.status === 200 ? [200, undefined, 'confirmed'] : [409, 'event_over', 'pending'],
    );
  });

  test('waits for the federation while a scan waits; the organizer is reminded only when it is their turn', async () => {
    const contract = await newContract(owner, { startsAt: new Date(Date.now() + 40 * 86_400_000) });
    await api.sql("update event_stages set reminded_at = null where event_id = $1 and stage = 'agreement'", [contract.event_id]);
    const eventOf = async () => administrator.expect(200, await administrator.get(`/events/${contract.event_id}`)).body.data;
    const reminders = () =>
      api.sql("select id from notifications where type = 'event_stage.reminder' and subject_id = $1", [String(contract.event_id)]);
    await sendScan(contract);
    expect((await eventOf()).process).toMatchObject({ waiting_for: 'administrator' });
    await api.sql("update events set due_at = now() - interval '1 minute' where id = $1", [contract.event_id]);
    const timeline = owner.expect(200, await owner.get(`/events/${contract.event_id}/timeline`)).body.data;
    expect(timeline.every(({ waiting_for: by }: { waiting_for: string | null }) => by !== 'owner')).toBe(true);
    expect(await reminders()).toEqual([]);
    administrator.expect(200, await review(contract.id, { decision: 'reject', reason }));
    expect((await eventOf()).process).toMatchObject({ waiting_for: 'owner' });
    await waitFor(reminders, (rows) => rows.length === 1, 'the reminder');
  });

  // EVT-6
  test('is changed after the agreement was generated: it lists the differences and needs another agreement', async () => {
    const contract = await newContract();
    await sendScan(contract);
    administrator.expect(200, await review(contract.id, { decision: 'confirm' }));
    const id = contract.event_id;
    const event = async () => owner.expect(200, await owner.get(`/events/${id}`)).body.data;
    expect((await event()).agreement_differs).toEqual([]);
    const { title, starts_at: startsAt } = await event();
    const later = new Date(Date.parse(startsAt) + 3_600_000).toISOString();
    owner.expect(200, await owner.patch(`/events/${id}`, { title: 'Басқа атау', location: 'Талғар', starts_at: later }));
    expect((await event()).agreement_differs).toEqual(['title', 'location', 'starts_at']);
    owner.expect(200, await owner.patch(`/events/${id}`, { title, starts_at: startsAt }));
    expect((await event()).agreement_differs).toEqual(['location']);
    owner.expect(200, await owner.post(`/events/${id}/submit`, { stage: 'details' }));
    await organizerSteps(api).payFee(owner, id);
    expect((await queueOf('kind=event_stage')).find((item) => item.id === id)?.flags).toEqual(['agreement_differs']);
    const approve = () => administrator.post('/admin/review', { kind: 'event_stage', id, stage: 'details', decision: 'approve' });
    const refused = await approve();
    expect(refusal(refused)).toEqual([409, 'agreement_differs']);
    expect(refused.body.error.details).toEqual({ fields: ['location'] });
    const next = owner.expect(200, await owner.post(`/contracts/${contract.id}/replace`, { reason })).body.data;
    expect(await event()).toMatchObject({ status: 'draft', agreement_differs: [], stages: { agreement: { status: 'open' } } });
    // EVT-3: it cannot be decided before the new agreement is confirmed.
    expect((await queueOf('kind=event_stage')).find((item) => item.id === id)).toBeUndefined();
    await sendScan(next);
    administrator.expect(200, await review(next.id, { decision: 'confirm' }));
    expect((await queueOf('kind=event_stage')).find((item) => item.id === id)?.flags).toEqual([]);
    administrator.expect(200, await approve());
    // A published event stays published; later differences are listed.
    owner.expect(200, await owner.patch(`/events/${id}`, { title: 'Тағы басқа атау' }));
    expect(await event()).toMatchObject({ status: 'published', agreement_differs: ['title'] });
  });
});

test('notes and reasons appear in no workflow history', async () => {
  const contract = await existing('pending');
  const secret = 'Sekret aitylmaidy';
  administrator.expect(200, await review(contract.id, { decision: 'reject', reason: secret }));
  owner.expect(200, await owner.post(`/contracts/${contract.id}/replace`, { reason: secret, data: { notes: secret } }));
  const connection = await Connection.connect({ address: api.surroundings.config.TEMPORAL_ADDRESS ?? '' });
  const client = new Client({ connection, namespace: api.surroundings.config.TEMPORAL_NAMESPACE });
  const history = await client.workflow.getHandle(`agreement/${contract.id}`).fetchHistory();
  await connection.close();
  expect(readableHistory(history)).toContain('"reject"');
  expect(readableHistory(history)).not.toContain(secret);
});

test('without workers the agreement is created, its PDF is made later and only once', async () => {
  const eventId = await newEvent();
  await api.stopWorkers();
  const answer = makeContract(owner, eventId);
  const created = await waitFor(
    async () => owner.expect(200, await owner.get(`/contracts?event_id=${eventId}`)).body.data,
    ({ length }) => length === 1,
    'the agreement',
  );
  expect(created).toMatchObject([{ status: 'generated', pages: null, original_sha256: null }]);
  expect(refusal(await owner.post('/contracts', { event_id: eventId }))).toEqual([409, 'contract_exists']);
  await api.startWorkers();
  const { id, pages } = await answer;
  expect([id, pages]).toEqual([created[0].id, 2]);
  expect(await auditOf(id, 'contract.generated')).toHaveLength(1);
});

// Moves the clock permanently, so tests that depend on the real time come before it.
test('the clock reminds the organizer of a missing scan, and administrators of a waiting one (AGR-12)', async () => {
  const [missing, waiting, over] = [await newContract(), await sendScan(await newContract()), await newContract()];
  await api.sql("update events set status = 'cancelled' where id = $1", [over.event_id]);
  const started = Date.now();
  const after = (days: number) => api.travelTo(new Date(started + days * 86_400_000 + 3_600_000).toISOString());
  const notified = async (id: number) => (await notificationsOf(id)).map(({ type, user_id }) => `${type} ${user_id}`);
  await after(2);
  expect([await notified(missing.id), await notified(waiting.id)]).toEqual([[], []]);
  await after(4);
  expect(await notified(waiting.id)).toEqual([`agreement.scan_waiting ${administrator.userId}`]);
  await after(8);
  const ofThree = await Promise.all([missing, waiting, over].map(({ id }) => notified(id)));
  expect(ofThree).toEqual([[`agreement.scan_missing ${owner.userId}`], [expect.any(String)], []]);
  await sendScan(missing);
  administrator.expect(200, await review(missing.id, { decision: 'confirm' }));
  await waitFor(
    async () => (await read(missing.id, administrator)).process.status,
    (status) => status === 'completed',
    'the process to end',
  );
});
