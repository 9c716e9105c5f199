import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type ConnectionOptions, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { maxUploadBytes } from '../../src/http/request/read-upload.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { onSearchPath } from '../../src/tools/embedded/temporal/download.ts';
import { TestClient } from '../support/client.ts';
import { openStream } from '../support/event-stream.ts';
import { openRecord } from '../support/factories.ts';
import { certificateFixtures } from '../support/factories/certificates.ts';
import { tell } from '../support/factories/notifications.ts';
import { makeScan } from '../support/papers/scans.ts';
import { signUp } from '../support/sign-up.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

interface Ports {
  tls: number;
  plain: number;
  /** Of the two APIs. */
  apis: number[];
  metrics: number[];
}

interface Proxy {
  name: string;
  file: string;
  /** The file with this machine's addresses, in the form in which the program takes it. */
  adapt(text: string, ports: Ports, folder: string): string;
  check(config: string): string[];
  run(config: string): string[];
  /** What the file says, in bytes and seconds. */
  bodyLimit(text: string): number;
  keepAlive(text: string): number;
  stream(text: string): number;
}

const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

const proxies: Proxy[] = [
  {
    name: 'nginx',
    file: 'ops/nginx/registry.conf',
    adapt: (text, ports, folder) => `
      daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1;
      events { worker_connections 1024; }
      http {
        access_log ${folder}/access.log;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/1; uwsgi_temp_path ${folder}/2; scgi_temp_path ${folder}/3;
        ${text
          .replace('listen 80;', `listen 127.0.0.1:${ports.plain};`)
          .replace('listen 443 ', `listen 127.0.0.1:${ports.tls} `)
          .replace('/etc/nginx/tls/registry.crt', `${folder}/tls_certificate`)
          .replace('/etc/nginx/tls/registry.key', `${folder}/tls_key`)
          .replace('api-1:8080', `127.0.0.1:${ports.apis[0]}`)
          .replace('api-2:8080', `127.0.0.1:${ports.apis[1]}`)}
      }`,
    check: (config) => ['-t', '-c', config],
    run: (config) => ['-c', config],
    bodyLimit: (text) => Number(found(text, /client_max_body_size (\d+)m;/)) * 1024 * 1024,
    keepAlive: (text) => Number(found(text, /keepalive_timeout (\d+)s;/)),
    stream: (text) => Number(found(text, /notifications\/stream \{[^}]*proxy_buffering off;[^}]*proxy_read_timeout (\d+)s;/)),
  },
  {
    name: 'haproxy',
    file: 'ops/haproxy/registry.cfg',
    adapt: (text, ports, folder) =>
      text
        .replace('bind :80', `bind 127.0.0.1:${ports.plain}`)
        .replace('bind :443', `bind 127.0.0.1:${ports.tls}`)
        .replace('/etc/haproxy/registry.pem', `${folder}/tls.pem`)
        .replace('/run/haproxy/registry.sock', `${folder}/haproxy.sock`)
        .replace('api-1:8080', `127.0.0.1:${ports.apis[0]} port ${ports.metrics[0]}`)
        .replace('api-2:8080', `127.0.0.1:${ports.apis[1]} port ${ports.metrics[1]}`),
    check: (config) => ['-c', '-f', config],
    run: (config) => ['-db', '-f', config],
    bodyLimit: (text) => Number(found(text, /content-length\) -m int gt (\d+)/)),
    keepAlive: (text) => Number(found(text, /timeout http-keep-alive (\d+)s/)),
    stream: (text) => Number(found(text, /timeout client (\d+)s/)),
  },
];

describe.each(proxies)('$file', ({ file, bodyLimit, keepAlive, stream }) => {
  const text = readFileSync(file, 'utf8');

  test('names two APIs, appends the client to X-Forwarded-For and has limits that fit the service', () => {
    expect(text.match(/\bserver (?:api-\d )?api-[12]:8080/g)).toHaveLength(2);
    expect(text).toMatch(/ssl_protocols TLSv1\.2 TLSv1\.3;|ssl-default-bind-options ssl-min-ver TLSv1\.2/);
    expect(text).toMatch(/X-Forwarded-For \$proxy_add_x_forwarded_for|option forwardfor/);
    // The API refuses a file above its own limit in its own words; fields and boundaries need room.
    expect(bodyLimit(text)).toBeGreaterThan(maxUploadBytes + 1024 * 1024);
    expect(bodyLimit(text)).toBeLessThan(maxUploadBytes + 4 * 1024 * 1024);
    const server = readFileSync('src/http/connections/bounded-server.ts', 'utf8');
    expect(keepAlive(text) * 1000).toBeLessThan(Number(found(server, /keepAliveTimeout: ([\d_]+)/).replaceAll('_', '')));
    // Comments of a stream come each 15 seconds.
    expect(stream(text)).toBeGreaterThan(15);
  });
});

