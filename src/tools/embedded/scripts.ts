import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './errors.ts';
import { type LogFile, reasonIn } from './log-file.ts';
import { runCommand } from './run-command.ts';

/** The folder of package.json. */
export const projectDirectory = fileURLToPath(new URL('../../../', import.meta.url));

/** The programs of the stack, by path from the project's folder. */
export const programs = {
  migrate: 'src/migrate.ts',
  firstAdministrator: 'src/create-administrator.main.ts',
  bank: 'src/tools/simulators/bank/server.ts',
  bot: 'src/tools/simulators/bot-platform/server.ts',
  worker: 'worker/main.ts',
  api: 'src/api.ts',
} as const;

export type Programs = Record<keyof typeof programs, string>;

/** Hides Node's warnings about experimental features. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning'];

/** Debugger ports of `npm run dev -- --inspect` (`.vscode/launch.json`). */
export const inspectorPorts = { api: 9229, worker: 9230 } as const;

const timeout = 300_000;

/**
 * Runs one of the project's scripts to its end and returns its output.
 * @throws {EmbeddedError} with the reason in one line when it fails
 */
export async function runScript(
  what: string,
  script: string,
  env: Record<string, string>,
  log: LogFile,
  signal?: AbortSignal,
): Promise<string> {
  const { code, output } = await runCommand(process.execPath, [...nodeFlags, script], { cwd: projectDirectory, env, timeout, signal });
  if (output.trim() !== '') log.write(output.trimEnd());
  if (code !== 0) throw new EmbeddedError(`${what} failed: ${reasonIn(output) ?? 'no message'} (log: ${log.path})`);
  return output;
}
