import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Progress, silentProgress } from '../progress.ts';
import { lastLine, runCommand } from '../scripts.ts';
import { type Attempt, downloadBinary, findBinary, inCache, onSearchPath } from './download.ts';
import { temporalVersion } from './version.ts';

export type FinderOptions = {
  /** Programs are stored in `<dataDir>/bin`. */
  dataDir: string;
  /** The environment: `PATH`, the path variable, and variables for Go or Maven. */
  env: Record<string, string | undefined>;
  progress?: Progress;
  abort?: AbortSignal | undefined;
  /** Download address, for tests. */
  downloadAddress?: string;
};

const version = temporalVersion.cli;
const oldestServer = temporalVersion.server.split('.').map(Number);
const what = 'Temporal';
const moduleDirectory = fileURLToPath(new URL('.', import.meta.url));

/**
 * Finds the `temporal` program: `TEMPORAL_CLI_PATH`, `PATH`, the cache under `dataDir`, the official download, a build with Go from the
 * pinned `go.mod` in this folder. Returns an absolute path.
 * @throws {EmbeddedError} one line with each source and its failure
 */
export function findTemporalCli(options: FinderOptions): Promise<string> {
  const { env, abort, progress = silentProgress } = options;
  const target = resolve(options.dataDir, 'bin', `temporal-${version}`);
  return findBinary({
    what,
    variable: { name: 'TEMPORAL_CLI_PATH', value: env['TEMPORAL_CLI_PATH'] },
    ways: [
      { name: 'PATH', attempt: async () => onSearchPath('temporal', env['PATH']) },
      { name: 'cache', attempt: async () => inCache(target) },
      {
        name: 'download',
        attempt: () =>
          downloadBinary({
            what,
            artifact: 'cli',
            version: `v${version}`,
            target,
            check,
            progress,
            abort,
            ...(options.downloadAddress === undefined ? {} : { address: options.downloadAddress }),
          }),
      },
      { name: 'Go', attempt: () => buildWithGo(target, env, progress, abort) },
    ],
    check,
    advice: `Install Go ${temporalVersion.go} or newer, or put the program on PATH, or set TEMPORAL_CLI_PATH to it or TEMPORAL_ADDRESS to a running server`,
    progress,
  });
}

/** Reads `temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)`. An older server than the tests' behaves differently (docs/decisions.md). */
async function check(path: string): Promise<string | undefined> {
  const { code, output } = await runCommand(path, ['--version'], { timeout: 60_000 });
  if (code !== 0) return lastLine(output);
  const found = /Server (\d+)\.(\d+)/.exec(output);
  if (!found) return `unknown server version: ${lastLine(output)}`;
  const [major, minor] = [Number(found[1]), Number(found[2])];
  const [oldestMajor = 0, oldestMinor = 0] = oldestServer;
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isNewEnough ? undefined : `its server is ${major}.${minor}, older than ${oldestMajor}.${oldestMinor}`;
}

async function buildWithGo(
  target: string,
  env: FinderOptions['env'],
  progress: Progress,
  abort: AbortSignal | undefined,
): Promise<Attempt> {
  const go = onSearchPath('go', env['PATH']);
  if ('missing' in go) {
    progress.say(`${what}: cannot be built, because Go is not installed`);
    return { missing: 'Go is not installed' };
  }
  const unfinished = join(dirname(target), `temporal.build-${process.pid}`);
  mkdirSync(dirname(target), { recursive: true });
  progress.say(`${what}: building version ${version} with Go, once; this takes about three minutes ...`);
  const flags = `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${version}`;
  const build = await runCommand(
    go.path,
    ['build', '-mod=readonly', '-trimpath', '-ldflags', flags, '-o', unfinished, 'github.com/temporalio/cli/cmd/temporal'],
    {
      cwd: moduleDirectory,
      env: { ...env, CGO_ENABLED: '0' },
      onSecond: (seconds) => progress.tick(`${what}: building, ${seconds} s`),
      signal: abort,
    },
  ).finally(() => {
    if (abort?.aborted) rmSync(unfinished, { force: true });
  });
  const problem = build.code === 0 ? await check(unfinished) : lastLine(build.output);
  if (problem !== undefined) {
    rmSync(unfinished, { force: true });
    progress.say(`${what}: the Go build failed: ${problem}`);
    return { missing: `the build failed: ${problem}` };
  }
  renameSync(unfinished, target);
  progress.say(`${what}: built as ${target}`);
  return { path: target };
}

/** Removes unset variables, for `spawn`. */
export function defined(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
