import { z } from 'zod';
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EmbeddedError, messageOf } from '../errors.ts';
import type { Progress } from '../progress.ts';
import { lastLine, runCommand } from '../scripts.ts';

/** Temporal's official download address, which its SDKs use too. */
const officialAddress = 'https://temporal.download';

export type Download = {
  what: string;
  /** `cli` or `temporal-test-server`. */
  artifact: string;
  /** A release such as `v1.5.1`, or `default`. */
  version: string;
  /** Path of the program. */
  target: string;
  check: BinaryCheck;
  progress: Progress;
  address?: string;
  abort?: AbortSignal | undefined;
  answerTimeoutMs?: number;
  stallTimeoutMs?: number;
};

const location = z.object({ archiveUrl: z.url(), fileToExtract: z.string().min(1) });
const checksumLine = /^([0-9a-f]{64})\s+\*?(\S+)$/;

/**
 * Downloads the archive of this platform from the official address, compares it with the published checksum if any, extracts the program
 * and runs it once. Renames it only then, so that an interrupted download is never used.
 */
export async function downloadBinary(download: Download): Promise<Attempt> {
  const { what, target, progress, check } = download;
  const workDirectory = `${target}.download-${process.pid}`;
  try {
    progress.say(`${what}: downloading the official release ...`);
    const { archiveUrl, fileToExtract } = await askLocation(download);
    rmSync(workDirectory, { recursive: true, force: true });
    mkdirSync(workDirectory, { recursive: true });
    const archive = join(workDirectory, 'archive.tar.gz');
    const digest = await save(archiveUrl, archive, download);
    await compareChecksum(archiveUrl, digest, download);
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', workDirectory], { signal: download.abort });
    if (unpacked.code !== 0) throw new Error(`the archive cannot be unpacked: ${lastLine(unpacked.output)}`);
    const program = join(workDirectory, fileToExtract);
    if (!existsSync(program)) throw new Error(`the archive has no ${fileToExtract}`);
    chmodSync(program, 0o755);
    const problem = await check(program);
    if (problem !== undefined) throw new Error(`the downloaded program cannot be used: ${problem}`);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(program, target);
    progress.say(`${what}: downloaded to ${target}`);
    return { path: target };
  } catch (error) {
    if (download.abort?.aborted) throw error;
    progress.say(`${what}: the download failed (${messageOf(error)})`);
    return { missing: messageOf(error) };
  } finally {
    rmSync(workDirectory, { recursive: true, force: true });
  }
}

async function askLocation(download: Download): Promise<z.infer<typeof location>> {
  const platform = { linux: 'linux', darwin: 'darwin' }[process.platform as string];
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (platform === undefined || arch === undefined) throw new Error(`there is no release for ${process.platform} on ${process.arch}`);
  const url = `${download.address ?? officialAddress}/${download.artifact}/${download.version}?arch=${arch}&platform=${platform}&format=tar.gz`;
  const response = await ask(url, download);
  const parsed = location.safeParse(await response.json());
  if (!parsed.success) throw new Error(`${new URL(url).host} gave an unknown answer`);
  return parsed.data;
}

async function ask(url: string, { abort, answerTimeoutMs = 15_000 }: Download): Promise<Response> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${answerTimeoutMs / 1000} s`)), answerTimeoutMs);
  try {
    const response = await fetch(url, { signal: abort ? AbortSignal.any([abort, deadline.signal]) : deadline.signal });
    if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
    return response;
  } finally {
    clearTimeout(timer);
  }
}

/** Saves the archive and returns its SHA-256. */
async function save(url: string, path: string, download: Download): Promise<string> {
  const response = await ask(url, download);
  if (!response.body) throw new Error('the answer is empty');
  const total = Number(response.headers.get('content-length') ?? 0);
  const hash = createHash('sha256');
  const stall = new AbortController();
  const { stallTimeoutMs = 30_000, what, progress } = download;
  const timer = setTimeout(() => stall.abort(new Error(`no data for ${stallTimeoutMs / 1000} s`)), stallTimeoutMs);
  let received = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      hash.update(chunk);
      timer.refresh();
      const megabytes = (received / 1_048_576).toFixed(1);
      progress.tick(
        total > 0
          ? `${what}: ${Math.floor((received * 100) / total)} % of ${(total / 1_048_576).toFixed(1)} MB`
          : `${what}: ${megabytes} MB`,
      );
      done(null, chunk);
    },
  });
  try {
    await pipeline(Readable.from(response.body), meter, createWriteStream(path), {
      signal: download.abort ? AbortSignal.any([download.abort, stall.signal]) : stall.signal,
    });
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
  if (total > 0 && received !== total) throw new Error(`the download ended after ${received} of ${total} bytes`);
  return hash.digest('hex');
}

/** Compares the checksum of the release. Without a published one, TLS and the test run must suffice. */
async function compareChecksum(archiveUrl: string, digest: string, download: Download): Promise<void> {
  const name = basename(new URL(archiveUrl).pathname);
  let text: string;
  try {
    text = await (await ask(new URL('checksums.txt', archiveUrl).href, download)).text();
  } catch (error) {
    if (download.abort?.aborted) throw error;
    download.progress.say(`${download.what}: no published checksums (${messageOf(error)})`);
    return;
  }
  const published = text
    .split('\n')
    .map((line) => checksumLine.exec(line.trim()))
    .find((match) => match?.[2] === name)?.[1];
  if (published !== undefined && published !== digest)
    throw new Error(`the archive is damaged: its SHA-256 is ${digest}, published is ${published}`);
}

/** Result of one source of a program: its path, or why it is missing. */
export type Attempt = { path: string } | { missing: string };

/** Returns why a program is unusable; `undefined` if it is usable. */
export type BinaryCheck = (path: string) => Promise<string | undefined>;

type BinarySearch = {
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
