import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startApi } from '../../src/api.ts';
import { taskQueues } from '../../src/registry/config.ts';
import { errorCatalogue } from '../../src/errors.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { buildWeb } from '../../src/tools/web/build.ts';
import { TestClient } from '../support/client.ts';
import { waitFor } from '../support/wait-for.ts';
import { useRegistry } from '../support/use-registry.ts';

const { api } = await useRegistry();

describe('the request id', () => {
  test('API-1: is kept if well-formed, in header and body', async () => {
    const answer = await api.browser().get('/catalog', { 'x-request-id': 'client-made_0001' });
    expect([answer.status, answer.headers.get('x-request-id'), answer.body.request_id]).toEqual([
      200,
      'client-made_0001',
      'client-made_0001',
    ]);
  });

  test.each(['short', 'has blank and ümlaut'.replace('ü', 'u'), 'x'.repeat(65)])('is replaced when it is %p', async (inbound) => {
    const answer = await api.browser().get('/nowhere', { 'x-request-id': inbound });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  });
});

describe('common refusals', () => {
  const cases: [string, () => Promise<{ status: number; body: { error: { code: string } } }>, number, string][] = [
    ['an unknown address', () => api.browser().get('/nowhere'), 404, 'not_found'],
    ['an address that is not text', () => api.browser().get('/verify/%E0%A4%A'), 404, 'not_found'],
    ['a method the address does not take', () => api.browser().delete('/catalog'), 405, 'method_not_allowed'],
    [
      'a method that only another address takes',
      () => api.browser().patch('/events/7/registrations/export', {}),
      405,
      'method_not_allowed',
    ],
    ['no session', () => api.browser().get('/profiles'), 401, 'unauthenticated'],
    ['a key that is none', () => new TestClient(api.url, 'fsk_nothing').get('/profiles'), 401, 'unauthenticated'],
    ['another kind of Authorization', () => api.browser().get('/profiles', { authorization: 'Basic eDp5' }), 401, 'unauthenticated'],
    ['an unknown query field', () => api.browser().get('/catalog?kind=service&colour=red'), 422, 'validation_failed'],
    ['a query field given twice', () => api.browser().get('/catalog?kind=service&kind=service'), 422, 'validation_failed'],
  ];
  test.each(cases)('%s', async (_what, send, status, code) => {
    const answer = await send();
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  test('405 names the allowed methods', async () => {
    expect((await api.browser().delete('/catalog')).headers.get('allow')).toContain('GET');
  });

  test('bodies: broken JSON, another content type, too large, a changing request without the CSRF token', async () => {
    const person = await api.user();
    const json = { 'content-type': 'application/json' };
    expect((await person.request('POST', '/profiles', { raw: '{"kind":', headers: json })).body.error.code).toBe('malformed_json');
    expect(
      (await person.request('POST', '/profiles', { raw: 'kind=athlete', headers: { 'content-type': 'application/x-www-form-urlencoded' } }))
        .status,
    ).toBe(415);
    expect(
      (await person.request('POST', '/profiles', { raw: JSON.stringify({ kind: 'x'.repeat(2_000_000) }), headers: json })).status,
    ).toBe(413);
    const { csrf } = person;
    person.csrf = null;
    expect((await person.post('/profiles', { kind: 'athlete' })).status).toBe(419);
    person.csrf = `${csrf?.slice(0, -1)}!`;
    expect((await person.post('/profiles', { kind: 'athlete' })).body.error.code).toBe('csrf_failed');
  });

  test('an empty Idempotency-Key is an error', async () => {
    const person = await api.user();
    const refused = await person.post('/applications/quote', { service_id: 1 }, { 'idempotency-key': '' });
    expect(person.expect(422, refused).body.error.details.fields[0].path).toBe('headers.idempotency-key');
  });

  test('a byte order mark before JSON is ignored', async () => {
    const person = await api.user();
    const raw = new Uint8Array(Buffer.from('\ufeff{"service_id":1}'));
    person.expect(200, await person.request('POST', '/applications/quote', { raw, headers: { 'content-type': 'application/json' } }));
  });

  test('a body that is not UTF-8 is refused', async () => {
    const person = await api.user();
    const send = (raw: Buffer, headers: Record<string, string> = {}) =>
      person.request('POST', '/applications/quote', {
        raw: new Uint8Array(raw),
        headers: { 'content-type': 'application/json', ...headers },
      });
    for (const wrong of ['ff', 'c3', 'eda080', 'c0af', 'f8888080']) {
      const raw = Buffer.concat([
        Buffer.from('{"service_id":1,"data":{"insurance_territory":"'),
        Buffer.from(wrong, 'hex'),
        Buffer.from('"}}'),
      ]);
      const answer = await send(raw);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'malformed_json']);
    }
    const right = Buffer.from('{"service_id":1}');
    expect((await send(right)).status).toBe(200);
    expect((await send(gzipSync(right), { 'content-encoding': 'gzip' })).body.error.code).toBe('unsupported_media_type');
  });

  test.each(['"x"', '""', '5', 'null', 'true', '[]', '[{"service_id":1}]'])('%s is valid JSON of the wrong shape', async (raw) => {
    const person = await api.user();
    for (const path of ['/applications/quote', '/profiles', '/auth/logout']) {
      const answer = await person.request('POST', path, { raw, headers: { 'content-type': 'application/json' } });
      expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed']);
      expect(answer.body.error.details.fields).toEqual([expect.objectContaining({ path: 'body', code: 'invalid_type' })]);
    }
  });

  test('API-2: a field named __proto__ is refused, at any depth', async () => {
    const person = await api.user();
    for (const raw of ['{"__proto__":{}}', '{"data":{"__proto__":{"city":"x"}}}']) {
      const answer = await person.request('PATCH', '/profiles/1', { raw, headers: { 'content-type': 'application/json' } });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'malformed_json']);
    }
  });

  test('a review without kind or decision gets its other problems too', async () => {
    const administrator = await api.administrator();
    const pathsOf = async (body: object) =>
      (await administrator.post('/admin/review', body)).body.error.details.fields.map(({ path }: { path: string }) => path).sort();
    expect(await pathsOf({ id: 'x', decision: 'approve', colour: 'red' })).toEqual(['body.colour', 'body.id', 'body.kind']);
    expect(await pathsOf({ kind: 'document', id: 'x', note: 'n' })).toEqual(['body.decision', 'body.id', 'body.note']);
  });

  test('401 explains how to sign in, and reports an invalid key', async () => {
    const challengeOf = async (client: TestClient, headers: Record<string, string> = {}) =>
      (await client.get('/profiles', headers)).headers.get('www-authenticate');
    expect(await challengeOf(api.browser())).toBe('Bearer');
    expect(await challengeOf(api.browser(), { authorization: 'Basic eDp5' })).toBe('Bearer');
    expect(await challengeOf(new TestClient(api.url, 'fsk_nothing'))).toBe('Bearer error="invalid_token"');
    expect(await challengeOf(await api.user())).toBeNull();
  });

  test('API-2: a route without a body refuses unknown fields as well', async () => {
    const person = await api.user();
    const answer = await person.post('/auth/logout', { amount: '1.00' });
    expect(answer.body.error.details.fields).toEqual([{ path: 'body.amount', code: 'unknown_field', message: 'there is no such field' }]);
  });

  test('a value of the wrong type is not reported as missing, and each field is named once', async () => {
    const person = await api.user();
    const answer = await person.post('/applications/quote', { data: { insurance_territory: 7 } });
    const codes = answer.body.error.details.fields.map(({ path, code }: { path: string; code: string }) => [path, code]);
    expect(codes).toEqual([
      ['body.service_id', 'required'],
      ['body.data.insurance_territory', 'invalid_value'],
    ]);
  });

  test('text that the database cannot store is an error of its field', async () => {
    const person = await api.user();
    const answer = await person.request('POST', '/applications/quote', {
      raw: '{"service_id":1,"data":{"insurance_territory":"K\\u0000Z"}}',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.fields.map((field: { code: string }) => field.code)).toContain('invalid_text');
  });
});

