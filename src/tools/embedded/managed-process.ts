import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Children } from './children.ts';
import { EmbeddedError, messageOf } from './errors.ts';
import { type LogFile, noticeOf, reasonIn } from './log-file.ts';
import type { Progress } from './progress.ts';

export type ManagedProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string | undefined>;
  /** Working directory; a process that runs as another OS user must be able to enter it. */
  cwd: string;
  user?: { uid: number; gid: number } | undefined;
  log: LogFile;
  stopSignal: NodeJS.Signals;
  /** How long an ordered stop may take before SIGKILL. */
  stopDeadlineMs: number;
  /** `message`: the process reports over IPC (and ends with this process); a function is called until it returns true. */
  ready: 'message' | (() => Promise<boolean>);
  readyDeadlineMs: number;
  /** Runs before each start, also after a crash. */
  prepare?: () => Promise<void>;
  /** A clear line for a known failure, from what the process wrote. */
  explain?: (output: string) => string | undefined;
};

export type ManagedProcessState = 'stopped' | 'starting' | 'ready' | 'waiting';

const firstBackOffMs = 200;
const longestBackOffMs = 10_000;
const stableAfterMs = 5_000;
const readyPollMs = 100;

/**
 * One process of the stack. After a successful start, it is restarted whenever it ends by itself: after 200 ms, then 400 ms and so on, up
 * to 10 s. Once it has served for five seconds, the next delay is 200 ms again.
 */
export class ManagedProcess {
  readonly name: string;
  readonly #spec: ManagedProcessSpec;
  readonly #children: Pick<Children, 'add' | 'remove'>;
  readonly #progress: Progress;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #state: ManagedProcessState = 'stopped';
  #isWanted = false;
  #restarts = 0;
  #backOffMs = firstBackOffMs;
  #backOff: NodeJS.Timeout | undefined;
  /** Counts the stops, so that a waiting restart knows that it is obsolete. */
  #stops = 0;
  readonly #waiters = new Set<{ resolve: () => void; reject: (error: Error) => void }>();

  constructor(spec: ManagedProcessSpec, children: Pick<Children, 'add' | 'remove'>, progress: Progress) {
    this.name = spec.name;
    this.#spec = spec;
    this.#children = children;
    this.#progress = progress;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get state(): ManagedProcessState {
    return this.#state;
  }

