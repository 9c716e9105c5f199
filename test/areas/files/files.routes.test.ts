import sharp from 'sharp';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { purgeDeletedFiles } from '../../../src/areas/files/index.ts';
import { fixturesByRequests } from '../../support/factories.ts';
import { makePhoto, makeScan } from '../../support/papers/scans.ts';
import { waitFor } from '../../support/wait-for.ts';
import { problemsOf, wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const maxBytes = 20 * 1024 * 1024;

const { api, make, owner, administrator, audit } = await useRegistry();
const otherUser = await api.user();

/** Makes a PDF of exactly so many bytes: a reader ignores what follows the PDF's last line. */
async function scanOfSize(size: number): Promise<Buffer> {
  const scan = await makeScan('large');
  return Buffer.concat([scan, Buffer.alloc(size - scan.length, '%')]);
}

async function objects(): Promise<string[]> {
  const root = join(api.platform.config.DATA_DIR, 'files');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** Sends an upload and cuts its body in the middle. */
function brokenUpload(): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(`${api.url}/api/v1/files`, {
      method: 'POST',
      headers: {
        cookie: owner.cookie ?? '',
        'x-csrf-token': owner.csrf ?? '',
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': '100000',
      },
    });
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
    sent.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7', () => sent.destroy());
  });
}

describe('POST /files', () => {
  test('stores a photo without its metadata and returns its facts (FIL-1)', async () => {
    const photo = await sharp(await makePhoto())
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer();
    const { body } = owner.expect(201, await owner.upload(photo, 'photo', 'Менің суретім.jpg'));
    expect(body.data).toMatchObject({
      purpose: 'photo',
      name: 'Менің суретім.jpg',
      mime: 'image/jpeg',
      width: 450,
      height: 600,
      pages: null,
    });
    expect(body.data.url).toBe(`/api/v1/files/${body.data.id}`);
    const opened = owner.expect(200, await owner.get(`/files/${body.data.id}`));
    expect(opened.bytes.length).toBe(body.data.size);
    expect(createHash('sha256').update(opened.bytes).digest('hex')).toBe(body.data.sha256);
    expect(opened.bytes.includes('secret place')).toBe(false);
    const uploaded = { action: 'file.uploaded', actor_id: owner.userId, request_id: body.request_id };
    expect((await audit('file', body.data.id))[0]).toMatchObject(uploaded);
  });

  test('accepts exactly 20 MB and refuses one byte more (FIL-1)', async () => {
    const taken = owner.expect(201, await owner.upload(await scanOfSize(maxBytes), 'document', 'large.pdf'));
    expect(taken.body.data.size).toBe(maxBytes);
    const refused = owner.expect(413, await owner.upload(await scanOfSize(maxBytes + 1), 'document', 'larger.pdf'));
    expect(refused.body.error).toMatchObject({ code: 'payload_too_large', details: { max_bytes: maxBytes } });
  });

  test('refuses other types by their content (FIL-1)', async () => {
    const before = await objects();
    expect(before.length).toBeGreaterThan(0);
    const refused = owner.expect(422, await owner.upload(Buffer.from('GIF89a not a photo'), 'photo', 'photo.jpg'));
    expect(refused.body.error).toMatchObject({ code: 'file_rejected', details: { reason: 'unsupported_type' } });
    for (const content of ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'PK\u0003\u0004an archive', '<html>'])
      expect((await owner.upload(Buffer.from(content), 'photo', 'photo.png')).body.error.details).toEqual({ reason: 'unsupported_type' });
    expect(owner.expect(422, await owner.upload(Buffer.alloc(0), 'photo', 'empty.jpg')).body.error.details).toEqual({
      reason: 'file_empty',
    });
    expect(await objects()).toEqual(before);
  });

  test('requires a file, a one-word purpose and multipart', async () => {
    const form = new FormData();
    form.set('purpose', 'photo');
    expect(problemsOf(await owner.request('POST', '/files', { raw: form }))).toEqual(['body.file required']);
    expect(wrongFieldsOf(await owner.request('POST', '/files', { raw: new FormData() }))).toEqual(['body.file', 'body.purpose']);
    expect(wrongFieldsOf(await owner.upload(await makePhoto(), 'Holiday photo'))).toEqual(['body.purpose']);
    owner.expect(415, await owner.post('/files', { purpose: 'photo' }));
  });

  test('an interrupted upload leaves nothing behind', async () => {
    const temporary = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('registry-upload-') && name.endsWith('-examined'));
    const known = new Set(await temporary());
    const [before] = await api.sql<{ count: string }>('select count(*) from files');
    await brokenUpload();
    owner.expect(201, await owner.upload(await makePhoto(7), 'photo', 'after.jpg'));
    const [after] = await api.sql<{ count: string }>('select count(*) from files');
    expect(Number(after?.count)).toBe(Number(before?.count) + 1);
    // Uploads of other tests keep theirs for a moment.
    await waitFor(temporary, (names) => names.every((name) => known.has(name)), 'the temporary files of others to go');
  });

  test('publishes and keeps nothing when the storage fails (FIL-6)', async () => {
    const broken = api.platform.storage.put;
    const [before] = await api.sql<{ count: string }>('select count(*) from files where deleted_at is null');
    Object.assign(api.platform.storage, { put: () => Promise.reject(new Error('disk full')) });
    try {
      expect(owner.expect(503, await owner.upload(await makePhoto(9), 'photo')).body.error.code).toBe('service_unavailable');
    } finally {
      Object.assign(api.platform.storage, { put: broken });
    }
    expect(await api.sql('select id from files where deleted_at is not null and purged_at is null')).toEqual([]);
    expect(await api.sql('select count(*) from files where deleted_at is null')).toEqual([before]);
  });
});

