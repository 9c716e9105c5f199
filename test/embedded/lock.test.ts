import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory } from '../../src/tools/embedded/lock.ts';
import { identify, isAlive } from '../../src/tools/embedded/process-identity.ts';
import { silentProgress } from '../../src/tools/embedded/progress.ts';

describe('the lock of a data directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-lock-'));
  const take = () => lockDataDirectory(directory, 'http://localhost:8080', silentProgress);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('refuses a second supervisor and says who holds it', async () => {
    const release = await take();
    await expect(take()).rejects.toThrow(
      new RegExp(`^already running with DATA_DIR ${directory}: process ${process.pid}, since .*, http://localhost:8080; stop it`),
    );
    release();
    (await take())();
  });

  it('is taken over from a killed supervisor', async () => {
    const program = `
      import { lockDataDirectory } from './src/tools/embedded/lock.ts';
      await lockDataDirectory(${JSON.stringify(directory)}, 'there', { say() {} });
      process.stdout.write('locked');
      setInterval(() => undefined, 1000);`;
    const holder = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]);
    await once(holder.stdout, 'data');
    await expect(take()).rejects.toThrow(`process ${holder.pid}, since`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    (await take())();
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
