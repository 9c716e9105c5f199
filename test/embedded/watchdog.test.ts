import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify, isAlive, type ProcessIdentity, waitUntilGone } from '../../src/tools/embedded/process-identity.ts';

const supervisor = fileURLToPath(new URL('./fixtures/supervisor.ts', import.meta.url));

describe('a supervisor killed with SIGKILL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-watchdog-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('leaves no orphan, neither Node children nor others, and the watchdog ends too', async () => {
    const parent = spawn(process.execPath, [supervisor, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise<string>((resolve) => parent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    const { pids, watchdog } = JSON.parse(line) as { pids: number[]; watchdog: number };
    const processes = [...pids, watchdog].map((pid) => identify(pid)).filter((entry): entry is ProcessIdentity => entry !== undefined);
    expect(processes).toHaveLength(4);
    expect(processes.every(isAlive)).toBe(true);

    parent.kill('SIGKILL');

    expect(await waitUntilGone(processes, 60_000)).toEqual([]);
  });
});
