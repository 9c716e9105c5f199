import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory } from '../../src/tools/embedded/lock.ts';
import { identify, isAlive } from '../../src/tools/embedded/process-identity.ts';
import { silentProgress } from '../../src/tools/embedded/progress.ts';

describe('the lock of a data directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-lock-'));
  const lockPath = join(directory, 'supervisor.lock');
  const take = () => lockDataDirectory(directory, 'http://localhost:8080', silentProgress);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('refuses a second supervisor and says who holds it', async () => {
    const release = await take();
    await expect(take()).rejects.toThrow(
      new RegExp(`^already running with DATA_DIR ${directory}: process ${process.pid}, since .*, http://localhost:8080; stop it`),
    );
    release();
    expect(existsSync(lockPath)).toBe(false);
  });

  it('is taken over from a dead supervisor, even if another process has its PID', async () => {
    writeFileSync(lockPath, JSON.stringify({ pid: process.pid, startedAt: 'long ago', since: 'then', address: 'there' }));
    const release = await take();
    expect(JSON.parse(readFileSync(lockPath, 'utf8'))).toMatchObject({ pid: process.pid });
    release();
  });

  it('is taken over after a crash that truncated the file', async () => {
    writeFileSync(lockPath, '{"pid":');
    const release = await take();
    expect(JSON.parse(readFileSync(lockPath, 'utf8'))).toMatchObject({ pid: process.pid });
    release();
  });

  it('waits for the processes of a killed supervisor', async () => {
    const left = spawn('sleep', ['0.3'], { stdio: 'ignore' });
    const identity = identify(left.pid ?? 0);
    writeFileSync(join(directory, 'processes.json'), JSON.stringify([{ ...identity, name: 'left', stopSignal: 'SIGTERM' }]));
    const release = await take();
    expect(identity && isAlive(identity)).toBe(false);
    release();
  });
});
