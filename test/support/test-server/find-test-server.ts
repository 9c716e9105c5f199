import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Progress, silentProgress } from '../../../src/tools/embedded/progress.ts';
import { lastLine, runCommand } from '../../../src/tools/embedded/scripts.ts';
import { type Attempt, downloadBinary, findBinary, inCache, onSearchPath } from '../../../src/tools/embedded/temporal/download.ts';
import type { FinderOptions } from '../../../src/tools/embedded/temporal/find-cli.ts';

/** The version in `pom.xml`. */
const version = '1.32.0';
const what = 'Temporal test server';
const pom = fileURLToPath(new URL('./pom.xml', import.meta.url));
const mainClass = 'io.temporal.testserver.TestServer';

/**
 * Finds the time-skipping test server; the program takes its port as first argument. `TEMPORAL_TEST_SERVER_PATH`, `PATH`, the cache under
 * `dataDir`, the official download, the Java server by Maven from the pinned `pom.xml` beside this file.
 * @throws {EmbeddedError} one line with each way and why it failed.
 */
export function findTemporalTestServer(options: FinderOptions): Promise<string> {
  const { env, abort, progress = silentProgress } = options;
  const checkHere = (path: string) => check(path, env);
  const downloaded = resolve(options.dataDir, 'bin', `temporal-test-server-${version}`);
  const javaDirectory = resolve(options.dataDir, 'bin', `temporal-test-server-java-${version}`);
  return findBinary({
    what,
    variable: { name: 'TEMPORAL_TEST_SERVER_PATH', value: env['TEMPORAL_TEST_SERVER_PATH'] },
    ways: [
      { name: 'PATH', attempt: async () => onSearchPath('temporal-test-server', env['PATH']) },
      { name: 'cache', attempt: async () => firstOf(inCache(downloaded), inCache(wrapperIn(javaDirectory))) },
      {
        name: 'download',
        attempt: () =>
          downloadBinary({
            what,
            artifact: 'temporal-test-server',
            version: `v${version}`,
            target: downloaded,
            check: checkHere,
            progress,
            abort,
            ...(options.downloadAddress === undefined ? {} : { address: options.downloadAddress }),
          }),
      },
      { name: 'Maven', attempt: () => collectWithMaven(javaDirectory, env, progress, abort) },
    ],
    check: checkHere,
    advice: 'Install a JDK and Maven, or set TEMPORAL_TEST_SERVER_PATH to the program',
    progress,
  });
}

function firstOf(...attempts: Attempt[]): Attempt {
  return attempts.find((attempt) => 'path' in attempt) ?? { missing: 'empty' };
}

/** It has no `--version`; without a port it says how it is called. */
async function check(path: string, env: FinderOptions['env']): Promise<string | undefined> {
  const { output } = await runCommand(path, [], { timeout: 60_000, env });
  return output.includes('Usage:') ? undefined : lastLine(output);
}

function wrapperIn(directory: string): string {
  return join(directory, 'temporal-test-server');
}

async function collectWithMaven(
  directory: string,
  env: FinderOptions['env'],
  progress: Progress,
  abort: AbortSignal | undefined,
): Promise<Attempt> {
  const maven = onSearchPath('mvn', env['PATH']);
  const java = onSearchPath('java', env['PATH']);
  const lacking = 'missing' in maven ? 'Maven' : 'missing' in java ? 'Java' : undefined;
  if (lacking !== undefined || 'missing' in maven) {
    progress.say(`${what}: it cannot be put together here, ${lacking} is not installed`);
    return { missing: `${lacking} is not installed` };
  }
  const unfinished = `${directory}.build-${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(directory), { recursive: true });
  try {
    progress.say(`${what}: collecting version ${version} with Maven ...`);
    const args = [
      '-B',
      '-q',
      '-f',
      pom,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${join(unfinished, 'jars')}`,
      '-DincludeScope=runtime',
    ];
    const collected = await runCommand(maven.path, args, {
      cwd: dirname(directory),
      env,
      onSecond: (seconds) => progress.tick(`${what}: collecting, ${seconds} s`),
      signal: abort,
    });
    if (collected.code !== 0) return explain(mavenReason(collected.output), progress);
    const wrapper = wrapperIn(unfinished);
    writeFileSync(wrapper, `#!/bin/sh\n# First argument: the port.\nexec java -cp "\${0%/*}/jars/*" ${mainClass} "$@"\n`);
    chmodSync(wrapper, 0o755);
    const problem = await check(wrapper, env);
    if (problem !== undefined) return explain(problem, progress);
    if (existsSync(directory)) rmSync(directory, { recursive: true });
    renameSync(unfinished, directory);
    progress.say(`${what}: ready as ${wrapperIn(directory)}`);
    return { path: wrapperIn(directory) };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function explain(problem: string, progress: Progress): Attempt {
  progress.say(`${what}: Maven did not bring it: ${problem}`);
  return { missing: problem };
}

function mavenReason(output: string): string {
  const error = output.split('\n').find((line) => line.startsWith('[ERROR]'));
  return error === undefined ? lastLine(output) : error.replace('[ERROR]', '').trim();
}
