import { execFile, execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { createS3Storage } from '../../src/platform/storage/s3-storage.ts';
import { promisify } from 'node:util';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { nodeFlags } from '../../src/tools/embedded/scripts.ts';
import { type FaultStack, startFaultStack } from '../faults/fault-stack.ts';
import { startMailServer } from '../support/outside-servers/mail-server.ts';
import { startS3Server } from '../support/outside-servers/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { writeRelease } from './releases.ts';

const storageKeys = { bucket: 'registry', accessKeyId: 'registry', secretAccessKey: 'Wk3-9vTq_7bXz2LmRcY8pDh4NsFe6GaU' };
const nginx = '/usr/sbin/nginx';

/** One process of the installation. */
export interface Part {
  start(): Promise<void>;
  /** SIGTERM, and waits for its orderly end. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/**
 * The registry as an operator installs it, on one machine: two APIs behind a proxy with TLS, two workers with different queues, PostgreSQL
 * with two roles, Temporal with mutual TLS, S3, a mail server with TLS. All are real processes in production mode.
 */
export interface Installation {
  /** Address of the proxy. */
  baseUrl: string;
  /** The program that stands before the APIs. */
  proxyName: string;
  faultStack: FaultStack;
  apis: readonly Part[];
  workers: readonly Part[];
  /** Not started; each can take over from the worker with its queues. */
  spareWorkers: readonly Part[];
  /** What a further program of the installation is started with. */
  env: Record<string, string>;
  /** Addresses of mails that were delivered. */
  mailReceivers: readonly string[];
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
    const folder = join(stack.dataDir, 'installation');
    const release = join(folder, 'release');
    writeRelease(release);
    const tls = makeCertificates(join(folder, 'tls'));
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(tls.ca, 'utf8')]);
    execFileSync(process.execPath, [...nodeFlags, 'worker/bundle.ts'], { cwd: release, stdio: 'ignore' });

    const s3 = await startS3Server({ directory: join(folder, 's3'), ...storageKeys });
    running.push(() => s3.close());
    const mail = await startMailServer();
    running.push(() => mail.close());
    const identity: TlsOptions = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    const mailTls = await terminateTls(identity, Number(new URL(mail.url).port));
    running.push(mailTls.close);
    const mutual = { ...identity, ca: readFileSync(tls.ca), requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
    const temporalTls = await terminateTls(mutual, stack.config.TEMPORAL_PORT);
    running.push(temporalTls.close);
    const [proxyPort = 0, secondPort = 0, ...metricsPorts] = await freePorts(9);
    // The bank calls back at the port of the stack's own API.
    const apiPorts = [stack.config.PORT, secondPort];
    const { SANDBOX: _sandbox, CAPTCHA_FIXED_ANSWER: _answer, ...given } = stack.env;
    const env: Record<string, string> = {
      ...given,
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: tls.ca,
      BASE_URL: `https://localhost:${proxyPort}`,
      TRUST_PROXY_HOPS: '1',
      TEMPORAL_ADDRESS: `localhost:${temporalTls.port}`,
      TEMPORAL_TLS_CA: tls.ca,
      TEMPORAL_TLS_CERT: tls.cert,
      TEMPORAL_TLS_KEY: tls.key,
      STORAGE: 's3',
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: storageKeys.bucket,
      S3_ACCESS_KEY_ID: storageKeys.accessKeyId,
      S3_SECRET_ACCESS_KEY: storageKeys.secretAccessKey,
      SMTP_URL: `smtps://localhost:${mailTls.port}`,
      MAIL_FROM: 'Registry <registry@federation.example>',
      SHUTDOWN_DELAY_SECONDS: '2',
      METRICS_PORT: String(metricsPorts.pop()),
    };
    const part = (program: string, own: Record<string, string>): Part => {
      const started = partOf(release, program, { ...env, ...own, METRICS_PORT: String(metricsPorts.pop()) });
      running.push(() => started.stop());
      return started;
    };
    const apis = apiPorts.map((port) => part('src/api.ts', { PORT: String(port) }));
    const queues = ['registry,documents,competitions', 'certificates,exports,bank,maintenance'];
    const workers = queues.map((names) => part('worker/main.ts', { WORKER_QUEUES: names }));
    const spareWorkers = queues.map((names) => part('worker/main.ts', { WORKER_QUEUES: names }));
    await Promise.all([...apis, ...workers].map((each) => each.start()));
    const proxy = await startProxy(join(folder, 'proxy'), proxyPort, apiPorts, tls);
    running.push(proxy.stop);
    const storage = createS3Storage({ ...storageKeys, endpoint: s3.endpoint, region: 'us-east-1', forcePathStyle: true });
    return {
      baseUrl: env['BASE_URL'] ?? '',
      proxyName: proxy.name,
      faultStack,
      apis,
      workers,
      spareWorkers,
      env,
      mailReceivers: mail.receivers,
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

/** An authority, and a certificate of this machine that serves both sides. */
function makeCertificates(folder: string) {
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl('req', ...key, '-subj', '/CN=localhost', '-keyout', 'host.key', '-out', 'host.csr');
  writeFileSync(path('host.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n');
  const ca = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', 'host.csr', ...ca, '-days', '2', '-extfile', 'host.ext', '-out', 'host.crt');
  return { ca: path('ca.crt'), cert: path('host.crt'), key: path('host.key') };
}

/** TLS before a server that has none. */
async function terminateTls(options: TlsOptions, port: number, ownPort = 0): Promise<{ port: number; close: () => Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server: Server = createTlsServer(options, (incoming) => {
    const outgoing = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => (sockets.delete(from), to.destroy()));
    }
  });
  // A client without a certificate.
  server.on('tlsClientError', () => undefined);
  server.listen(ownPort, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function partOf(cwd: string, program: string, env: Record<string, string>): Part {
  let child: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return {
    async start() {
      const started = fork(join(cwd, program), { cwd, env, execArgv: nodeFlags, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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

/** nginx with the file of `ops/`; where it is not installed, a small proxy of this process. */
async function startProxy(folder: string, port: number, apiPorts: readonly number[], tls: ReturnType<typeof makeCertificates>) {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(nginx)) return startOwnProxy(port, apiPorts, tls);
  const text = readFileSync('ops/nginx/registry.conf', 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${(await freePorts(1))[0]};`)
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('/etc/nginx/tls/registry.crt', tls.cert)
    .replace('/etc/nginx/tls/registry.key', tls.key)
    .replace('api-1:8080', `127.0.0.1:${apiPorts[0]}`)
    .replace('api-2:8080', `127.0.0.1:${apiPorts[1]}`);
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

/** Takes the APIs in turn; a refused connection goes to the other one. It adds no header: the APIs see this process as the client. */
async function startOwnProxy(port: number, apiPorts: readonly number[], tls: ReturnType<typeof makeCertificates>) {
  let turn = 0;
  const reach = (left: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(apiPorts[turn++ % apiPorts.length] ?? 0, '127.0.0.1');
      socket.once('connect', () => resolve(socket)).once('error', (error) => (left > 0 ? resolve(reach(left - 1)) : reject(error)));
    });
  const relay = createTcpServer((incoming) => {
    reach(1).then(
      (outgoing) => {
        incoming.pipe(outgoing).pipe(incoming);
        outgoing.on('error', () => incoming.destroy());
        incoming.on('error', () => outgoing.destroy());
      },
      () => incoming.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const front = await terminateTls(
    { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
    (relay.address() as AddressInfo).port,
    port,
  );
  return {
    name: 'a proxy of the test, because nginx is not installed here',
    stop: async () => {
      await front.close();
      relay.close();
    },
  };
}
