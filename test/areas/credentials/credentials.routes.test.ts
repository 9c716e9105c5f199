import type { TestClient } from '../../support/client.ts';
import { type Fixtures, fixturesOf } from '../../support/factories.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { decodeQr } from '../../support/papers/decode-qr.ts';
import { startTestApi, type TestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { inflateSync } from 'node:zlib';
import sharp from 'sharp';

let api: TestApi;
let make: Fixtures<TestClient>;
let administrator: TestClient;

beforeAll(async () => {
  api = await startTestApi();
  make = fixturesOf(api);
  administrator = await api.administrator();
  const { now } = (await api.browser().get('/sandbox/clock')).body.data;
  await api.travelTo(`${Number(now.slice(0, 4)) + 1}-03-01T12:00:00+05:00`);
});
afterAll(() => api.close());

async function issued() {
  const owner = await api.user();
  const { id } = await make.application(owner, { status: 'approved' });
  const { verification_url: page, revision, document_ids: documents } = owner.expect(200, await owner.get(`/applications/${id}`)).body.data;
  return { owner, id, page, revision, documents };
}

const at = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });

/** The statuses of the first list, by its JWT form. */
async function readList() {
  const answer = await at('/status-lists/1', { accept: 'application/statuslist+jwt' });
  if (answer.status !== 200) return null;
  const claims = JSON.parse(Buffer.from((await answer.text()).split('.')[1] ?? '', 'base64url').toString());
  const bytes = inflateSync(Buffer.from(claims.status_list.lst, 'base64url'));
  return { claims, statusAt: (place: number) => ((bytes[place >> 2] ?? 0) >> ((place % 4) * 2)) & 3 };
}

const placeOf = async (id: number) =>
  (await api.sql<{ place: number }>('select place from credentials where application_id = $1', [id]))[0]?.place ?? -1;

const listed = (id: number, status: number) =>
  waitFor(
    async () => (await readList())?.statusAt(await placeOf(id)),
    (seen) => seen === status,
    `status ${status} of application ${id}`,
  );

describe('GET /.well-known/jwks.json', () => {
  test('VER-9: publishes the public key alone, cached an hour; a new key signs later', async () => {
    const answer = await at('/.well-known/jwks.json');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
    const { keys } = await answer.json();
    expect(keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: expect.stringMatching(/^[\w-]{43}$/),
        x: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
  });
});

describe('GET /applications/{id}/credential', () => {
  test('VER-10: the QR of the PDF holds the link with the credential', async () => {
    const { owner, id, page } = await issued();
    const { data } = owner.expect(200, await owner.get(`/applications/${id}/credential`)).body;
    expect(data.url).toBe(`${page}#${data.credential}`);
    expect(data.expires_at).toMatch(/-12-31T23:59:59\+05:00$/);
    const pdf = owner.expect(200, await owner.get(`/applications/${id}/certificate`)).bytes;
    expect((await readPdf(pdf)).qr).toBe(data.url);
    const png = owner.expect(200, await owner.get(`/applications/${id}/credential?format=png`)).bytes;
    const { data: pixels, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(decodeQr(new Uint8ClampedArray(pixels), info.width, info.height)?.data).toBe(data.url);
  });

  test('an application without a certificate, and a certificate from before credentials', async () => {
    const owner = await api.user();
    const { id } = await make.application(owner, { status: 'draft' });
    expect((await owner.get(`/applications/${id}/credential`)).body.error.code).toBe('certificate_not_issued');
    const old = await issued();
    await api.sql('delete from credentials where application_id = $1', [old.id]);
    expect((await old.owner.get(`/applications/${old.id}/credential`)).body.error.code).toBe('invalid_state');
  });
});

describe('GET /status-lists/{id}', () => {
  test('VER-12: an annulment changes the list as it changes the online answer', async () => {
    const { id, revision } = await issued();
    await listed(id, 0);
    const before = await readList();
    const body = { kind: 'application', id, decision: 'cancel', revision, note: 'Issued by mistake.' };
    administrator.expect(200, await administrator.post('/admin/review', body));
    await listed(id, 1);
    const after = await readList();
    expect(after?.claims.iat).toBeGreaterThan(before?.claims.iat);
    expect(after?.claims.exp - after?.claims.iat).toBe(86_400);
  });

  test('VER-12: a returned document suspends it until the approval', async () => {
    const { id, documents } = await issued();
    const document = { kind: 'document', id: documents[1] };
    administrator.expect(200, await administrator.post('/admin/review', { ...document, decision: 'changes', note: 'Not readable.' }));
    await listed(id, 2);
    administrator.expect(200, await administrator.post('/admin/review', { ...document, decision: 'approve' }));
    await listed(id, 0);
  });

  test('negotiates the type, answers 304, 404 and 406', async () => {
    await issued();
    await waitFor(readList, (list) => list !== null, 'the first edition');
    const { status_lists: lists } = await (await at('/status-lists')).json();
    expect(lists).toEqual([`${api.url}/status-lists/1`]);
    const cwt = await at('/status-lists/1');
    expect([cwt.status, cwt.headers.get('content-type'), cwt.headers.get('cache-control')]).toEqual([
      200,
      'application/statuslist+cwt',
      'public, max-age=60',
    ]);
    const again = await at('/status-lists/1', { 'if-none-match': cwt.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect((await at('/status-lists/1', { accept: 'text/html' })).status).toBe(406);
    expect((await at('/status-lists/99')).status).toBe(404);
  });
});

test('VER-11: a place is drawn for one certificate; a nearly full list is followed by the next', async () => {
  await issued();
  await api.sql(
    'insert into credentials (application_id, list_id, place) select 1000000 + n, 1, n from generate_series(0, 131071) n on conflict do nothing',
  );
  const { id } = await issued();
  const [row] = await api.sql<{ list_id: number }>('select list_id from credentials where application_id = $1', [id]);
  expect(row?.list_id).toBe(2);
  expect((await (await at('/status-lists')).json()).status_lists).toHaveLength(2);
});
