import type { DataDirectoryLock, RunningChild } from './lock.ts';
import { identify } from './process-identity.ts';
import { type Guardian, Watchdog } from './watchdog.ts';

/**
 * The child processes that run now. The watchdog is told of each, so that it can end them if this process is killed; the data directory
 * notes them for the next start.
 */
export class ChildRegistry implements Guardian {
  readonly #watchdog = new Watchdog();
  readonly #running = new Map<number, RunningChild>();
  readonly #lock: DataDirectoryLock;

  constructor(lock: DataDirectoryLock) {
    this.#lock = lock;
  }

  guard(name: string, pid: number, stopSignal: NodeJS.Signals): void {
    this.#watchdog.guard(name, pid, stopSignal);
    const identity = identify(pid);
    if (identity) this.#running.set(pid, { ...identity, name });
    this.#lock.note([...this.#running.values()]);
  }

  release(pid: number): void {
    this.#watchdog.release(pid);
    this.#running.delete(pid);
    this.#lock.note([...this.#running.values()]);
  }

  /** See `Watchdog.discard`. */
  discard(path: string): void {
    this.#watchdog.discard(path);
  }

  close(): void {
    this.#watchdog.close();
  }
}