test('every answer has the security headers, and none allows CORS', async () => {
  for (const path of ['/catalog', '/nowhere', '/docs', '/health/live']) {
    const { headers } = await api.browser().get(path, { origin: 'https://elsewhere.example' });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]));
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', expect.any(String)]);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('TRACE and folders are refused: nothing is echoed or listed', async () => {
  const answers = ['TRACE /api/v1/catalog', 'GET /api/v1/', 'GET /.git/HEAD', 'GET /src/'].map(
    (line) =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(api.url);
        const socket = connect(Number(port), hostname, () =>
          socket.end(`${line} HTTP/1.1\r\nHost: registry\r\nX-Echo: echoed\r\nConnection: close\r\n\r\n`),
        );
        let answer = '';
        socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('end', () => resolve(answer));
        socket.on('error', reject);
      }),
  );
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatch(/^HTTP\/1\.1 (404|405) /);
    expect(answer).not.toContain('echoed');
  }
});

test('health: alive, ready, and each dependency with its state', async () => {
  expect((await api.browser().get('/health/live')).status).toBe(200);
  const answer = await waitFor(
    () => api.browser().get('/health/dependencies'),
    ({ body }) => Object.values<{ state: string }>(body.data.workers).every(({ state }) => state === 'ok'),
    'every queue to be served',
  );
  expect(answer.status).toBe(200);
  const ok = { state: 'ok', since: expect.any(String) };
  const workers = Object.fromEntries(taskQueues.map((queue) => [queue, ok]));
  expect(answer.body.data).toEqual({
    temporal: ok,
    storage: ok,
    mail: { ...ok, state: 'disabled' },
    bank: ok,
    workers,
  });
  const ready = await api.browser().get('/health/ready');
  expect([ready.status, ready.body.data]).toEqual([200, { status: 'ok', reason: null }]);
});

