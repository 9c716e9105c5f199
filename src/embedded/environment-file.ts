import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeVariables } from '../config.ts';

/** Of all quotes the reader of such files knows, one that the value does not hold. */
const quotes = ["'", '"', '`'] as const;

function pathIn(dataDir: string): string {
  return join(dataDir, 'stack.env');
}

/**
 * Writes down with which variables the processes of the running stack were started, in the form of `node --env-file` (mode 600). A
 * script or a debugger run beside the stack reads it, to reach the same servers.
 */
export function writeEnvironmentFile(dataDir: string, env: Record<string, string>): void {
  const lines = describeVariables().flatMap(({ name }) => {
    const value = env[name];
    const quote = quotes.find((candidate) => value?.includes(candidate) === false);
    return value === undefined || value === '' || quote === undefined ? [] : [`${name}=${quote}${value}${quote}`];
  });
  writeFileSync(pathIn(dataDir), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** The stack has stopped: nothing is reached by these variables any more. */
export function removeEnvironmentFile(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
}
