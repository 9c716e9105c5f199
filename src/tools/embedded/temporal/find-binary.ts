import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { EmbeddedError } from '../errors.ts';
import type { Progress } from '../progress.ts';

/** Result of one source of a program: its path, or why it is missing. */
export type Attempt = { path: string } | { missing: string };

/** Returns why a program is unusable; `undefined` if it is usable. */
export type BinaryCheck = (path: string) => Promise<string | undefined>;

export type BinarySearch = {
  /** Name of the program for people. */
  what: string;
  /** The variable with the program's path. An unusable program there is an error. */
  variable: { name: string; value: string | undefined };
  /** Sources, in order; each reports its own progress. */
  ways: { name: string; attempt: () => Promise<Attempt> }[];
  check: BinaryCheck;
  advice: string;
  progress: Progress;
};

/**
 * Tries the sources in order and returns the absolute path of the first usable program.
 * @throws {EmbeddedError} one line with each source and its failure
 */
export async function findBinary({ what, variable, ways, check, advice, progress }: BinarySearch): Promise<string> {
  if (variable.value !== undefined) {
    const path = resolve(variable.value);
    const problem = isExecutable(path) ? await check(path) : 'the program does not exist or is not executable';
    if (problem === undefined) return path;
    throw new EmbeddedError(`${variable.name} is ${variable.value}, which cannot be used: ${problem}`);
  }
  const reasons: string[] = [];
  for (const way of ways) {
    const result = await way.attempt();
    if ('missing' in result) {
      reasons.push(`${way.name}: ${result.missing}`);
      continue;
    }
    const problem = await check(result.path);
    if (problem === undefined) return result.path;
    reasons.push(`${way.name}: ${result.path} cannot be used (${problem})`);
    progress.say(`${what}: ${result.path} cannot be used (${problem})`);
  }
  throw new EmbeddedError(`${what} was not found (${reasons.join('; ')}). ${advice}`);
}

/** Finds a program on a search path. */
export function onSearchPath(name: string, searchPath: string | undefined): Attempt {
  for (const directory of (searchPath ?? '').split(delimiter)) {
    const path = join(directory, name);
    if (directory !== '' && isExecutable(path)) return { path: resolve(path) };
  }
  return { missing: 'not there' };
}

export function inCache(path: string): Attempt {
  return isExecutable(path) ? { path: resolve(path) } : { missing: 'empty' };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
