import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { portVariables } from '../../src/tools/embedded/start-processes.ts';

const main = fileURLToPath(new URL('../../src/tools/embedded/main.ts', import.meta.url));

describe('npm start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-start-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  async function start(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
    const ports = await freePorts(portVariables.length);
    const own = Object.fromEntries(portVariables.map((name, index) => [name, String(ports[index])]));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
      env: { PATH: '/usr/bin:/bin', DATA_DIR: directory, ...own, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, stderr };
  }

  async function listen(): Promise<Server> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  it('refuses production and names the command to run instead', async () => {
    const { code, stderr } = await start({ NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^NODE_ENV is production: .* not for production\. Run `npm run registry -- migrate`, then `npm run start:api` and `npm run start:worker`/,
    );
    expect(stderr).toContain('DATABASE_URL is missing');
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it('names every variable it cannot use', async () => {
    const { code, stderr } = await start({ TEMPORAL_PORT: 'many', SANDBOX: 'perhaps' });
    expect(code).toBe(1);
    expect(stderr).toContain('TEMPORAL_PORT');
    expect(stderr).toContain('SANDBOX');
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it('names all ports in use, that of the messenger simulator too, and one line that sets free ones', async () => {
    const servers = await Promise.all([listen(), listen()]);
    const [ui, bot] = servers.map((server) => (server.address() as AddressInfo).port);
    const { code, stderr } = await start({ BOT_TOKEN: '1:a', TEMPORAL_UI_PORT: String(ui), BOT_SIMULATOR_PORT: String(bot) });
    for (const server of servers) server.close();
    expect(code).toBe(1);
    const [first, second, advice] = stderr.split('\n');
    expect(first).toBe(`port ${ui} (Temporal UI) is used by another program`);
    expect(second).toBe(`port ${bot} (messenger simulator) is used by another program`);
    expect(advice).toMatch(
      /^Set other ports: TEMPORAL_UI_PORT=\d+ BOT_SIMULATOR_PORT=\d+ npm start \(or PORT_BASE=18000 for all of them\)$/,
    );
  });

  it('counts all ports that are not set from PORT_BASE', async () => {
    const server = await listen();
    const { port } = server.address() as AddressInfo;
    const unset = Object.fromEntries(portVariables.map((name) => [name, '']));
    const { stderr } = await start({ ...unset, PORT_BASE: String(port - 1) });
    server.close();
    expect(stderr).toContain(`port ${port} (PostgreSQL) is used by another program`);
  });

  it('refuses half of a bot', async () => {
    const { code, stderr } = await start({ BOT_API_URL: 'http://127.0.0.1:1', BOT_WEBHOOK_SECRET: 'a-secret-that-is-long' });
    expect(code).toBe(1);
    expect(stderr).toContain('BOT_TOKEN is missing: BOT_API_URL is set');
    const other = await start({ BOT_TOKEN: '1:a', BOT_API_URL: 'http://127.0.0.1:1' });
    expect(other.stderr).toContain('BOT_USERNAME is missing: BOT_TOKEN is set');
    expect(other.stderr).toContain('BOT_WEBHOOK_SECRET is missing: BOT_TOKEN is set');
  });

  it('reports an unusable DATA_DIR in one line', async () => {
    const file = join(directory, 'a-file');
    writeFileSync(file, '');
    const { code, stderr } = await start({ DATA_DIR: file });
    expect(code).toBe(1);
    expect(stderr).toBe(`DATA_DIR ${file} cannot be used: it is a file; set DATA_DIR to a folder of yours\n`);
  });

  it('reports an unusable Temporal in one line', async () => {
    const { code, stderr } = await start({ TEMPORAL_CLI_PATH: '/nowhere/temporal' });
    expect(code).toBe(1);
    expect(stderr).toBe('TEMPORAL_CLI_PATH is /nowhere/temporal, which cannot be used: the program does not exist or is not executable\n');
  });
});
