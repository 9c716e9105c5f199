import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { makeNextEdition } from '../../../src/areas/credentials/index.ts';
import { presentStatuses } from '../../../src/areas/verification/read-listed-statuses.ts';
import type { TestClient } from '../../support/client.ts';
import { type Fixtures, fixturesOf } from '../../support/factories.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { decodeQr } from '../../support/papers/decode-qr.ts';
import { readStatusList } from '../../support/credentials/status-list.ts';
import { startTestApi, type TestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';
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

const readList = () => readStatusList(api.url);

const placeOf = async (id: number) =>
  (await api.sql<{ place: number }>('select place from credentials where application_id = $1', [id]))[0]?.place ?? -1;

const listed = (id: number, status: number) =>
  waitFor(
    async () => (await readList())?.statusAt(await placeOf(id)),
    (seen) => seen === status,
    `status ${status} of application ${id}`,
  );

describe('GET /.well-known/jwks.json', () => {
  test('VER-9: publishes the public key alone, cached an hour', async () => {
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
    if (before === null || after === null) throw new Error('the list has no edition');
    expect(after.claims.iat).toBeGreaterThan(before.claims.iat);
    expect(after.claims.exp - after.claims.iat).toBe(86_400);
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
    // Verifiers of others run on pages of their own.
    for (const path of ['/.well-known/jwks.json', '/status-lists', '/status-lists/1']) {
      const { headers } = await at(path, { origin: 'https://gate.example.org' });
      expect([headers.get('access-control-allow-origin'), headers.get('cross-origin-resource-policy')]).toEqual(['*', 'cross-origin']);
    }
    const page = await at('/gate');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const unchangedPage = await at('/gate', { 'if-none-match': page.headers.get('etag') ?? '' });
    // A browser puts the policy of a 304 onto the page that it shows.
    expect([unchangedPage.status, unchangedPage.headers.get('content-security-policy')]).toEqual([304, null]);
    const again = await at('/status-lists/1', { 'if-none-match': cwt.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect((await at('/status-lists/1', { accept: 'text/html' })).status).toBe(406);
    expect((await at('/status-lists/99')).status).toBe(404);
  });
});

describe('the process of a status list', () => {
  const editionOf = async () =>
    (
      await api.sql<{ edition: number; waiting: boolean }>(
        'select edition, exists (select from status_list_changes) as waiting from status_lists where id = 1',
      )
    )[0];
  const current = () => waitFor(editionOf, (list) => list !== undefined && list.edition > 0 && !list.waiting, 'the list to be current');
  const caller = { actor: { kind: 'process' }, requestId: 'edition', ip: null } as const;

  test('VER-12: 20,000 changes make few editions, at most one in three seconds', async () => {
    await issued();
    const before = await current();
    const began = performance.now();
    // Each commits for itself, as commands do.
    await api.sql(`do $$ begin
      for n in 1..20000 loop
        perform keep_status_list_change(array(select application_id from credentials where list_id = 1 limit 1));
        commit;
      end loop;
    end $$`);
    const after = await current();
    const most = 2 + (performance.now() - began) / 3000;
    expect((after?.edition ?? 0) - (before?.edition ?? 0)).toBeGreaterThan(0);
    expect((after?.edition ?? 0) - (before?.edition ?? 0)).toBeLessThanOrEqual(most);
  });

  test('VER-12: of two workers that make the same edition one wins', async () => {
    await issued();
    await current();
    await api.stopWorkers();
    const { readPage } = presentStatuses;
    try {
      const before = await editionOf();
      const { signal } = new AbortController();
      // All have read the present edition before the first stores the next one.
      const { promise: allRead, resolve } = Promise.withResolvers<void>();
      let reading = 0;
      presentStatuses.readPage = async (...page) => {
        reading += 1;
        if (reading === 4) resolve();
        await allRead;
        return readPage(...page);
      };
      await Promise.all(Array.from({ length: 4 }, () => makeNextEdition(api.platform, caller, 1, signal)));
      expect((await editionOf())?.edition).toBe((before?.edition ?? 0) + 1);
    } finally {
      presentStatuses.readPage = readPage;
      await api.startWorkers();
    }
  });

  test('VER-12: a fact that changes while an edition is made is in the next one', async () => {
    const { id } = await issued();
    await listed(id, 0);
    await current();
    await api.stopWorkers();
    const { readPage } = presentStatuses;
    // The annulment commits after the statuses are read and before the edition is stored.
    const cancelled = new Promise<void>((resolve, reject) => {
      presentStatuses.readPage = async (...page) => {
        const places = await readPage(...page);
        presentStatuses.readPage = readPage;
        await api.sql(`update applications set status = 'cancelled' where id = $1`, [id]).then(() => resolve(), reject);
        return places;
      };
    });
    await makeNextEdition(api.platform, caller, 1, new AbortController().signal);
    await cancelled;
    expect((await readList())?.statusAt(await placeOf(id))).toBe(0);
    expect((await editionOf())?.waiting).toBe(true);
    await api.startWorkers();
    await listed(id, 1);
  });

  test('VER-12: a document that lapses at midnight suspends, without a command', async () => {
    const { now } = (await api.browser().get('/sandbox/clock')).body.data;
    const today = String(now).slice(0, 10);
    const owner = await api.user();
    const { id } = await make.application(owner, { status: 'approved' });
    await api.sql(
      'update documents set expires_at = $2 where id = (select max(document_id) from application_documents where application_id = $1)',
      [id, today],
    );
    await current();
    await listed(id, 0);
    await api.travelTo(new Date(Date.parse(`${today}T23:59:59+05:00`) + 2000).toISOString());
    expect(await listed(id, 2)).toBe(2);
  });

  test('VER-12: an edition that cannot be made is seen as stuck; the old one goes on', async () => {
    const { id, revision } = await issued();
    await listed(id, 0);
    await current();
    await api.sql(`update signing_keys set signs_from = signs_from + interval '1 year'`);
    const body = { kind: 'application', id, decision: 'cancel', revision, note: 'Issued by mistake.' };
    administrator.expect(200, await administrator.post('/admin/review', body));
    const row = async () => administrator.expect(200, await administrator.get('/admin/processes?kind=status-list')).body.data[0];
    await waitFor(row, (seen) => seen?.reason !== null, 'the first failure');
    // Six failures in a row would take minutes.
    await api.sql(`update process_troubles set tries = 5 where kind = 'status-list'`);
    expect(await waitFor(row, (seen) => seen?.state === 'stuck', 'the list to be stuck')).toMatchObject({ kind: 'status-list', id: 1 });
    expect((await readList())?.statusAt(await placeOf(id))).toBe(0);
    await api.sql(`update signing_keys set signs_from = signs_from - interval '1 year'`);
    const action = { action: 'retry', reason: 'The key is in effect again.' };
    administrator.expect(200, await administrator.post('/admin/processes/status-list/1/actions', action));
    await listed(id, 1);
    await waitFor(row, (seen) => seen?.state === 'waiting', 'the list to be current');
  });
});

test('VER-10: `npm run credentials:issue` certifies what was issued before, once; the PDF stays', async () => {
  const [first, second] = [await issued(), await issued()];
  const pdfOf = async ({ owner, id }: typeof first) => owner.expect(200, await owner.get(`/applications/${id}/certificate`)).bytes;
  const before = await pdfOf(first);
  await api.sql('delete from credentials where application_id = any($1)', [[first.id, second.id]]);
  const { config } = api.platform;
  const env = { ...process.env, ...Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value ?? '')])) };
  const run = async () => (await promisify(execFile)(process.execPath, ['src/issue-credentials.main.ts'], { env })).stdout;
  const outputs = await Promise.all([run(), run()]);
  for (const output of outputs) expect(output).toMatch(/issued \d+ credentials\n$/);
  expect(await run()).toBe('issued 0 credentials\n');
  for (const one of [first, second]) {
    const { data } = one.owner.expect(200, await one.owner.get(`/applications/${one.id}/credential`)).body;
    expect(data.url).toBe(`${one.page}#${data.credential}`);
    await listed(one.id, 0);
  }
  expect((await pdfOf(first)).equals(before)).toBe(true);
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
