import { execFile, type ExecFileOptions } from 'node:child_process';
import { promisify } from 'node:util';
import { codeOf, messageOf } from './errors.ts';

export type CommandResult = { code: number | null; output: string; isMissing: boolean };

export type CommandOptions = Pick<ExecFileOptions, 'cwd' | 'env' | 'uid' | 'gid' | 'timeout' | 'signal'> & {
  /** Called each second with the seconds gone. */
  onSecond?: (seconds: number) => void;
};

const execute = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;

/**
 * Runs a program to its end and returns what it wrote. A program that is missing or cannot be run is a result (`isMissing`, or code null),
 * not an exception; an abort rejects with the signal's reason.
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
      isMissing: codeOf(error) === 'ENOENT',
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
