import { execFile, type ExecFileOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { errorCode } from '../../platform/logging/error-code.ts';
import { EmbeddedError, messageOf } from './errors.ts';
import { type LogFile, reasonIn } from './log-file.ts';

/** The folder of package.json. */
export const projectDirectory = fileURLToPath(new URL('../../../', import.meta.url));

/** The programs of the stack, by path from the project's folder. */
export const programs = {
  registry: 'src/cli/main.ts',
  bank: 'src/tools/simulators/bank/server.ts',
  bot: 'src/tools/simulators/bot-platform/server.ts',
  receiver: 'src/tools/simulators/webhook-receiver/server.ts',
  worker: 'worker/main.ts',
  api: 'src/api.ts',
} as const;

export type Programs = Record<keyof typeof programs, string>;

/** Hides Node's warnings about experimental features. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning'];

/** The heap of an API as in `ops/` (docs/production.md). V8 sizes it by the machine, and on a large one collects late. */
export const apiFlags = [...nodeFlags, '--max-old-space-size=384', '--max-semi-space-size=16'];

/** Debugger ports of `npm run dev -- --inspect` (`.vscode/launch.json`). */
export const inspectorPorts = { api: 9229, worker: 9230 } as const;

const timeout = 300_000;

/**
 * Runs one of the project's programs (path and arguments) to its end and returns its output.
 * @throws {EmbeddedError} with the reason in one line when it fails
 */
export async function runScript(
  what: string,
  args: readonly string[],
  env: Record<string, string>,
  log: LogFile,
  signal?: AbortSignal,
): Promise<string> {
  const { code, output } = await runCommand(process.execPath, [...nodeFlags, ...args], { cwd: projectDirectory, env, timeout, signal });
  if (output.trim() !== '') log.write(output.trimEnd());
  if (code !== 0) throw new EmbeddedError(`${what} failed: ${reasonIn(output) ?? 'no message'} (log: ${log.path})`);
  return output;
}

type CommandResult = { code: number | null; output: string; isMissing: boolean };

type CommandOptions = Pick<ExecFileOptions, 'cwd' | 'env' | 'uid' | 'gid' | 'timeout' | 'signal'> & {
  /** Called each second with the seconds gone. */
  onSecond?: (seconds: number) => void;
};

const execute = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;

/**
 * Runs a program to its end and returns its output. A missing or unusable program is a result (`isMissing`, or code null), not an
 * exception; an abort rejects with the signal's reason.
 */
export async function runCommand(command: string, args: string[], { onSecond, ...options }: CommandOptions = {}): Promise<CommandResult> {
  const startedAt = Date.now();
  const clock = onSecond && setInterval(() => onSecond(Math.round((Date.now() - startedAt) / 1000)), 1000);
  try {
    const running = execute(command, args, { ...options, maxBuffer });
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    return { code: 0, output: stdout + stderr, isMissing: false };
  } catch (error) {
    options.signal?.throwIfAborted();
    const { code = null, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    const output = stdout + stderr;
    return {
      code: typeof code === 'number' ? code : null,
      output: output === '' ? messageOf(error) : output,
      isMissing: errorCode(error) === 'ENOENT',
    };
  } finally {
    clearInterval(clock);
  }
}

/** Returns the last line that is not blank, for a one-line message. */
export function lastLine(output: string): string {
  return (
    output
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '') ?? 'no message'
  );
}
