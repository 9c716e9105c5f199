import { credentialSteps } from '../../support/credentials/credential-steps.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { decodeQr } from '../../support/papers/decode-qr.ts';
import { readStatusList } from '../../support/credentials/status-list.ts';
import { waitFor } from '../../support/wait-for.ts';
import sharp from 'sharp';
import { buildWeb } from '../../../src/tools/web/build.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator } = await useRegistry();
const steps = credentialSteps(api, make);

beforeAll(async () => {
  const { now } = (await api.browser().get('/sandbox/clock')).body.data;
  await api.travelTo(`${Number(now.slice(0, 4)) + 1}-03-01T12:00:00+05:00`);
});

const at = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });

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
    const { owner, id, page } = await steps.issued();
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
    const old = await steps.issued();
    await api.sql('delete from credentials where application_id = $1', [old.id]);
    expect((await old.owner.get(`/applications/${old.id}/credential`)).body.error.code).toBe('invalid_state');
  });
});

describe('GET /status-lists/{id}', () => {
  /** Moves the clock past the least time between two editions. */
  const passSpacing = async () => {
    const { now } = (await api.browser().get('/sandbox/clock')).body.data;
    await api.travelTo(new Date(Date.parse(now) + 4_000).toISOString());
  };

  test('VER-12: a returned document suspends until the approval, an annulment invalidates', async () => {
    const { id, revision, documents } = await steps.issued();
    const decide = async (body: Record<string, unknown>) =>
      administrator.expect(200, await administrator.post('/admin/review', { note: 'Not readable.', ...body }));
    const document = { kind: 'document', id: documents[1] };
    await decide({ ...document, decision: 'changes' });
    await steps.listed(id, 2);
    const before = await readStatusList(api.url);
    await decide({ ...document, decision: 'approve' });
    await passSpacing();
    await steps.listed(id, 0);
    await decide({ kind: 'application', id, decision: 'cancel', revision });
    await passSpacing();
    await steps.listed(id, 1);
    const after = await readStatusList(api.url);
    if (before === null || after === null) throw new Error('the list has no edition');
    expect(after.claims.iat).toBeGreaterThan(before.claims.iat);
    expect(after.claims.exp - after.claims.iat).toBe(86_400);
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
    await passSpacing();
    await steps.current();
    await steps.listed(id, 0);
    await api.travelTo(new Date(Date.parse(`${today}T23:59:59+05:00`) + 2000).toISOString());
    expect(await steps.listed(id, 2)).toBe(2);
  });

  test('says up to when it is complete, also with 304, while no worker makes lists (GAT-6, VER-12)', async () => {
    await steps.issued();
    await passSpacing();
    await steps.current();
    const untilOf = ({ headers }: Response) => Date.parse(headers.get('status-list-complete-until') ?? '');
    const before = await at('/status-lists/1');
    await api.stopWorkers();
    try {
      await api.sql(`insert into status_list_changes (list_id, at) values (1, now() - interval '64 seconds'), (1, now())`);
      const unchanged = await at('/status-lists/1', { 'if-none-match': before.headers.get('etag') ?? '' });
      expect(unchanged.status).toBe(304);
      expect(untilOf(before) - untilOf(unchanged)).toBeGreaterThan(50_000);
    } finally {
      await api.sql('delete from status_list_changes');
      await api.startWorkers();
    }
    expect(untilOf(await at('/status-lists/1'))).toBeGreaterThanOrEqual(untilOf(before));
  });

  test('negotiates the type, answers 304, 404 and 406', async () => {
    await steps.issued();
    await waitFor(
      () => readStatusList(api.url),
      (list) => list !== null,
      'the first edition',
    );
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
    await buildWeb();
    const page = await at('/gate');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const unchangedPage = await at('/gate', { 'if-none-match': page.headers.get('etag') ?? '' });
    // A browser puts the policy of a 304 onto the page that it shows.
    expect([unchangedPage.status, unchangedPage.headers.get('content-security-policy')]).toEqual([304, null]);
    // A new edition may be published at any time.
    const again = await waitFor(
      async () => at('/status-lists/1', { 'if-none-match': (await at('/status-lists/1')).headers.get('etag') ?? '' }),
      ({ status }) => status === 304,
      'one edition twice',
    );
    expect(again.headers.get('access-control-expose-headers')).toBe('Status-List-Complete-Until');
    expect((await at('/status-lists/1', { accept: 'text/html' })).status).toBe(406);
    expect((await at('/status-lists/99')).status).toBe(404);
  });
});

test('VER-11: a place is drawn for one certificate; a nearly full list is followed by the next', async () => {
  await steps.issued();
  await api.sql(
    'insert into credentials (application_id, list_id, place) select 1000000 + n, 1, n from generate_series(0, 131071) n on conflict do nothing',
  );
  const { id } = await steps.issued();
  const [row] = await api.sql<{ list_id: number }>('select list_id from credentials where application_id = $1', [id]);
  expect(row?.list_id).toBe(2);
  expect((await (await at('/status-lists')).json()).status_lists).toHaveLength(2);
});
