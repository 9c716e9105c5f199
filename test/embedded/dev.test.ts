import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { portVariables } from '../../src/tools/embedded/start-processes.ts';
import { findTemporal } from '../support/global/shared-servers.ts';
import { waitFor } from '../support/wait-for.ts';

const main = join(projectDirectory, 'src', 'tools', 'embedded', 'main.ts');

test('npm run dev restarts API and worker when their source changes, keeps the data, and saves its variables for scripts', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'registry-dev-'));
  chmodSync(dataDir, 0o711);
  const ports = await freePorts(portVariables.length);
  const supervisor = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, '--dev'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: dataDir,
      DATA_DIR: dataDir,
      TEMPORAL_CLI_PATH: await findTemporal(),
      ...Object.fromEntries(portVariables.map((name, index) => [name, String(ports[index])])),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => supervisor.once('exit', done));
  let said = '';
  supervisor.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const hasSaid = (pattern: RegExp) =>
    waitFor(
      () => said,
      (text) => pattern.test(text),
      String(pattern),
    );
  const environmentFile = join(dataDir, 'stack.env');
  try {
    await hasSaid(/^Watching src/m);
    const { BASE_URL: baseUrl = '', ...variables } = parseEnv(readFileSync(environmentFile, 'utf8'));
    // The second time too: the password is that of an account which an interrupted start may have made.
    for (const shown of [said, await status(dataDir)]) {
      expect(shown).toMatch(/Administrator +admin@localhost +password \S{20} /);
      expect(shown).toContain(`http://localhost:${variables['MAIL_UI_PORT']}`);
      expect(shown).toMatch(/Database +postgresql:\/\/postgres:\*\*\*@/);
    }
    expect((await fetch(`http://localhost:${variables['MAIL_UI_PORT']}`)).status).toBe(200);
    expect(await (await fetch(`http://localhost:${variables['WORKER_METRICS_PORT']}/metrics`)).text()).toContain('registry_');
    const catalog = async () => (await fetch(`${baseUrl}/api/v1/catalog`)).text();
    const before = dataOf(await catalog());

    // The files keep their content: a new modification time is a change.
    utimesSync(join(projectDirectory, 'src', 'api.ts'), new Date(), new Date());
    await hasSaid(/^Serving again: API and worker/m);
    expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
    expect(dataOf(await catalog())).toEqual(before);
  } finally {
    supervisor.kill('SIGINT');
    await ended;
    expect(existsSync(environmentFile)).toBe(false);
    await expect(status(dataDir)).rejects.toThrow('No registry answers');
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** @returns what `npm run status` prints */
async function status(dataDir: string): Promise<string> {
  const script = join(projectDirectory, 'src', 'tools', 'embedded', 'status.ts');
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir };
  return (await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script], { env })).stdout;
}

function dataOf(answer: string): unknown {
  return (JSON.parse(answer) as { data: unknown }).data;
}