describe('GET /files', () => {
  test("lists the caller's files page by page, newest first, by purpose", async () => {
    const person = await api.user();
    const ids: string[] = [];
    for (const shade of [1, 2, 3])
      ids.push(person.expect(201, await person.upload(await makePhoto(shade), shade === 3 ? 'other' : 'photo')).body.data.id);
    await api.sql(
      `update files set created_at = created_at + (array_position($1::uuid[], id) || ' seconds')::interval where id = any($1)`,
      [ids],
    );
    const first = person.expect(200, await person.get('/files?limit=2'));
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
    expect(first.body.meta).toEqual({ total: 3, page: 1, limit: 2 });
    const second = await person.get('/files?limit=2&page=2');
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
    const photos = await person.get('/files?purpose=photo');
    expect(photos.body.meta.total).toBe(2);
    expect(problemsOf(await person.get('/files?purpose=X&limit=0&color=red'))).toHaveLength(3);
  });
});

describe('GET /files/{uuid}', () => {
  test('answers the owner and administrators only (FIL-4)', async () => {
    const id = await make.file(owner, 'scan', 'private');
    owner.expect(200, await owner.get(`/files/${id}`));
    owner.expect(200, await administrator.get(`/files/${id}`));
    expect(owner.expect(404, await otherUser.get(`/files/${id}`)).body.error.code).toBe('not_found');
    owner.expect(404, await owner.get('/files/0199a1b2-0000-4000-8000-000000000000'));
    owner.expect(422, await owner.get('/files/not-a-uuid'));
  });

  test('answers the whole file, a range, or 304', async () => {
    const scan = await makeScan('ranges', 2);
    const id = owner.expect(201, await owner.upload(scan, 'identity', 'жеке куәлік.pdf')).body.data.id;
    const whole = owner.expect(200, await owner.get(`/files/${id}`));
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toBe(`"${createHash('sha256').update(scan).digest('hex')}"`);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(scan.length),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    expect(whole.headers.get('content-disposition')).toMatch(/^inline; .*filename\*=UTF-8''/);
    expect((await owner.get(`/files/${id}?download=1`)).headers.get('content-disposition')).toMatch(/^attachment; /);

    const part = owner.expect(206, await owner.get(`/files/${id}`, { range: 'bytes=5-14' }));
    expect(part.headers.get('content-range')).toBe(`bytes 5-14/${scan.length}`);
    expect(part.bytes.equals(scan.subarray(5, 15))).toBe(true);
    const tail = owner.expect(206, await owner.get(`/files/${id}`, { range: 'bytes=-7', 'if-range': etag }));
    expect(tail.bytes.equals(scan.subarray(-7))).toBe(true);
    owner.expect(200, await owner.get(`/files/${id}`, { range: 'bytes=-7', 'if-range': '"another"' }));
    owner.expect(200, await owner.get(`/files/${id}`, { range: 'bytes=0-1,4-5' }));
    const beyond = owner.expect(416, await owner.get(`/files/${id}`, { range: `bytes=${scan.length}-` }));
    expect(beyond.headers.get('content-range')).toBe(`bytes */${scan.length}`);
    expect(beyond.body.error.code).toBe('range_not_satisfiable');
    const same = owner.expect(304, await owner.get(`/files/${id}`, { 'if-none-match': etag }));
    expect(same.bytes).toHaveLength(0);
    expect(same.headers.get('etag')).toBe(etag);

    const head = owner.expect(200, await owner.request('HEAD', `/files/${id}`, { headers: { range: 'bytes=0-1' } }));
    expect(head.headers.get('content-length')).toBe(String(scan.length));
    expect(head.bytes).toHaveLength(0);
  });
});

