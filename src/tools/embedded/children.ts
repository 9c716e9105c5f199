import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify, type ProcessIdentity } from './process-identity.ts';

/** A child process and the signal that stops it in order. */
export type RunningChild = ProcessIdentity & { name: string; stopSignal: NodeJS.Signals };

const watchdogScript = fileURLToPath(new URL('./watchdog.main.ts', import.meta.url));
const replaceDelayMs = 200;

/**
 * Lists the running children of this process in `<folder>/processes.json`. When this process is killed, a watchdog (`watchdog.main.ts`)
 * ends them. When the watchdog is killed as well, the next start does.
 */
export class Children {
  readonly #folder: string;
  readonly #isThrowaway: boolean;
  readonly #running = new Map<number, RunningChild>();
  #watchdog: ChildProcess | undefined;

  /** @param isThrowaway the watchdog also removes the folder; it runs from now on until `close` */
  constructor(folder: string, isThrowaway = false) {
    this.#folder = folder;
    this.#isThrowaway = isThrowaway;
    if (isThrowaway) this.#watchdog = this.#startWatchdog();
  }

  get watchdogPid(): number | undefined {
    return this.#watchdog?.pid;
  }

  /** Adds a started process; one that has ended already is ignored. */
  add(name: string, pid: number, stopSignal: NodeJS.Signals): void {
    const identity = identify(pid);
    if (!identity) return;
    this.#running.set(pid, { ...identity, name, stopSignal });
    this.#save();
    this.#watchdog ??= this.#startWatchdog();
  }

  /** Removes an ended process. The watchdog ends with the last one, except that of a throwaway folder. */
  remove(pid: number): void {
    if (!this.#running.delete(pid)) return;
    this.#save();
    if (this.#running.size === 0 && !this.#isThrowaway) this.close();
  }

  /** Ends the watchdog. */
  close(): void {
    this.#watchdog?.stdin?.end('stopped in order');
    this.#watchdog = undefined;
  }

  #save(): void {
    const path = listIn(this.#folder);
    if (this.#running.size === 0) return rmSync(path, { force: true });
    writeFileSync(`${path}.new`, JSON.stringify([...this.#running.values()]), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  #startWatchdog(): ChildProcess {
    const args = ['--no-warnings', watchdogScript, this.#folder, ...(this.#isThrowaway ? ['--throwaway'] : [])];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
    // Writing to a killed watchdog fails with EPIPE; `exit` below replaces it.
    child.stdin?.on('error', () => undefined);
    child.on('error', () => undefined);
    // Neither the process nor its pipe may keep this process alive.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    child.once('exit', () => {
      const replace = () => {
        if (this.#watchdog === child) this.#watchdog = this.#startWatchdog();
      };
      setTimeout(replace, replaceDelayMs).unref();
    });
    return child;
  }
}

/** Reads the children that an earlier process listed in a folder. */
export function readChildren(folder: string): RunningChild[] {
  try {
    return JSON.parse(readFileSync(listIn(folder), 'utf8')) as RunningChild[];
  } catch {
    return [];
  }
}

function listIn(folder: string): string {
  return join(folder, 'processes.json');
}
