import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { EmbeddedError } from '../errors.ts';
import type { Progress } from '../progress.ts';

/** What one way to a program came to: its path, or why it is not to be had this way. */
export type Attempt = { path: string } | { missing: string };

/** Says why a program cannot be used, or `undefined` when it can. */
export type BinaryCheck = (path: string) => Promise<string | undefined>;

export type BinarySearch = {
  /** What is looked for, as a person calls it. */
  what: string;
  /** The variable that names the program and its value. A named program that cannot be used is an error, not a reason to go on. */
  variable: { name: string; value: string | undefined };
  /** Tried in this order; each says itself what it does. */
  ways: { name: string; attempt: () => Promise<Attempt> }[];
  check: BinaryCheck;
  advice: string;
  progress: Progress;
};

/**
 * Tries one way after the other and answers with the absolute path of the first program that can be used.
 * @throws {EmbeddedError} one line with every way and why it failed.
 */
export async function findBinary({ what, variable, ways, check, advice, progress }: BinarySearch): Promise<string> {
  if (variable.value !== undefined) {
    const path = resolve(variable.value);
    const problem = isExecutable(path) ? await check(path) : 'there is no such program, or it may not be run';
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

/** The first program of that name on a search path. */
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
