import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProcessIdentity, waitUntilGone } from '../../src/tools/embedded/process-identity.ts';
import { waitFor } from '../support/wait-for.ts';

const jest = join('node_modules', 'jest', 'bin', 'jest.js');

/** Runs Jest with the project's configuration, as `npm test` does. */
describe('a run of the tests', () => {
  // Temporary files included, to see what stays.
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'registry-run-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const note = () => join(directory, 'note');
  const noted = () => JSON.parse(readFileSync(note(), 'utf8')) as ProcessIdentity[];
  const foldersOfRuns = () => readdirSync(directory).filter((name) => name.startsWith('registry-test-'));

  function start(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [jest, '--ci', ...args], {
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: directory, BAIL_NOTE: note(), ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, stderr })),
    );
    return { child, ended };
  }

  it('leaves nothing behind after --bail', async () => {
    const { code, stderr } = await start(['--bail', '--testMatch', '**/test/embedded/fixtures/bail/*.ts']).ended;
    expect(stderr).toContain('this test fails on purpose');
    expect(code).toBe(1);
    expect(noted()).toHaveLength(2);
    expect(await waitUntilGone(noted(), 60_000)).toEqual([]);
    expect(foldersOfRuns()).toEqual([]);
  });

  it('leaves nothing behind when it is killed', async () => {
    const { child, ended } = start(['--testMatch', '**/test/embedded/fixtures/bail/serves.ts']);
    await waitFor(
      () => Promise.resolve(existsSync(note())),
      (isThere) => isThere,
      'the test to run',
    );
    expect(foldersOfRuns()).toHaveLength(1);
    child.kill('SIGKILL');
    await ended;
    expect(await waitUntilGone(noted(), 60_000)).toEqual([]);
    await waitFor(
      () => Promise.resolve(foldersOfRuns()),
      (left) => left.length === 0,
      'its folder to be removed',
    );
  });

  it('of a pure rule starts no server: it passes without Temporal', async () => {
    const { code, stderr } = await start(['test/areas/catalog/price.rules.test.ts'], { TEMPORAL_CLI_PATH: '/nowhere/temporal' }).ended;
    expect(stderr).toMatch(/^Tests: .* passed/m);
    expect(code).toBe(0);
    expect(foldersOfRuns()).toEqual([]);
  });
});