  /** Number of restarts after it ended by itself. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Starts the process and waits until it serves.
   * @throws {EmbeddedError} with the reason in one line, when it ends or stays silent instead
   */
  async start(): Promise<void> {
    if (this.#isWanted) return this.whenReady();
    this.#isWanted = true;
    this.#backOffMs = firstBackOffMs;
    try {
      await this.#launch();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves as soon as the process serves; rejects when it is stopped. */
  whenReady(): Promise<void> {
    if (this.#state === 'ready') return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.#isWanted) this.#waiters.add({ resolve, reject });
      else reject(this.#stopped());
    });
  }

  /** Sends a signal; a process that it ends is restarted. With SIGKILL, resolves when it has ended. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const exited = this.#exited;
    this.#child?.kill(signal);
    if (signal === 'SIGKILL') await exited;
  }

  /** Stops in order, by force after the deadline (at once with `force`), and stays stopped. */
  async stop({ force = false } = {}): Promise<void> {
    this.#isWanted = false;
    this.#stops += 1;
    clearTimeout(this.#backOff);
    for (const waiter of this.#waiters) waiter.reject(this.#stopped());
    this.#waiters.clear();
    const child = this.#child;
    if (child) {
      child.kill(force ? 'SIGKILL' : this.#spec.stopSignal);
      const deadline = setTimeout(() => {
        this.#progress.say(`${this.name}: does not stop, killed`);
        child.kill('SIGKILL');
      }, this.#spec.stopDeadlineMs);
      await this.#exited;
      clearTimeout(deadline);
    }
    this.#state = 'stopped';
  }

  /**
   * Stops in order and starts again.
   * @throws {EmbeddedError} when it does not start; it stays stopped then
   */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async #launch(): Promise<void> {
    this.#state = 'starting';
    await this.#spec.prepare?.();
    if (!this.#isWanted) throw this.#stopped();
    const { log, readyDeadlineMs } = this.#spec;
    const logStart = log.position;
    const child = this.#spawn();
    let readyAt: number | undefined;
    const ended = new Promise<'ended'>((resolve, reject) => {
      child.once('exit', () => resolve('ended'));
      child.on('error', (error) => {
        if (child.pid === undefined) reject(new EmbeddedError(`the ${this.name} cannot be started: ${messageOf(error)}`));
      });
    });
    this.#child = child;
    this.#exited = ended
      .catch(() => undefined)
      .then(() => {
        this.#child = undefined;
        if (child.pid !== undefined) this.#children.remove(child.pid);
        if (readyAt === undefined || !this.#isWanted) return;
        if (Date.now() - readyAt >= stableAfterMs) this.#backOffMs = firstBackOffMs;
        this.#comeBack(`ended (${child.signalCode ?? `code ${child.exitCode}`})`);
      });
    const waiting = new AbortController();
    const outcome = await Promise.race([
      ended,
      this.#untilReady(child),
      pause(readyDeadlineMs, 'late', { signal: waiting.signal }),
    ]).finally(() => waiting.abort());
    if (outcome === 'late')
      throw new EmbeddedError(`the ${this.name} did not answer within ${readyDeadlineMs / 1000} s (log: ${log.path})`);
    if (!this.#isWanted) throw this.#stopped();
    if (outcome === 'ended' || this.#child !== child) {
      const output = log.textSince(logStart);
      const reason = this.#spec.explain?.(output) ?? `${reasonIn(output) ?? 'no message'} (log: ${log.path})`;
      throw new EmbeddedError(`the ${this.name} did not start: ${reason}`);
    }
    readyAt = Date.now();
    this.#state = 'ready';
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters.clear();
  }

  #spawn(): ChildProcess {
    const { command, args, cwd, env, log, ready, stopSignal, user } = this.#spec;
    const child = spawn(command, args, {
      cwd,
      env,
      // Own session: Ctrl-C at the terminal reaches only the supervisor, which stops its processes in their order.
      detached: true,
      stdio: ready === 'message' ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', log.fd, log.fd],
      ...user,
    });
    if (child.pid !== undefined) this.#children.add(this.name, child.pid, stopSignal);
    for (const input of [child.stdout, child.stderr]) {
      if (input) createInterface({ input }).on('line', (line) => this.#keep(line));
    }
    return child;
  }

  #keep(line: string): void {
    this.#spec.log.write(line);
    const notice = noticeOf(line);
    if (notice !== undefined) this.#progress.say(`${this.name}: ${notice}`);
  }

  async #untilReady(child: ChildProcess): Promise<'ready'> {
    const { ready } = this.#spec;
    if (ready === 'message') await once(child, 'message');
    else while (this.#child === child && !(await ready())) await pause(readyPollMs);
    return 'ready';
  }

  #comeBack(reason: string): void {
    const waitMs = this.#backOffMs;
    const stops = this.#stops;
    this.#backOffMs = Math.min(waitMs * 2, longestBackOffMs);
    this.#restarts += 1;
    this.#state = 'waiting';
    this.#progress.say(`${this.name}: ${reason}; starting it again in ${waitMs / 1000} s`);
    this.#backOff = setTimeout(() => {
      this.#launch().then(
        () => this.#progress.say(`${this.name}: serves again`),
        async (error: unknown) => {
          if (stops !== this.#stops) return;
          this.#child?.kill('SIGKILL');
          await this.#exited;
          if (stops === this.#stops) this.#comeBack(messageOf(error));
        },
      );
    }, waitMs);
  }

  #stopped(): EmbeddedError {
    return new EmbeddedError(`the ${this.name} was stopped`);
  }
}
