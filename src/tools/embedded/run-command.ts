import { spawn } from 'node:child_process';
import { codeOf, messageOf } from './errors.ts';

export type CommandResult = { code: number | null; output: string; isMissing: boolean };

export type CommandOptions = {
  cwd?: string;
  env?: Record<string, string>;
  user?: { uid: number; gid: number };
  timeoutMs?: number;
  /** Called each second with the seconds gone. */
  onSecond?: (seconds: number) => void;
  abort?: AbortSignal | undefined;
};

const keptCharacters = 65_536;

/**
 * Runs a program to its end and keeps the end of what it wrote (both streams). A program that does not exist or cannot be run is an answer
 * (`isMissing`, or code null), not an exception; an abort rejects with the signal's reason.
 */
export function runCommand(command: string, args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { onSecond, timeoutMs, abort } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env }),
      ...options.user,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-keptCharacters);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const startedAt = Date.now();
    const clock = onSecond && setInterval(() => onSecond(Math.round((Date.now() - startedAt) / 1000)), 1000);
    const deadline = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const stop = () => child.kill('SIGTERM');
    abort?.addEventListener('abort', stop);
    const finish = () => {
      clearInterval(clock);
      clearTimeout(deadline);
      abort?.removeEventListener('abort', stop);
    };
    child.once('error', (error) => {
      finish();
      resolve({ code: null, output: messageOf(error), isMissing: codeOf(error) === 'ENOENT' });
    });
    child.once('close', (code) => {
      finish();
      if (abort?.aborted) reject(abort.reason);
      else resolve({ code, output, isMissing: false });
    });
  });
}

/** The last line that says something, for a one-line message. */
export function lastLine(output: string): string {
  return (
    output
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '') ?? 'no message'
  );
}