test('API-10: without Temporal and storage the API is ready, and probes start no check', async () => {
  const { storage, processes } = api.platform;
  const [checkStorage, checkTemporal] = [storage.check.bind(storage), processes.check.bind(processes)];
  let checked = 0;
  const startedAt = performance.now();
  processes.check = () => {
    checked += 1;
    return checkTemporal();
  };
  try {
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => api.browser().get('/health/dependencies')));
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    }
    // Once in three seconds, however long a thousand requests take here.
    expect(checked).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 3_000);
    storage.check = () => Promise.reject(new Error('away'));
    const away = await waitFor(
      () => api.browser().get('/health/dependencies'),
      ({ body }) => body.data.storage.state === 'away',
      'the storage to be unavailable',
    );
    expect(away.body.data).toMatchObject({ temporal: { state: 'ok' } });
    expect((await api.browser().get('/health/ready')).status).toBe(200);
  } finally {
    storage.check = checkStorage;
    processes.check = checkTemporal;
  }
});

test('a retired API is not ready and still serves', async () => {
  const second = await startApi(api.surroundings.config, 0);
  try {
    second.retire();
    const ready = await fetch(`${second.url}/health/ready`);
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await ready.json()).toMatchObject({ data: { status: 'not_ready', reason: 'The process is stopping.' } });
    expect((await fetch(`${second.url}/api/v1/catalog`)).status).toBe(200);
  } finally {
    await second.close();
  }
});

test('a stopping API answers requests in progress and waits only for them', async () => {
  const second = await startApi(api.surroundings.config, 0);
  const { hostname, port } = new URL(second.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (bytes) => (received += bytes.toString('latin1')));
  const head = 'POST /api/v1/bank/callback HTTP/1.1\r\nhost: registry\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';
  // After the first answer, the server reads the headers of the second request.
  socket.write(`GET /health/live HTTP/1.1\r\nhost: registry\r\n\r\n${head}{`);
  const answers = () => received.split('HTTP/1.1 ').slice(1);
  await waitFor(answers, ({ length }) => length === 1, 'the first answer');
  const startedAt = performance.now();
  const closed = second.close();
  await waitFor(
    () =>
      fetch(`${second.url}/health/live`).then(
        () => true,
        () => false,
      ),
    (isServed) => !isServed,
    'the API to take no connection any more',
  );
  const isOver = once(socket, 'close');
  socket.write('}');
  await Promise.all([closed, isOver]);
  // Far below the ten seconds after which every connection is cut.
  // Connections that stay open are cut after ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(9_500);
  expect(answers().map((answer) => answer.slice(0, 3))).toEqual(['200', '200']);
});

test('metrics use route patterns as labels, without tokens or ids', async () => {
  await api.browser().get('/verify/a-secret-token');
  const metrics = (await api.browser().get('/metrics')).bytes.toString();
  expect(metrics).toContain('route="/verify/:token"');
  expect(metrics).not.toContain('a-secret-token');
});

test('the root of the service is a page that leads to the others', async () => {
  await buildWeb();
  const answer = await fetch(`${api.url}/?lang=kk`);
  const page = await answer.text();
  expect([answer.status, answer.headers.get('content-language')]).toEqual([200, 'kk']);
  for (const [, address = ''] of page.matchAll(/<li><a href="([^"]+)"/g))
    expect([address, (await fetch(api.url + address)).status]).toEqual([address, 200]);
  expect((await fetch(`${api.url}/`, { method: 'POST' })).status).toBe(405);
});