describe('DELETE /files/{uuid}', () => {
  test('deletes an unused file and its bytes, for its owner only (FIL-5)', async () => {
    const id = await fixturesByRequests(api).file(owner, 'scan', 'to be deleted');
    const [row] = await api.sql<{ storage_key: string }>('select storage_key from files where id = $1', [id]);
    owner.expect(404, await otherUser.delete(`/files/${id}`));
    owner.expect(404, await administrator.delete(`/files/${id}`));
    expect(owner.expect(200, await owner.delete(`/files/${id}`)).body.data).toEqual({ deleted: true });
    owner.expect(404, await owner.get(`/files/${id}`));
    owner.expect(404, await owner.delete(`/files/${id}`));
    expect(await api.platform.storage.stat(row?.storage_key ?? '')).toBeNull();
    expect((await audit('file', id)).map(({ action }) => action)).toEqual(['file.uploaded', 'file.deleted']);
  });

  test('refuses to delete a used file and names its uses (FIL-5)', async () => {
    const person = await api.user();
    const profileId = await make.profile(person);
    const photoId = (await person.get(`/profiles/${profileId}`)).body.data.photo_id;
    const refused = person.expect(409, await person.delete(`/files/${photoId}`));
    expect(refused.body.error).toMatchObject({ code: 'file_in_use', details: { used_by: [{ kind: 'profile_photo', id: profileId }] } });
    person.expect(200, await person.get(`/files/${photoId}`));

    const documentId = await make.document(person, profileId);
    const fileId = (await person.get(`/documents/${documentId}`)).body.data.file_id;
    const made = person.expect(
      201,
      await person.post('/applications', { profile_id: profileId, service_id: 1, document_ids: [documentId], data: {} }),
    );
    await api.sql(`update applications set status = 'changes' where id = $1`, [made.body.data.id]);
    expect(person.expect(409, await person.delete(`/files/${fileId}`)).body.error.details).toEqual({
      used_by: [{ kind: 'document', id: documentId }],
    });
  });

  // FIL-5, API-8
  test('keeps a photo printed on a certificate after its owner has another, in either case of its id', async () => {
    const person = await api.user();
    const { id: applicationId } = await make.application(person, { status: 'approved' });
    const { profile_id: profileId } = (await person.get(`/applications/${applicationId}`)).body.data;
    const printed = (await person.get(`/profiles/${profileId}`)).body.data.photo_id;
    person.expect(200, await person.patch(`/profiles/${profileId}`, { photo_id: await make.file(person, 'photo') }));
    for (const id of [printed, printed.toUpperCase()])
      expect(person.expect(409, await person.delete(`/files/${id}`)).body.error.details).toEqual({
        used_by: [{ kind: 'certificate', id: applicationId }],
      });
  });

  test('deleting the file of an unused document moves the document to `changes`', async () => {
    const person = await api.user();
    const profileId = await make.profile(person);
    const documentId = await make.document(person, profileId);
    const fileId = (await person.get(`/documents/${documentId}`)).body.data.file_id;
    person.expect(200, await person.delete(`/files/${fileId}`));
    expect((await person.get(`/documents/${documentId}`)).body.data).toMatchObject({
      status: 'changes',
      review_note: expect.stringContaining('Attach a new file'),
    });
    person.expect(200, await person.patch(`/documents/${documentId}`, { file_id: await make.file(person, 'scan', 'another') }));
    expect((await person.get(`/documents/${documentId}`)).body.data.status).toBe('pending');
  });

  test('the sweeper removes only what a storage failure or a crash left (FIL-5)', async () => {
    const id = await make.file(owner, 'scan', 'left over');
    const kept = await make.file(owner, 'scan', 'kept');
    const { storage } = api.platform;
    const works = storage.delete;
    Object.assign(storage, { delete: () => Promise.reject(new Error('storage is away')) });
    try {
      owner.expect(200, await owner.delete(`/files/${id}`));
    } finally {
      Object.assign(storage, { delete: works });
    }
    const [row] = await api.sql<{ storage_key: string; purged_at: Date | null }>('select storage_key, purged_at from files where id = $1', [
      id,
    ]);
    expect(row?.purged_at).toBeNull();
    expect(await storage.stat(row?.storage_key ?? '')).not.toBeNull();
    // A fresh row may be an upload in progress: the sweeper skips it for an hour.
    expect((await purgeDeletedFiles(api.platform)).purged).toBe(0);
    await api.sql(`update files set deleted_at = deleted_at - interval '2 hours' where id = $1`, [id]);
    expect((await purgeDeletedFiles(api.platform)).purged).toBe(1);
    expect((await purgeDeletedFiles(api.platform)).purged).toBe(0);
    expect(await storage.stat(row?.storage_key ?? '')).toBeNull();
    owner.expect(200, await owner.get(`/files/${kept}`));
  });

  // FIL-5
  test('undeletable files do not block later ones, whatever the page size and interruptions', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await make.file(owner, 'scan', `left over ${index}`));
    // One statement deletes them at the same microsecond, so they are ordered by id.
    await api.sql(`update files set deleted_at = timestamptz '2020-01-01 00:00:00.123456Z' where id = any($1)`, [ids]);
    const [first = '', second = '', third = '', , last = ''] = ids.toSorted();
    const { storage } = api.platform;
    const works = storage.delete.bind(storage);
    const keys = await api.sql<{ storage_key: string }>('select storage_key from files where id = any($1)', [[first, second]]);
    const broken = new Set(keys.map(({ storage_key }) => storage_key));
    Object.assign(storage, {
      delete: (key: string) => (broken.has(key) ? Promise.reject(new Error('the storage does not give it up')) : works(key)),
    });
    try {
      expect(await purgeDeletedFiles(api.platform, { limit: 2 })).toEqual({ purged: 0, next: second });
      let asked = 0;
      const isStopped = () => (asked += 1) > 1;
      expect(await purgeDeletedFiles(api.platform, { behind: second, limit: 2, isStopped })).toEqual({ purged: 1, next: third });
      expect(await purgeDeletedFiles(api.platform, { behind: third, limit: 2 })).toEqual({ purged: 2, next: last });
      expect(await purgeDeletedFiles(api.platform, { behind: last, limit: 2 })).toEqual({ purged: 0, next: null });
    } finally {
      Object.assign(storage, { delete: works });
    }
    expect(await purgeDeletedFiles(api.platform)).toEqual({ purged: 2, next: null });
  });
});
