import type { DataDirectoryLock, RunningChild } from './lock.ts';
import { identify } from './process-identity.ts';
import { Warden } from './warden.ts';
import type { Guardian } from './warden.ts';

/** Who runs now: told to the warden, which ends them if this process is killed, and noted in the data directory for the next start. */
export class Roster implements Guardian {
  readonly #warden = new Warden();
  readonly #running = new Map<number, RunningChild>();
  readonly #lock: DataDirectoryLock;

  constructor(lock: DataDirectoryLock) {
    this.#lock = lock;
  }

  guard(name: string, pid: number, stopSignal: NodeJS.Signals): void {
    this.#warden.guard(name, pid, stopSignal);
    const identity = identify(pid);
    if (identity) this.#running.set(pid, { ...identity, name });
    this.#lock.note([...this.#running.values()]);
  }

  release(pid: number): void {
    this.#warden.release(pid);
    this.#running.delete(pid);
    this.#lock.note([...this.#running.values()]);
  }

  close(): void {
    this.#warden.close();
  }
}
