import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './errors.ts';
import { reasonIn } from './log-file.ts';
import type { LogFile } from './log-file.ts';
import { runCommand } from './run-command.ts';

/** The folder of package.json. */
export const projectDirectory = fileURLToPath(new URL('../../', import.meta.url));

/** What the stack consists of, by path from the project's folder. */
export const programs = {
  migrate: 'src/platform/database/migrate.ts',
  firstAdministrator: 'src/accounts/create-first-administrator.main.ts',
  bank: 'src/embedded/bank-simulator/main.ts',
  worker: 'worker/main.ts',
  api: 'src/api.ts',
} as const;

export type Programs = Record<keyof typeof programs, string>;

/** Warnings of Node about its own experiments say nothing to a user of the stack. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning'];

/**
 * As in `npm run start:api` and the Dockerfile. A small young generation, or buffers of many uploads at once pile up before they are
 * collected. And nothing is put among the old objects at birth because its like once lived long: what dies there holds all it
 * points to until the next full collection, and a process that falls into this spends a sixth of its time on collections.
 */
export const apiFlags = ['--max-semi-space-size=4', '--no-allocation-site-pretenuring'];

/** As in the Dockerfile. What uploads and downloads leave free at the end of the heap goes back to the system (glibc; others ignore it). */
export const apiEnvironment = { MALLOC_TRIM_THRESHOLD_: '131072' };

const timeoutMs = 300_000;

/**
 * Runs one of the project's scripts to its end and answers with what it wrote.
 * @throws {EmbeddedError} with its reason in one line when it fails.
 */
export async function runScript(
  what: string,
  script: string,
  env: Record<string, string>,
  log: LogFile,
  abort?: AbortSignal,
): Promise<string> {
  const { code, output } = await runCommand(process.execPath, [...nodeFlags, script], { cwd: projectDirectory, env, timeoutMs, abort });
  if (output.trim() !== '') log.write(output.trimEnd());
  if (code !== 0) throw new EmbeddedError(`${what} failed: ${reasonIn(output) ?? 'no message'} (log: ${log.path})`);
  return output;
}
