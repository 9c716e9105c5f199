import sharp from 'sharp';
import { buffer } from 'node:stream/consumers';
import { processRef } from '../../../src/platform/workflows/process-ref.ts';
import { reconsiderUpdate } from '../../../workflows/contracts/process.contract.ts';
import type { TestClient } from '../../support/client.ts';
import { decodeQr } from '../../support/papers/decode-qr.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, owner, audit } = await useRegistry();

const auditOf = async (id: number, action: string) => (await audit('application', id)).filter((row) => row.action === action);

describe('GET /applications/{id}/certificate', () => {
  let id: number;
  let number: string;
  beforeAll(async () => {
    ({ id } = await make.application(owner, { status: 'approved' }));
    ({ number } = owner.expect(200, await owner.get(`/applications/${id}`)).body.data);
  });

  test('returns the same PDF to every reader and answers 304 to a matching ETag', async () => {
    const first = owner.expect(200, await owner.get(`/applications/${id}/certificate`));
    expect(first.headers.get('content-type')).toBe('application/pdf');
    expect(first.headers.get('content-disposition')).toBe(`inline; filename="${number}.pdf"`);
    expect(first.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const etag = first.headers.get('etag') ?? '';
    const { data } = (await owner.get(`/applications/${id}`)).body;
    expect(etag).toBe(`"${data.certificate.sha256}"`);
    expect(data.certificate.size).toBe(first.bytes.length);
    expect((await owner.get(`/applications/${id}/certificate`, { 'if-none-match': etag })).status).toBe(304);
    expect((await administrator.get(`/applications/${id}/certificate`)).bytes.equals(first.bytes)).toBe(true);
    const kept = await owner.get(`/applications/${id}/certificate?download=1`);
    expect(kept.headers.get('content-disposition')).toBe(`attachment; filename="${number}.pdf"`);
    expect((await owner.get(`/applications/${id}/certificate`, { range: 'bytes=0-4' })).bytes.toString()).toBe('%PDF-');
  });

  test('is refused with the reason while the record is broken, and made once it is corrected', async () => {
    const person = await api.user();
    const submitted = await make.application(person, { status: 'submitted' });
    const [photo] = await api.sql<{ key: string }>(
      'select storage_key as key from files join profiles on profiles.photo_id = files.id join applications on profile_id = profiles.id where applications.id = $1',
      [submitted.id],
    );
    const { storage } = api.platform;
    const { key = '' } = photo ?? {};
    const kept = await buffer(await storage.get(key));
    await storage.delete(key);
    await make.money(person, 5_000_000);
    person.expect(200, await person.post(`/applications/${submitted.id}/pay`));
    const shownTo = async (client: TestClient) => (await client.get(`/applications/${submitted.id}`)).body.data;
    expect(await shownTo(person)).toMatchObject({ status: 'approved' });
    const refused = await person.get(`/applications/${submitted.id}/certificate`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'cannot_be_made' } } });
    expect(refused.body.error.message).toContain('is missing in the storage');
    const process = await waitFor(
      async () => (await shownTo(administrator)).process,
      ({ waiting_for }) => waiting_for === 'support',
      'the process to show itself as stuck',
    );
    expect(process.status).toBe('running');

    await storage.put(key, kept, { contentType: 'image/jpeg', size: kept.length });
    await api.platform.processes.ask(processRef('application', submitted.id), reconsiderUpdate.name, 'request-of-support');
    person.expect(200, await person.get(`/applications/${submitted.id}/certificate`));
    expect((await shownTo(administrator)).process.waiting_for).toBe('date');
  });

  test('stays readable after annulment, also when it was never read before', async () => {
    const before = owner.expect(200, await owner.get(`/applications/${id}/certificate`));
    const fresh = await api.user();
    const unread = await make.application(fresh, { status: 'approved' });
    for (const [holder, annulled] of [
      [owner, id],
      [fresh, unread.id],
    ] as const) {
      const { revision } = (await holder.get(`/applications/${annulled}`)).body.data;
      const decision = { kind: 'application', id: annulled, decision: 'cancel', note: 'Issued by mistake', revision };
      administrator.expect(200, await administrator.post('/admin/review', decision));
      const kept = holder.expect(200, await holder.get(`/applications/${annulled}/certificate`));
      expect(kept.bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(administrator.expect(200, await administrator.get(`/applications/${annulled}/certificate`)).bytes.equals(kept.bytes)).toBe(
        true,
      );
      const shown = holder.expect(200, await holder.get(`/applications/${annulled}`)).body.data;
      expect(shown.status).toBe('cancelled');
      expect((await holder.get(`/verify/${shown.verification_token}`)).body.data).toMatchObject({ valid: false, state: 'annulled' });
    }
    expect(owner.expect(200, await owner.get(`/applications/${id}/certificate`)).bytes.equals(before.bytes)).toBe(true);
  });

  test('APP-5: answers 503 from the last approval to the issue', async () => {
    const person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const medical = await make.document(person, profileId, { type: 'medical' });
    const [identity = 0] = documentIds;
    const submitted = await make.application(person, { status: 'submitted', on: { profileId, documentIds: [identity, medical] } });
    await make.money(person, 5_000_000);
    expect(person.expect(200, await person.post(`/applications/${submitted.id}/pay`)).body.data.status).toBe('submitted');
    const read = (part: string) => person.get(`/applications/${submitted.id}/${part}`);
    const notIssued = { status: 409, body: { error: { code: 'certificate_not_issued' } } };
    for (const part of ['certificate', 'credential']) expect(await read(part)).toMatchObject(notIssued);

    // Beside the commands, so that the application's process does not hear of it yet.
    await api.sql("update documents set status = 'approved' where id = $1", [medical]);
    for (const part of ['certificate', 'credential']) {
      const answer = await read(part);
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    await api.platform.processes.ask(processRef('application', submitted.id), reconsiderUpdate.name, 'request-of-test');
    person.expect(200, await read('certificate'));
  });

  test('is absent before approval; a national certificate has no QR to download', async () => {
    const { profile_id } = (await owner.get(`/applications/${id}`)).body.data;
    const draft = owner.expect(201, await owner.post('/applications', { profile_id, service_id: 20 })).body.data;
    const notIssued = { status: 409, body: { error: { code: 'certificate_not_issued' } } };
    expect(await owner.get(`/applications/${draft.id}/certificate`)).toMatchObject(notIssued);
    owner.expect(200, await owner.post(`/applications/${draft.id}/cancel`, { reason: 'No longer needed' }));
    expect(await owner.get(`/applications/${draft.id}/certificate`)).toMatchObject(notIssued);
    expect(await owner.get(`/applications/${id}/qr`)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
  });
});

describe('an international licence', () => {
  let person: TestClient;
  let id: number;
  beforeAll(async () => {
    person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const driver = await make.document(person, profileId, { type: 'driver', status: 'approved' });
    const on = { profileId, documentIds: [...documentIds, driver] };
    ({ id } = await make.application(person, { status: 'submitted', serviceId: 10, on, data: { discipline_id: 1 } }));
  });

  test('has neither QR nor sharing before it is approved', async () => {
    expect(await person.get(`/applications/${id}/qr`)).toMatchObject({ status: 409, body: { error: { code: 'certificate_not_issued' } } });
    expect(await person.put(`/applications/${id}/sharing`, { enabled: true, confirmed: true })).toMatchObject({
      status: 409,
      body: { error: { code: 'sharing_not_available' } },
    });
    expect((await person.put(`/applications/${id}/sharing`, { enabled: false })).status).toBe(200);
  });

  test('the QR has the verification link', async () => {
    await make.money(person, 8_650_000);
    const { revision } = person.expect(200, await person.post(`/applications/${id}/pay`)).body.data;
    administrator.expect(200, await administrator.post('/admin/review', { kind: 'application', id, decision: 'approve', revision }));
    const { data } = person.expect(200, await person.get(`/applications/${id}`)).body;
    expect(data).toMatchObject({
      status: 'approved',
      number: expect.stringMatching(`^KZ-I-${data.year}-\\d{5}$`),
      valid_until: `${data.year}-12-31`,
    });
    const qr = person.expect(200, await person.get(`/applications/${id}/qr?download=1`));
    expect(qr.headers.get('content-type')).toBe('image/png');
    expect(qr.headers.get('content-disposition')).toBe(`attachment; filename="${data.number}.png"`);
    const picture = await sharp(qr.bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(decodeQr(new Uint8ClampedArray(picture.data), picture.info.width, picture.info.height)?.data).toBe(data.verification_url);
  });

  test('APP-15: only the owner consents to sharing', async () => {
    const share = (client: TestClient, body: unknown) => client.put(`/applications/${id}/sharing`, body);
    for (const body of [{ enabled: true }, { enabled: true, confirmed: false }, {}, { enabled: 'true', confirmed: true }])
      expect((await share(person, body)).status).toBe(422);
    expect(await share(administrator, { enabled: true, confirmed: true })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
    expect((await share(owner, { enabled: true, confirmed: true })).status).toBe(404);
    const shared = person.expect(200, await share(person, { enabled: true, confirmed: true })).body.data;
    expect(shared).toMatchObject({ sharing: { enabled: true, confirmed_at: expect.any(String) }, documents_access: true });
    const again = person.expect(200, await share(person, { enabled: true, confirmed: true })).body.data;
    expect(again.revision).toBe(shared.revision);
    const consents = await auditOf(id, 'application.sharing_enabled');
    expect(consents).toEqual([expect.objectContaining({ actor_id: person.userId, ip: expect.stringContaining('127.0.0.1') })]);
    expect((await share(administrator, { enabled: false })).status).toBe(403);
    expect(person.expect(200, await share(person, { enabled: false })).body.data).toMatchObject({
      sharing: { enabled: false, confirmed_at: null },
      documents_access: false,
    });
    expect(await auditOf(id, 'application.sharing_disabled')).toHaveLength(1);
  });
});
