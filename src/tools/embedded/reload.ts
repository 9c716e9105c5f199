import { watch } from 'chokidar';
import { once } from 'node:events';
import { basename } from 'node:path';
import { EmbeddedError, messageOf } from './errors.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { Progress } from './progress.ts';

/** The processes that `npm run dev` restarts. */
export type Reloadable = 'api' | 'worker' | 'bank' | 'bot' | 'receiver';

export type ReloadOptions = {
  /** The folder of package.json. */
  projectDirectory: string;
  processes: Partial<Record<Reloadable, Pick<ManagedProcess, 'restart'>>>;
  /** Migrates the database before its processes restart. */
  migrate: () => Promise<void>;
  progress: Progress;
};

const folders = ['src', 'workflows', 'activities', 'worker'];
/** Does not match temporary files of editors (`.x.ts.swp`, `x.ts~`, `4913`). */
const sourceName = /^[^.#].*\.(ts|mjs|json|sql)$/;
/** An editor writes a file in several steps, and a change of branch writes many files. */
const quietMs = 60;
const titles: Record<Reloadable, string> = {
  api: 'API',
  worker: 'worker',
  bank: 'bank simulator',
  bot: 'messenger simulator',
  receiver: 'webhook receiver',
};

/**
 * The processes that load a source file, by its path from the project's folder. A process may start again without need (the worker for a
 * file that only the API loads), but a needed restart is never left out. A new worker bundles changed workflows.
 */
export function processesThatLoad(path: string): readonly Reloadable[] {
  if (path.startsWith('src/tools/embedded/') || path.startsWith('src/tools/demo/')) return [];
  if (path.startsWith('src/tools/simulators/bank/')) return ['bank'];
  if (path.startsWith('src/tools/simulators/bot-platform/')) return ['bot'];
  if (path.startsWith('src/tools/simulators/webhook-receiver/')) return ['receiver'];
  if (path.startsWith('src/tools/simulators/')) return ['bank', 'bot', 'receiver'];
  if (path.startsWith('src/') || /^workflows\/.*\.contract\.ts$/.test(path)) return ['api', 'worker'];
  return ['worker'];
}

/**
 * Restarts the API, the worker and the simulators when their source changes (`npm run dev`). A process whose source does not load stays
 * stopped, its error is shown, and the next change tries again.
 */
export async function reloadOnChange({ projectDirectory, processes, migrate, progress }: ReloadOptions): Promise<{ close: () => void }> {
  let waiting = new Set<string>();
  let running: Promise<void> | undefined;
  let isClosed = false;
  let quiet: NodeJS.Timeout | undefined;
  /** Processes that did not start; each next change starts them again. */
  const broken = new Set<Reloadable>();

  async function reload(paths: string[]): Promise<void> {
    const changed = paths.length > 2 ? `${paths[0]} and ${paths.length - 1} others` : paths.join(' and ');
    const names = (Object.keys(titles) as Reloadable[]).filter(
      (name) => processes[name] && (broken.has(name) || paths.some((path) => processesThatLoad(path).includes(name))),
    );
    if (paths.some((path) => path.startsWith('src/tools/embedded/')))
      progress.say(`${changed} changed: this belongs to the supervisor, which loads it at its next start`);
    if (names.length === 0) return;
    const startedAt = Date.now();
    progress.say(`${changed} changed: starting ${list(names)} again ...`);
    if (paths.some((path) => path.startsWith('src/platform/database/migrations/') || path === 'src/registry/migrate-database.ts')) {
      const problem = await problemOf(migrate());
      if (problem !== undefined) progress.say(problem);
    }
    const problems = await Promise.all(names.map(async (name) => [name, await problemOf(processes[name]?.restart())] as const));
    if (isClosed) return;
    for (const [name, problem] of problems) {
      if (problem === undefined) broken.delete(name);
      else broken.add(name);
      if (problem !== undefined) progress.say(problem);
    }
    const serving = names.filter((name) => !broken.has(name));
    if (serving.length > 0) progress.say(`Serving again: ${list(serving)} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    if (broken.size > 0) progress.say(`Not running: ${list([...broken])}; the next change tries again`);
  }

  /** Runs one reload at a time; the next one handles changes during it. */
  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const paths = [...waiting].toSorted();
      waiting = new Set();
      await reload(paths);
    }
    running = undefined;
  }

  const watcher = watch(folders, {
    cwd: projectDirectory,
    ignoreInitial: true,
    ignored: (path, stats) => stats?.isFile() === true && !sourceName.test(basename(path)),
  });
  watcher.on('all', (event, path) => {
    if (event !== 'add' && event !== 'change' && event !== 'unlink') return;
    waiting.add(path);
    clearTimeout(quiet);
    quiet = setTimeout(() => (running ??= drain()), quietMs);
  });
  await once(watcher, 'ready');
  return {
    close: () => {
      isClosed = true;
      waiting = new Set();
      clearTimeout(quiet);
      void watcher.close();
    },
  };
}

async function problemOf(step: Promise<void> | undefined): Promise<string | undefined> {
  try {
    await step;
    return undefined;
  } catch (error) {
    return error instanceof EmbeddedError ? error.message : messageOf(error);
  }
}

function list(names: readonly Reloadable[]): string {
  return names.map((name) => titles[name]).join(' and ');
}
