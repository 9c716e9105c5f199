import { z } from 'zod';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, EmbeddedError } from './errors.ts';
import { identify, isAlive, signal, waitUntilGone } from './process-identity.ts';
import type { Progress } from './progress.ts';

const identity = z.object({ pid: z.number().int(), startedAt: z.string() });
const holder = identity.extend({ since: z.string(), address: z.string() });
const children = z.array(identity.extend({ name: z.string() }));

export type RunningChild = z.infer<typeof children>[number];

const graceMs = 15_000;

/** One supervisor for each data directory: `supervisor.lock` names it, `processes.json` the processes it has started. */
export class DataDirectoryLock {
  readonly #path: string;
  readonly #childrenPath: string;
  readonly #content: string;

  private constructor(dataDir: string, content: string) {
    this.#path = join(dataDir, 'supervisor.lock');
    this.#childrenPath = join(dataDir, 'processes.json');
    this.#content = content;
  }

  /**
   * Takes the directory; where an earlier supervisor was killed, waits until its processes are gone and ends those that stay.
   * @throws {EmbeddedError} when a living supervisor holds it.
   */
  static async take(dataDir: string, address: string, progress: Progress): Promise<DataDirectoryLock> {
    const self = identify(process.pid);
    if (!self) throw new EmbeddedError('this process cannot be found in the process table');
    const lock = new DataDirectoryLock(dataDir, JSON.stringify({ ...self, since: new Date().toISOString(), address }));
    lock.#create(dataDir);
    await lock.#outwait(progress);
    return lock;
  }

  /** Notes which processes run now, for a successor after a crash. */
  note(running: RunningChild[]): void {
    writeWhole(this.#childrenPath, JSON.stringify(running));
  }

  release(): void {
    rmSync(this.#childrenPath, { force: true });
    if (existsSync(this.#path) && readFileSync(this.#path, 'utf8') === this.#content) rmSync(this.#path);
  }

  #create(dataDir: string): void {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        writeFileSync(this.#path, this.#content, { flag: 'wx', mode: 0o600 });
        return;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      const foundText = readText(this.#path);
      const found = readHolder(this.#path);
      if (found && isAlive(found)) {
        throw new EmbeddedError(
          `already running with DATA_DIR ${dataDir}: process ${found.pid}, since ${found.since}, ${found.address}; stop it or set another DATA_DIR`,
        );
      }
      // Renaming lets only one of two starters take a dead supervisor's lock away; the other finds nothing to rename,
      // or the lock that the first has made meanwhile, which it puts back.
      const stale = `${this.#path}.${process.pid}`;
      try {
        renameSync(this.#path, stale);
        if (readText(stale) === foundText) rmSync(stale);
        else renameSync(stale, this.#path);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
      }
    }
    throw new EmbeddedError(`another start is taking DATA_DIR ${dataDir} at this moment; try again`);
  }

  async #outwait(progress: Progress): Promise<void> {
    const left = readChildren(this.#childrenPath).filter(isAlive);
    if (left.length > 0) {
      progress.say(`An earlier run was killed; waiting until its processes are gone (${left.map((child) => child.name).join(', ')}) ...`);
      for (const stubborn of await waitUntilGone(left, graceMs)) signal(stubborn, 'SIGKILL');
      await waitUntilGone(left, graceMs);
    }
    rmSync(this.#childrenPath, { force: true });
  }
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function readHolder(path: string): z.infer<typeof holder> | undefined {
  return readJson(path, holder);
}

function readChildren(path: string): RunningChild[] {
  return readJson(path, children) ?? [];
}

/** A file cut off by a crash counts as missing: it names nobody. */
function readJson<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
