import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as sendTo, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { createS3Storage } from '../../src/platform/storage/s3-storage.ts';
import { promisify } from 'node:util';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { nodeFlags } from '../../src/tools/embedded/scripts.ts';
import { type FaultStack, startFaultStack } from '../faults/fault-stack.ts';
import { startMailServer } from '../support/outside-servers/mail-server.ts';
import { startS3Server } from '../support/outside-servers/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Network, type Program, type Server as ServerHost, servers, startNetwork } from './links.ts';
import { writeRelease } from './releases.ts';

const storageKeys = { bucket: 'registry', accessKeyId: 'registry', secretAccessKey: 'Wk3-9vTq_7bXz2LmRcY8pDh4NsFe6GaU' };
const nginx = '/usr/sbin/nginx';
const loopback = '127.0.0.1';
/** Queues of the two workers, as docs/production.md advises. */
const queues = ['registry,documents,competitions', 'certificates,exports,bank,webhooks,maintenance'];

/** One process of the installation. */
export interface Part {
  start(): Promise<void>;
  /** SIGTERM, and waits for its orderly end. @returns its exit code; null if it did not run or was killed */
  stop(): Promise<number | null>;
  kill(): Promise<number | null>;
}

/**
 * The registry as an operator installs it, on one machine: two APIs behind a proxy with TLS, two workers with different queues, PostgreSQL
 * with two roles, Temporal with mutual TLS, S3, a mail server with TLS. All are real processes in production mode. Where network namespaces
 * can be made, each API and worker is a host of its own, and each server has an address of its own.
 */
export interface Installation {
  /** Address of the proxy. */
  baseUrl: string;
  /** The program that stands before the APIs. */
  proxyName: string;
  faultStack: FaultStack;
  /** Null where network namespaces cannot be made: the parts then use the loopback address. */
  network: Network | null;
  apis: readonly Part[];
  workers: readonly Part[];
  /** The workers of a release, one for each set of queues; not started. Without a folder, those of this release. */
  workersOf(own: Record<string, string>, release?: string): Part[];
  /** What a further program of the installation is started with. */
  env: Record<string, string>;
  /** Addresses of mails that were delivered. */
  mailReceivers: readonly string[];
  /** Adds an object to the storage. */
  store(key: string, content: string): Promise<void>;
  /** Stores the files that fixtures wrote to the disk in S3. */
  moveFiles(): Promise<void>;
  /** Runs one of the release's programs to its end. @returns its output */
  run(program: string, args?: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const faultStack = await startFaultStack();
  const running: (() => Promise<unknown>)[] = [() => faultStack.stop()];
  const stop = async () => {
    for (const end of running.toReversed()) await end();
  };
  try {
    const { stack } = faultStack;
    // Its servers stay; the service itself is installed beside them.
    await stack.processes.api.stop();
    await stack.processes.worker.stop();
    const network = await startNetwork();
    if (network !== null) running.push(network.close);
    const addressOf = (host: ServerHost | Program) => network?.addressOf(host) ?? loopback;
    const folder = join(stack.dataDir, 'installation');
    const release = join(folder, 'release');
    installRelease(release, writeRelease);
    const tls = makeCertificates(join(folder, 'tls'), new Set([loopback, ...servers.map(addressOf)]));
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(tls.ca, 'utf8')]);

