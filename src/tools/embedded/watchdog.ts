import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { identify, type ProcessIdentity } from './process-identity.ts';

/** Takes note of started processes, so that none of them outlives its supervisor. */
export type Guardian = {
  guard: (name: string, pid: number, stopSignal: NodeJS.Signals) => void;
  release: (pid: number) => void;
};

/** A process that the watchdog ends when the supervisor is gone, with the signal that lets it stop in order. */
export type Guarded = ProcessIdentity & { signal: NodeJS.Signals };
export type WatchdogMessage = { guard: Guarded } | { release: number } | { discard: string } | { done: true };

const script = fileURLToPath(new URL('./watchdog.main.ts', import.meta.url));
const replaceDelayMs = 200;

/** The supervisor's end of the watchdog (`watchdog.main.ts`), a small process that leaves no orphan after a `kill -9`. */
export class Watchdog implements Guardian {
  #process: ChildProcess;
  #isClosed = false;
  readonly #guarded = new Map<number, Guarded>();
  readonly #discarded = new Set<string>();

  constructor() {
    this.#process = this.#spawn();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Puts a process under guard; one that has ended already is ignored. */
  guard(_name: string, pid: number, stopSignal: NodeJS.Signals): void {
    const identity = identify(pid);
    if (!identity) return;
    const entry = { ...identity, signal: stopSignal };
    this.#guarded.set(pid, entry);
    this.#tell({ guard: entry });
  }

  release(pid: number): void {
    if (this.#guarded.delete(pid)) this.#tell({ release: pid });
  }

  /** Has a folder removed after a killed supervisor, when its processes are gone: data that is thrown away. */
  discard(path: string): void {
    this.#discarded.add(path);
    this.#tell({ discard: path });
  }

  /** Ends the watchdog and nothing else: everything has been stopped in order. */
  close(): void {
    this.#isClosed = true;
    this.#tell({ done: true });
    this.#process.stdin?.end();
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, ['--no-warnings', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
    // Writing to a watchdog that was itself killed fails with EPIPE; `exit` below replaces it.
    child.stdin?.on('error', () => undefined);
    child.on('error', () => undefined);
    // Neither the process nor its pipe may hold a supervisor that has nothing else to do.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    child.once('exit', () => {
      if (!this.#isClosed) setTimeout(() => this.#replace(), replaceDelayMs).unref();
    });
    return child;
  }

  #replace(): void {
    if (this.#isClosed) return;
    this.#process = this.#spawn();
    for (const entry of this.#guarded.values()) this.#tell({ guard: entry });
    for (const path of this.#discarded) this.#tell({ discard: path });
  }

  #tell(message: WatchdogMessage): void {
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
