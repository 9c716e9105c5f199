import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from '../../src/tools/embedded/errors.ts';
import { LogFile } from '../../src/tools/embedded/log-file.ts';
import { ManagedProcess } from '../../src/tools/embedded/managed-process.ts';
import { processesThatLoad, type Reloadable, reloadOnChange } from '../../src/tools/embedded/reload.ts';
import { explainSource } from '../../src/tools/embedded/start-processes.ts';
import { waitFor } from '../support/wait-for.ts';

const folders = [
  'src/area',
  'src/tools/embedded',
  'src/tools/simulators/bank',
  'src/platform/database/migrations',
  'workflows',
  'activities',
  'worker',
];

describe('restarts after a change', () => {
  let project: string;
  let reloading: { close: () => void } | undefined;
  const said: string[] = [];
  const done: string[] = [];
  const progress = { say: (line: string) => void said.push(line), tick: () => undefined };
  const change = (path: string, text = `${Math.random()}`) => writeFileSync(join(project, path), text);
  const hasSaid = (line: string | RegExp) =>
    waitFor(
      () => [...said],
      (lines) => lines.some((one) => (typeof line === 'string' ? one.includes(line) : line.test(one))),
      String(line),
    );

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'registry-reload-'));
    for (const folder of folders) mkdirSync(join(project, folder), { recursive: true });
    said.length = 0;
    done.length = 0;
  });
  afterEach(() => {
    reloading?.close();
    rmSync(project, { recursive: true, force: true });
  });

  async function reload(restart: (name: Reloadable) => Promise<void>): Promise<void> {
    const names = ['api', 'worker', 'bank', 'bot'] as const;
    const processes = Object.fromEntries(
      names.map((name) => [
        name,
        {
          restart: async () => {
            done.push(name);
            await restart(name);
          },
        },
      ]),
    );
    const migrate = async () => void done.push('migrate');
    reloading = await reloadOnChange({ projectDirectory: project, processes, migrate, progress });
  }

  test.each([
    ['src/areas/applications/routes.ts', ['api', 'worker']],
    ['src/registry/config.ts', ['api', 'worker']],
    ['src/platform/runtime/exit-with-parent.ts', ['api', 'worker']],
    ['workflows/contracts/document.contract.ts', ['api', 'worker']],
    ['workflows/document-review.ts', ['worker']],
    ['activities/index.ts', ['worker']],
    ['worker/main.ts', ['worker']],
    ['src/tools/simulators/bank/app.ts', ['bank']],
    ['src/tools/simulators/bot-platform/app.ts', ['bot']],
    ['src/tools/simulators/webhook-receiver/app.ts', ['receiver']],
    ['src/tools/simulators/simulator.ts', ['bank', 'bot', 'receiver']],
    ['src/tools/embedded/stack.ts', []],
    ['src/tools/demo/main.ts', []],
  ])('%s is loaded by %j', (path, expected) => {
    expect(processesThatLoad(path)).toEqual(expected);
  });

  it('starts what loads the changed file', async () => {
    await reload(async () => undefined);
    change('src/area/x.ts');
    await hasSaid(/^Serving again: API and worker \(\d+\.\d s\)$/);
    expect(done).toEqual(['api', 'worker']);
    done.length = 0;
    change('workflows/x.ts');
    await hasSaid(/^Serving again: worker/);
    expect(done).toEqual(['worker']);
  });

  it('sees a file that an editor replaces, and the next change to it', async () => {
    await reload(async () => undefined);
    change('src/area/x.ts');
    await hasSaid('Serving again');
    for (const text of ['2', '3']) {
      said.length = 0;
      change('src/area/x.ts~', text);
      renameSync(join(project, 'src/area/x.ts~'), join(project, 'src/area/x.ts'));
      await hasSaid('Serving again');
      expect(said).toContain('src/area/x.ts changed: starting API and worker again ...');
    }
  });

  it('sees files in folders that are made later, moved or made again', async () => {
    await reload(async () => undefined);
    const sees = async (path: string, act: () => void) => {
      said.length = 0;
      act();
      // A busy machine may tell of the step before only now.
      await hasSaid(path);
      await hasSaid('Serving again');
      expect(said.join('\n')).toContain(path);
    };
    const at = (path: string) => join(project, path);
    await sees('worker/new/deep/y.ts', () => {
      mkdirSync(at('worker/new/deep'), { recursive: true });
      change('worker/new/deep/y.ts');
    });
    await sees('worker/new/deep/y.ts', () => change('worker/new/deep/y.ts'));
    await sees('worker/moved/deep/y.ts', () => renameSync(at('worker/new'), at('worker/moved')));
    await sees('worker/moved/deep/y.ts', () => change('worker/moved/deep/y.ts'));
    await sees('worker/moved/deep/y.ts', () => rmSync(at('worker/moved'), { recursive: true }));
    mkdirSync(at('worker/moved/deep'), { recursive: true });
    await sees('worker/moved/deep/z.ts', () => change('worker/moved/deep/z.ts'));
  });

  it('ignores other folders and what editors write beside a file', async () => {
    mkdirSync(join(project, 'test'));
    await reload(async () => undefined);
    change('test/x.ts');
    for (const name of ['.x.ts.swp', 'x.ts~', '4913', '.#x.ts', '#x.ts#']) change(`worker/${name}`);
    change('worker/x.ts');
    await hasSaid('Serving again');
    expect(said).toContain('worker/x.ts changed: starting worker again ...');
  });

  it('says that the supervisor is not started again, and migrates the database first when a migration was added', async () => {
    await reload(async () => undefined);
    change('src/tools/embedded/stack.ts');
    await hasSaid('src/tools/embedded/stack.ts changed: this belongs to the supervisor, which loads it at its next start');
    expect(done).toEqual([]);
    change('src/platform/database/migrations/Migration1.ts');
    await hasSaid('Serving again: API and worker');
    expect(done).toEqual(['migrate', 'api', 'worker']);
  });

  it('shows why a process did not start, and retries at the next change of any file', async () => {
    let isBroken = true;
    await reload(async (name) => {
      if (isBroken && name === 'api') throw new EmbeddedError('the api did not start: SyntaxError (src/area/x.ts:1)');
    });
    change('src/area/x.ts');
    await hasSaid('Not running: API; the next change tries again');
    expect(said).toContain('the api did not start: SyntaxError (src/area/x.ts:1)');
    expect(said.some((line) => line.startsWith('Serving again: worker ('))).toBe(true);
    isBroken = false;
    change('worker/x.ts');
    await hasSaid('Serving again: API and worker');
  });

  it('restarts again for changes during a start', async () => {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await reload(() => held);
    change('worker/a.ts');
    await hasSaid('worker/a.ts changed: starting worker again ...');
    change('worker/b.ts');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(done).toEqual(['worker']);
    release();
    await hasSaid('worker/b.ts changed: starting worker again ...');
    expect(done).toEqual(['worker', 'worker']);
  });

  it('restarts a real process with its new source, after a syntax error', async () => {
    const server = fileURLToPath(new URL('./fixtures/server.ts', import.meta.url));
    const program = (version: string) => `process.stdout.write('version ${version}\\n');\nawait import(${JSON.stringify(server)});\n`;
    change('worker/main.ts', program('one'));
    const log = new LogFile(join(project, 'worker.log'));
    const worker = new ManagedProcess(
      {
        name: 'worker',
        command: process.execPath,
        args: ['--no-warnings', join(project, 'worker', 'main.ts'), 'good'],
        env: {},
        cwd: project,
        log,
        stopSignal: 'SIGTERM',
        stopDeadlineMs: 10_000,
        ready: 'message',
        readyDeadlineMs: 20_000,
        explain: explainSource,
      },
      { add: () => undefined, remove: () => undefined },
      progress,
    );
    try {
      await worker.start();
      reloading = await reloadOnChange({ projectDirectory: project, processes: { worker }, migrate: async () => undefined, progress });
      change('worker/main.ts', program('two'));
      await hasSaid('Serving again: worker');
      expect(readFileSync(log.path, 'utf8')).toContain('version two');
      change('worker/main.ts', `${program('three')}const x: = 1;\n`);
      await hasSaid('Not running: worker; the next change tries again');
      expect(said.find((line) => line.startsWith('the worker did not start'))).toMatch(/SyntaxError.*worker\/main\.ts:3\)$/);
      change('worker/main.ts', program('four'));
      await waitFor(
        () => worker.state,
        (state) => state === 'ready',
        'the worker to be ready again',
      );
      expect(readFileSync(log.path, 'utf8')).toContain('version four');
    } finally {
      await worker.stop();
    }
  });
});

test.each([
  [
    "ERROR in ./workflows/index.ts 9:0-22\nModule not found: Error: Can't resolve './nothing.ts' in '/registry/workflows'\nworker: Error: Webpack finished with errors",
    "Module not found: Error: Can't resolve './nothing.ts' in '/registry/workflows' (workflows/index.ts:9)",
  ],
  [
    'ERROR in ./workflows/index.ts\nModule build failed (from ./node_modules/swc-loader/src/index.js):\nError:   x Unexpected token `=`\n   ,-[/registry/workflows/index.ts:9:1]\nworker: Error: Webpack finished with errors',
    'SyntaxError: Unexpected token `=` (workflows/index.ts:9)',
  ],
  ['{"level":60,"msg":"stopped","err":{"message":"no database"}}\n', undefined],
])('why a program does not load: %j', (output, reason) => expect(explainSource(output)).toBe(reason));