    const s3 = await startS3Server({ directory: join(folder, 's3'), ...storageKeys });
    running.push(() => s3.close());
    const mail = await startMailServer();
    running.push(() => mail.close());
    const identity: TlsOptions = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    const s3Tls = await relay(addressOf('storage'), Number(new URL(s3.endpoint).port), identity);
    running.push(s3Tls.close);
    const s3Endpoint = `https://${addressOf('storage')}:${s3Tls.port}`;
    const mailTls = await relay(addressOf('mail'), Number(new URL(mail.url).port), identity);
    running.push(mailTls.close);
    const mutual = { ...identity, ca: readFileSync(tls.ca), requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
    const temporalTls = await relay(addressOf('temporal'), stack.config.TEMPORAL_PORT, mutual);
    running.push(temporalTls.close);
    const [proxyPort = 0, secondPort = 0, metricsPort = 0] = await freePorts(3);
    // The bank calls back at the port of the stack's own API.
    const apiPorts = [stack.config.PORT, secondPort];
    const apiHosts = ['api-1', 'api-2'] as const;
    const remote: Record<string, string> = {};
    if (network !== null) {
      // PostgreSQL and the bank listen on the loopback address of this process's namespace.
      const postgres = await relay(addressOf('postgres'), stack.config.POSTGRES_PORT);
      const bank = await relay(addressOf('bank'), stack.config.BANK_SIMULATOR_PORT, identity);
      const callbacks = await relay(loopback, stack.config.PORT, null, { host: addressOf('api-1'), ownPort: stack.config.PORT });
      running.push(postgres.close, bank.close, callbacks.close);
      // The scheme is not a standard one, so that URL cannot change the host.
      remote['DATABASE_URL'] = stack.databaseUrl.replace(/127\.0\.0\.1:\d+/, `${addressOf('postgres')}:${postgres.port}`);
      remote['BANK_URL'] = `https://${addressOf('bank')}:${bank.port}`;
      remote['HOST'] = '0.0.0.0';
    }
    const { SANDBOX: _sandbox, CAPTCHA_FIXED_ANSWER: _answer, ...given } = stack.env;
    const env: Record<string, string> = {
      ...given,
      ...remote,
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: tls.ca,
      BASE_URL: `https://localhost:${proxyPort}`,
      TRUST_PROXY: 'loopback',
      TEMPORAL_ADDRESS: `${addressOf('temporal')}:${temporalTls.port}`,
      TEMPORAL_TLS_CA: tls.ca,
      TEMPORAL_TLS_CERT: tls.cert,
      TEMPORAL_TLS_KEY: tls.key,
      TEMPORAL_TLS_SERVER_NAME: 'localhost',
      STORAGE: 's3',
      S3_ENDPOINT: s3Endpoint,
      S3_BUCKET: storageKeys.bucket,
      S3_ACCESS_KEY_ID: storageKeys.accessKeyId,
      S3_SECRET_ACCESS_KEY: storageKeys.secretAccessKey,
      SMTP_URL: `smtps://${addressOf('mail')}:${mailTls.port}`,
      MAIL_FROM: 'Registry <registry@federation.example>',
      SHUTDOWN_DELAY_SECONDS: '2',
      METRICS_PORT: String(metricsPort),
      RATE_LIMIT_UPLOADS_PER_HOUR: '100000',
      QUOTA_FILES: '100000',
    };
    const part = (host: Program, cwd: string, program: string, own: Record<string, string>): Part => {
      const runOn = network === null ? null : (command: string, args: string[]) => network.runOn(host, command, args);
      const started = partOf(runOn, cwd, program, { ...env, ...own });
      running.push(() => started.stop());
      return started;
    };
    const workersOf = (own: Record<string, string>, cwd = release) =>
      (['worker-1', 'worker-2'] as const).map((host, index) =>
        part(host, cwd, 'worker/main.ts', { ...own, WORKER_QUEUES: queues[index] ?? '' }),
      );
    const apis = apiHosts.map((host, index) => part(host, release, 'src/api.ts', { PORT: String(apiPorts[index]) }));
    const workers = workersOf({});
    await Promise.all([...apis, ...workers].map((each) => each.start()));
    const upstreams = apiHosts.map((host, index) => ({ host: addressOf(host), port: apiPorts[index] ?? 0 }));
    const proxy = await startProxy(join(folder, 'proxy'), proxyPort, upstreams, tls);
    running.push(proxy.stop);
    const storage = createS3Storage({ ...storageKeys, endpoint: s3Endpoint, region: 'us-east-1', forcePathStyle: true });
    return {
      baseUrl: env['BASE_URL'] ?? '',
      proxyName: proxy.name,
      faultStack,
      network,
      apis,
      workers,
      workersOf,
      env,
      mailReceivers: mail.receivers,
      store: (key, content) =>
        storage.put(key, Buffer.from(content), { contentType: 'application/octet-stream', size: Buffer.byteLength(content) }),
      async moveFiles() {
        const root = join(stack.dataDir, 'files');
        for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
          if (!entry.isFile()) continue;
          const content = readFileSync(join(entry.parentPath, entry.name));
          const key = relative(root, join(entry.parentPath, entry.name));
          await storage.put(key, content, { contentType: 'application/octet-stream', size: content.length });
        }
      },
      async run(program, args = []) {
        // The exit code says less than the output.
        const ended = await promisify(execFile)(process.execPath, [...nodeFlags, program, ...args], { cwd: release, env }).catch(
          (failure: { stdout: string; stderr: string }) => failure,
        );
        return ended.stdout + ended.stderr;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes a release into a folder and builds the bundle of its workflows. */
export function installRelease(folder: string, write: (folder: string) => void): void {
  write(folder);
  execFileSync(process.execPath, [...nodeFlags, 'worker/bundle.ts'], { cwd: folder, stdio: 'ignore' });
}

/** An authority, and a certificate that serves both sides. @param addresses that clients check instead of a name */
function makeCertificates(folder: string, addresses: ReadonlySet<string>) {
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl('req', ...key, '-subj', '/CN=localhost', '-keyout', 'host.key', '-out', 'host.csr');
  const names = [...addresses].map((address) => `IP:${address}`).join();
  writeFileSync(path('host.ext'), `subjectAltName=DNS:localhost,${names}\nbasicConstraints=CA:FALSE\n`);
  const ca = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', 'host.csr', ...ca, '-days', '2', '-extfile', 'host.ext', '-out', 'host.crt');
  return { ca: path('ca.crt'), cert: path('host.crt'), key: path('host.key') };
}

/**
 * Puts a server of the loopback address on another address.
 * @param tls before a server that has none
 * @param target where the server is, and the port to listen on; any by default
 */
async function relay(address: string, toPort: number, tls: TlsOptions | null = null, target = { host: loopback, ownPort: 0 }) {
  const sockets = new Set<Socket>();
  const connectThrough = (incoming: Socket) => {
    const outgoing = connect(toPort, target.host);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => (sockets.delete(from), to.destroy()));
    }
  };
  const server: Server = tls === null ? createTcpServer(connectThrough) : createTlsServer(tls, connectThrough);
  // A client without a certificate.
  server.on('tlsClientError', () => undefined);
  server.listen(target.ownPort, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param runOn wraps a command so that it runs on its host; null on this one */
function partOf(
  runOn: ((command: string, args: string[]) => [string, string[]]) | null,
  cwd: string,
  program: string,
  env: Record<string, string>,
): Part {
  let child: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = once(child, 'exit');
    child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  };
  return {
    async start() {
      const [port = 0] = await freePorts(1);
      const line: [string, string[]] = [process.execPath, [...nodeFlags, join(cwd, program)]];
      const [command, args] = runOn?.(...line) ?? line;
      const options = { cwd, env: { ...env, METRICS_PORT: String(port) } };
      const started = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      child = started;
      await Promise.race([
        once(started, 'message'),
        once(started, 'exit').then(([code]) => Promise.reject(new Error(`${program} ended with ${String(code)}`))),
      ]);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

interface Upstream {
  host: string;
  port: number;
}
const placeOf = (upstream: Upstream | undefined) => `${upstream?.host}:${upstream?.port}`;

/** nginx with the file of `ops/`; where it is not installed, a small proxy of this process. */
async function startProxy(folder: string, port: number, upstreams: readonly Upstream[], tls: ReturnType<typeof makeCertificates>) {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(nginx)) return startOwnProxy(port, upstreams, tls);
  const text = readFileSync('ops/nginx/registry.conf', 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${(await freePorts(1))[0]};`)
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('/etc/nginx/tls/registry.crt', tls.cert)
    .replace('/etc/nginx/tls/registry.key', tls.key)
    .replace('api-1:8080', placeOf(upstreams[0]))
    .replace('api-2:8080', placeOf(upstreams[1]));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const config = `daemon off; user root; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { ${temporary} ${text} }`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn(nginx, ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  await waitFor(
    () => fetch(`https://localhost:${port}/health/live`).then(({ status }) => status, String),
    (status) => status === 200,
    'nginx to answer',
  );
  return {
    name: 'nginx',
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Takes the APIs in turn, as nginx does with the file of `ops/`: each request has a connection of its own, so none is sent on one that an
 * API closes at that moment, and a refused connection goes to the other API.
 */
async function startOwnProxy(port: number, upstreams: readonly Upstream[], tls: ReturnType<typeof makeCertificates>) {
  let turn = 0;
  const reach = (left: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const { host, port: apiPort } = upstreams[turn++ % upstreams.length] ?? { host: loopback, port: 0 };
      const socket = connect(apiPort, host);
      socket.once('connect', () => resolve(socket)).once('error', (error) => (left > 0 ? resolve(reach(left - 1)) : reject(error)));
    });
  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    const socket = await reach(1);
    const { method, url: path, headers } = incoming;
    const from = [headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ');
    const sent = { ...headers, connection: 'close', 'x-forwarded-for': from };
    const outgoing = sendTo({ createConnection: () => socket, method, path, headers: sent });
    outgoing.on('error', () => response.destroy());
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { connection: _connection, ...answered } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answered);
    await pipeline(answer, response);
  };
  const identity = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  // An answer that breaks off upstream breaks off here.
  const server = createHttpsServer(identity, (incoming, response) => void pass(incoming, response).catch(() => response.destroy()));
  server.listen(port, loopback);
  await once(server, 'listening');
  return {
    name: 'a proxy of the test, because nginx is not installed here',
    async stop() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
