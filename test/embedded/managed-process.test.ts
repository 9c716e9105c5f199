import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LogFile } from '../../src/tools/embedded/log-file.ts';
import { ManagedProcess } from '../../src/tools/embedded/managed-process.ts';
import { identify, waitUntilGone } from '../../src/tools/embedded/process-identity.ts';

const server = fileURLToPath(new URL('./fixtures/server.ts', import.meta.url));

describe('a managed process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-managed-'));
  const said: string[] = [];
  const running = new Set<number>();
  const children = { add: (_name: string, pid: number) => void running.add(pid), remove: (pid: number) => void running.delete(pid) };
  const made: ManagedProcess[] = [];

  function managed(how: string, changes: { readyDeadlineMs?: number; stopDeadlineMs?: number; command?: string } = {}): ManagedProcess {
    const one = new ManagedProcess(
      {
        name: 'server',
        command: process.execPath,
        args: [server, how],
        env: {},
        cwd: directory,
        log: new LogFile(join(directory, `${how}.log`)),
        stopSignal: 'SIGTERM',
        stopDeadlineMs: 10_000,
        ready: 'message',
        readyDeadlineMs: 20_000,
        ...changes,
      },
      children,
      { say: (line) => void said.push(line), tick: () => undefined },
    );
    made.push(one);
    return one;
  }

  afterEach(async () => {
    await Promise.all(made.splice(0).map((one) => one.stop()));
    expect(running.size).toBe(0);
    said.length = 0;
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('shows warnings in the terminal, restarts after a crash and keeps its log', async () => {
    const one = managed('good');
    await one.start();
    expect(said).toContain('server: WARN a warning');
    const first = one.pid;
    await one.kill('SIGKILL');
    await one.whenReady();
    expect(one.pid).not.toBe(first);
    expect(one.restarts).toBe(1);
    expect(said).toContain('server: ended (SIGKILL); starting it again in 0.2 s');
    expect(readFileSync(join(directory, 'good.log'), 'utf8').match(/a warning/g)).toHaveLength(2);
  });

  it('reports in one line why the first start failed, without a restart', async () => {
    const one = managed('fail');
    await expect(one.start()).rejects.toThrow(/^the server did not start: cannot go on: no database \(log: .*fail\.log\)$/);
    expect(one.state).toBe('stopped');
    expect(one.restarts).toBe(0);
  });

  it('reports a missing program', async () => {
    await expect(managed('good', { command: join(directory, 'nothing-here') }).start()).rejects.toThrow(
      /^the server cannot be started: .*ENOENT/,
    );
  });

  it('is killed after the stop timeout', async () => {
    const one = managed('deaf', { stopDeadlineMs: 200 });
    await one.start();
    const deaf = identify(one.pid ?? 0);
    await one.stop();
    expect(said).toContain('server: does not stop, killed');
    expect(deaf && (await waitUntilGone([deaf], 0))).toEqual([]);
  });

  it('stays stopped after a stop during the wait for a restart', async () => {
    const one = managed('good');
    await one.start();
    await one.kill('SIGKILL');
    await one.stop();
    expect(one.state).toBe('stopped');
    expect(one.pid).toBeUndefined();
  });
});