describe.each(proxies)('$name before two APIs', ({ name, file, adapt, check, run }) => {
  const program = onSearchPath(name, `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`);
  if ('missing' in program) {
    test(`${name} IS NOT INSTALLED HERE: ${file} is only read`, () => expect(program.missing).toBe('not there'));
    return;
  }
  let folder: string;
  let ports: Ports;
  let started: Awaited<ReturnType<typeof startTestPlatform>>;
  let origin: string;
  let proxy: ChildProcess;
  const apis: ChildProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), `registry-${name}-`));
    execFileSync('sh', ['ops/compose/make-secrets.sh', folder]);
    // The programs give up their rights before they read and write here.
    execFileSync('chmod', ['755', folder]);
    const certificate = readFileSync(join(folder, 'tls_certificate'), 'utf8');
    writeFileSync(join(folder, 'tls.pem'), certificate + readFileSync(join(folder, 'tls_key'), 'utf8'));
    setDefaultCACertificates([...getCACertificates('default'), certificate]);
    const [tls = 0, plain = 0, first = 0, second = 0, ...metrics] = await freePorts(6);
    ports = { tls, plain, apis: [first, second], metrics };
    origin = `https://localhost:${tls}`;
    started = await startTestPlatform({ BASE_URL: origin, TRUST_PROXY: 'loopback' });
    apis.push(await startApi(0), await startApi(1));
    const config = join(folder, 'proxy.conf');
    writeFileSync(config, adapt(readFileSync(file, 'utf8'), ports, folder));
    execFileSync(program.path, check(config), { stdio: 'pipe' });
    const output = openSync(join(folder, 'output.log'), 'w');
    proxy = spawn(program.path, run(config), { stdio: ['ignore', output, output] });
    await waitFor(
      () => fetch(`${origin}/health/live`).then(({ status }) => status, String),
      (status) => status === 200,
      `${name} to answer`,
    );
  });
  afterAll(async () => {
    for (const child of [proxy, ...apis]) await end(child);
    await started.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An API in a process of its own, as the first or second behind the proxy. */
  async function startApi(index: number): Promise<ChildProcess> {
    const { config } = started.surroundings;
    const dataDir = join(config.DATA_DIR, `api-${index}`);
    mkdirSync(dataDir, { recursive: true });
    const variables = Object.entries(config).flatMap(([key, value]) =>
      value === undefined || Array.isArray(value) ? [] : [[key, String(value)] as const],
    );
    const own = {
      PORT: String(ports.apis[index]),
      METRICS_PORT: String(ports.metrics[index]),
      DATA_DIR: dataDir,
      SHUTDOWN_DELAY_SECONDS: '5',
    };
    const api = spawn(process.execPath, ['src/api.ts'], { stdio: 'inherit', env: { ...Object.fromEntries(variables), ...own } });
    await waitFor(
      () => fetch(`http://127.0.0.1:${ports.metrics[index]}/health/ready`).then(({ status }) => status, String),
      (status) => status === 200,
      'an API to be ready',
    );
    return api;
  }

  async function end(child: ChildProcess | undefined): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** Requests that an API has answered since its start. */
  async function answeredBy(index: number): Promise<number> {
    const metrics = await (await fetch(`http://127.0.0.1:${ports.metrics[index]}/metrics`)).text();
    return [...metrics.matchAll(/^registry_http_request_seconds_count\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async function signedIn(): Promise<TestClient> {
    const client = new TestClient(origin);
    await signUp(started.platform, started.surroundings.config, client, `${crypto.randomUUID()}@example.kz`, 'Person behind a proxy');
    return client;
  }

  test('a verification is answered over TLS, plain HTTP is redirected for pages and refused for programs, metrics are closed', async () => {
    const { token, number } = await certificateFixtures(started.platform)();
    const client = new TestClient(origin);
    expect(client.expect(200, await client.get(`/verify/${token}`)).body.data).toMatchObject({ valid: true, number });
    const redirect = await fetch(`http://127.0.0.1:${ports.plain}/v/${token}`, { redirect: 'manual' });
    expect([redirect.status, new URL(redirect.headers.get('location') ?? '').protocol]).toEqual([301, 'https:']);
    for (const path of ['/api/v1/catalog', '/status-lists', '/status-lists/1', '/.well-known/jwks.json'])
      expect([path, (await fetch(`http://127.0.0.1:${ports.plain}${path}`, { redirect: 'manual' })).status]).toEqual([path, 403]);
    expect((await client.get('/metrics')).status).toBe(404);
  });

  test('only ciphers with forward secrecy and authentication are accepted', async () => {
    const agreed = (options: ConnectionOptions) =>
      new Promise<string>((resolve) => {
        const socket = connectTls({ host: '127.0.0.1', port: ports.tls, rejectUnauthorized: false, ...options });
        socket.once('secureConnect', () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
          socket.destroy();
        });
        socket.once('error', ({ name }) => resolve(name));
      });
    expect(await agreed({})).toMatch(/^TLSv1\.3 /);
    expect(await agreed({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-.*(GCM|POLY1305)/);
    for (const ciphers of ['AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA'])
      expect([ciphers, await agreed({ maxVersion: 'TLSv1.2', ciphers })]).toEqual([ciphers, 'Error']);
  });

  test('the API sees the address that the proxy saw, not the one that the client names', async () => {
    const client = await signedIn();
    client.from = '203.0.113.9';
    client.expect(200, await client.patch('/account', { language: 'kk' }));
    await using record = openRecord(started.surroundings.database.ownerUrl);
    const rows = await record.selectFrom('audit_events').select('ip').where('actorId', '=', client.userId).execute();
    expect(new Set(rows.map(({ ip }) => ip))).toEqual(new Set(['127.0.0.1']));
  });

  test('a file of the allowed size passes; the API refuses a larger one, the proxy one that is larger still', async () => {
    const client = await signedIn();
    const scan = await makeScan('behind a proxy');
    // A PDF may end with bytes that are not its own.
    const padded = (bytes: number) => Buffer.concat([scan, Buffer.alloc(bytes - scan.length, '\n')]);
    client.expect(201, await client.upload(padded(maxUploadBytes), 'identity', 'scan.pdf'));
    const refused = await client.upload(padded(maxUploadBytes + 1024), 'identity', 'scan.pdf');
    expect([refused.status, refused.body?.error?.code]).toEqual([413, 'payload_too_large']);
    const outcome = await client.upload(padded(maxUploadBytes + 8 * 1024 * 1024), 'identity', 'scan.pdf').then(
      ({ status, body }) => [status, body],
      // A proxy may close before it has read the body.
      () => [413, undefined],
    );
    expect(outcome).toEqual([413, undefined]);
  });

  test('a live stream hands over each event at once', async () => {
    const client = await signedIn();
    const stream = await openStream(client);
    await tell(started.platform, client.userId, 1);
    await stream.has(1);
    expect(stream.isEnded).toBe(false);
    stream.drop();
  });

  test('no request fails while first one API and then the other is stopped and started', async () => {
    const client = await signedIn();
    const { token } = await certificateFixtures(started.platform)();
    const stream = await openStream(client);
    const failures: string[] = [];
    const over = new AbortController();
    let answered = 0;
    const load = async (send: () => Promise<{ status: number }>) => {
      while (!over.signal.aborted) {
        const outcome = await send().then(({ status }) => String(status), String);
        if (outcome !== '200') failures.push(outcome);
        answered += 1;
      }
    };
    const loads = [
      load(() => new TestClient(origin).get(`/verify/${token}`)),
      load(() => new TestClient(origin).get(`/verify/${token}`)),
      load(() => client.patch('/account', { language: 'kk' })),
    ];
    try {
      for (const index of [0, 1]) {
        await end(apis[index]);
        const before = answered;
        await waitFor(
          () => answered,
          (count) => count > before + 20,
          'answers of the other API',
        );
        apis[index] = await startApi(index);
        await waitFor(
          () => answeredBy(index),
          (count) => count > 10,
          'the proxy to use the new process',
        );
      }
    } finally {
      over.abort();
      await Promise.all(loads);
    }
    expect(failures).toEqual([]);
    // Whichever API had it: a browser opens it again.
    await stream.ended();
  });

  test('no token is written down: neither of an answered request, nor of one that no API takes', async () => {
    const send = (place: string, path: string) => fetch(`${place}${path}`, { redirect: 'manual' }).then(({ status }) => status);
    const token = `tk${crypto.randomUUID()}`;
    const pages = [
      `/reset?token=${token}`,
      `/confirm-email?token=${token}&lang=kk`,
      `/mail-preferences?token=${token}`,
      `/v/${token}`,
      `/a/${token}.`,
      `//v/${token}`,
      `/V/${token}?c=1`,
    ];
    const programs = [`/api/v1/verify/${token}`, `/api/v1/verify/${token}/documents`, `/api/v1/contracts/verify/${token}/pdf`];
    for (const path of pages) {
      expect(await send(origin, path)).toBeLessThan(500);
      expect(await send(`http://127.0.0.1:${ports.plain}`, path)).toBe(301);
    }
    for (const api of apis) await end(api);
    for (const path of [...pages, ...programs, '/api/v1/catalog'])
      expect([path, [502, 503].includes(await send(origin, path))]).toEqual([path, true]);
    const logs = ['access.log', 'error.log', 'output.log'].map((log) => join(folder, log)).filter((path) => existsSync(path));
    const written = logs.map((path) => readFileSync(path, 'utf8')).join('');
    expect(written.split('\n').filter((line) => line.includes(token))).toEqual([]);
    // Other failures are still seen.
    expect(written).toMatch(
      name === 'nginx' ? /(?:connect\(\) failed|no live upstreams) .* "GET \/api\/v1\/catalog / : /no server available/,
    );
  });
});