test('a browser gets a page at an unknown address, a program gets JSON', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of ['/nope', '/nope/deeper']) {
    const page = await fetch(api.url + path, { headers });
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect((await (await fetch(api.url + path)).json()).error.code).toBe('not_found');
  }
  expect((await (await fetch(`${api.url}/api/v1/nope`, { headers })).json()).error.code).toBe('not_found');
});

/** The fields of an operation that these tests read. */
interface Operation {
  operationId: string;
  tags: string[];
  parameters: { name: string; in: string }[];
  responses: Record<string, { headers?: Record<string, unknown>; links?: Record<string, Link> }>;
}
interface Link {
  operationId: string;
  parameters: Record<string, string>;
}

describe('the published description', () => {
  async function readOperations() {
    const document = (await api.browser().get('/openapi.json')).body;
    const paths: [string, Record<string, Operation>][] = Object.entries(document.paths);
    const operations = paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    return { document, operations };
  }

  test('names operations in camel case, each once', async () => {
    const { operations } = await readOperations();
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(40);
    expect(new Set(ids).size).toBe(ids.length);
    // A verb and its object, never method and path.
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id) || /^(post|put|patch)[A-Z]/.test(id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining(['submitApplication', 'createProfile', 'getDocument', 'uploadFile', 'payApplication']));
  });

  test('puts operations into groups, and describes each group', async () => {
    const { document, operations } = await readOperations();
    const groups: { name: string; description: string }[] = document.tags;
    expect(groups.filter(({ description }) => !/^[A-Z].{20,}\.$/.test(description))).toEqual([]);
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(groups.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  test('promises Location with every 201, and with each 202 of a record that is being made', async () => {
    const { document, operations } = await readOperations();
    const creating = operations.filter(({ responses }) => responses['201']);
    expect(creating.length).toBeGreaterThanOrEqual(8);
    expect(creating.filter(({ responses }) => responses['201']?.headers?.['Location'] === undefined)).toEqual([]);
    const others = operations.filter(({ responses }) =>
      Object.entries(responses).some(([status, { headers }]) => !['201', '202'].includes(status) && headers?.['Location']),
    );
    expect(others).toEqual([]);
    const begun = operations.filter(({ responses }) => responses['202']?.headers?.['Location']).map(({ operationId }) => operationId);
    expect(begun).toEqual(['importRegistrations', 'importParticipants', 'exportAccount', 'requestErasure', 'requestErasureOf']);
    expect(document.components.headers.Location.schema).toEqual({ type: 'string', format: 'uri-reference' });
  });

  test('each Location answers a GET', async () => {
    const routes = allRoutes({ sandbox: true, ownMetricsPort: true, baseUrl: api.url });
    const isRead = (location: string) => routes.some(({ method, path, atRoot }) => method === 'GET' && path === location && !atRoot);
    const creating = routes.filter(({ response }) => response.status === 201);
    expect(creating.length).toBeGreaterThanOrEqual(20);
    const unread = creating.filter(({ response: { location } }) => location === undefined || !isRead(location));
    expect(unread.map(({ name }) => name)).toEqual([]);
  });

  test('links a creation to its uses: each link names an operation and all its path parameters', async () => {
    const { operations } = await readOperations();
    const links = operations.flatMap(({ operationId: from, responses }) =>
      Object.values(responses).flatMap((response) => Object.entries(response.links ?? {}).map(([name, link]) => ({ from, name, ...link }))),
    );
    const wrong = links.filter(({ name, operationId, parameters }) => {
      const target = operations.find((operation) => operation.operationId === operationId);
      const inPath = target?.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name) ?? [
        'no operation',
      ];
      const isGood = name === operationId && Object.keys(parameters).sort().join() === inPath.sort().join();
      return !isGood || Object.values(parameters).some((value) => !/^\$(response\.body#\/data\/|request\.path\.)\w+$/.test(value));
    });
    expect(wrong).toEqual([]);
    const ways = links.map(({ from, operationId }) => `${from} -> ${operationId}`);
    expect(ways).toEqual(
      expect.arrayContaining([
        'uploadFile -> getFile',
        'createProfile -> submitProfile',
        'createDocument -> getDocumentTimeline',
        'createApplication -> submitApplication',
        'createApplication -> payApplication',
        'createInvoice -> checkoutInvoice',
        'createApiKey -> revokeApiKey',
        'registerAccount -> getAccount',
        'sendMessage -> getConversation',
        'reverseLedgerEntry -> listLedger',
      ]),
    );
    const led = new Set(links.map(({ from }) => from));
    const ends = operations.filter(({ operationId, responses }) => responses['201'] && !led.has(operationId));
    expect(ends.map(({ operationId }) => operationId)).toEqual(['sendContactMessage']);
  });

  test('has working links: with the answer of a creation, each linked GET answers', async () => {
    const { operations } = await readOperations();
    const person = await api.user();
    const made = person.expect(201, await person.post('/invoices', { amount: '100.00' }, { 'idempotency-key': 'the-links-of-an-invoice' }));
    const links = operations.find(({ operationId }) => operationId === 'createInvoice')?.responses['201']?.links ?? {};
    const reads = Object.values(links).flatMap(({ operationId, parameters }) => {
      const target = operations.find((operation) => operation.operationId === operationId && operation.method === 'get');
      const valueOf = (name: string) => String(made.body.data[parameters[name]?.split('/').at(-1) ?? '']);
      return target ? [target.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name))] : [];
    });
    expect(reads).toContain(made.headers.get('location')?.replace('/api/v1', ''));
    for (const path of reads) person.expect(200, await person.get(path));
  });

  test('lists every error code and uses only those', async () => {
    const document = (await api.browser().get('/openapi.json')).body;
    expect(document.openapi).toBe('3.1.0');
    expect(document.components.schemas.ErrorCode.enum).toEqual(Object.keys(errorCatalogue));
  });

  test('names shared schemas once, and resolves every reference', async () => {
    const document = (await api.browser().get('/openapi.json')).body;
    const { schemas } = document.components;
    const names = [
      'Application',
      'Profile',
      'Document',
      'File',
      'Invoice',
      'Wallet',
      'Verification',
      'Error',
      'FieldProblem',
      'NewProfile',
    ];
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(names));
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference));
    const dangling = [...references].filter((reference) => {
      const [, section = '', kind = '', name = ''] = reference.split('/');
      return section !== 'components' || document.components[kind]?.[name] === undefined;
    });
    expect(dangling).toEqual([]);
    const unused = Object.keys(schemas).filter((name) => !references.has(`#/components/schemas/${name}`));
    expect(unused).toEqual([]);
    const data = document.paths['/applications/{id}'].get.responses['200'].content['application/json'].schema.properties.data;
    expect(data).toEqual({ $ref: '#/components/schemas/Application' });
  });

  test('has a page without external sources', async () => {
    const page = (await api.browser().get('/docs')).bytes.toString();
    const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    expect(sources.every((source) => source.startsWith('/'))).toBe(true);
    for (const source of sources) expect([source, (await fetch(api.url + source)).status]).toEqual([source, 200]);
  });

  test('is compressed as the client accepts, each encoding with its own entity tag', async () => {
    for (const path of ['/api/v1/openapi.json', '/docs/standalone.esm.js']) {
      const read = async (accepted: string, tag = '') => {
        const { status, headers } = await fetch(api.url + path, {
          headers: { 'accept-encoding': accepted, ...(tag && { 'if-none-match': tag }) },
        });
        return {
          status,
          encoding: headers.get('content-encoding'),
          tag: headers.get('etag') ?? '',
          vary: headers.get('vary'),
          bytes: Number(headers.get('content-length')),
        };
      };
      const [plain, zipped, best] = [await read('identity'), await read('gzip'), await read('gzip, deflate, br;q=0.9')];
      expect([plain, zipped, best].map(({ encoding }) => encoding)).toEqual([null, 'gzip', 'br']);
      expect(new Set([plain.tag, zipped.tag, best.tag]).size).toBe(3);
      for (const { vary } of [plain, zipped, best]) expect(vary).toBe('Accept-Encoding');
      expect(best.bytes).toBeLessThan(plain.bytes / 2);
      expect(await read('gzip', zipped.tag)).toMatchObject({ status: 304, tag: zipped.tag, vary: 'Accept-Encoding' });
      expect(await read('br', zipped.tag)).toMatchObject({ status: 200, encoding: 'br' });
      expect(await read('br;q=0, gzip;q=0')).toMatchObject({ status: 200, encoding: null });
    }
  });
});
