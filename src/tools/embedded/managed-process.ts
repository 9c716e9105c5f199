import { type ChildProcess, spawn } from 'node:child_process';
import { EmbeddedError, messageOf } from './errors.ts';
import { eachLine, type LogFile, noticeOf, reasonIn } from './log-file.ts';
import type { Progress } from './progress.ts';
import type { Guardian } from './watchdog.ts';

export type ManagedProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Working directory; a process that runs as another OS user must be able to enter it. */
  cwd: string;
  user?: { uid: number; gid: number };
  log: LogFile;
  stopSignal: NodeJS.Signals;
  /** How long an ordered stop may take before SIGKILL. */
  stopDeadlineMs: number;
  /** `message`: the process says `{ready: true}` over IPC (and is tied to us by it); a function is asked until it answers true. */
  ready: 'message' | (() => Promise<boolean>);
  readyDeadlineMs: number;
  /** Runs before each start, also after a crash. */
  prepare?: () => Promise<void>;
  /** A clear line for a known way to fail, from what the process wrote. */
  explain?: (output: string) => string | undefined;
};

export type ManagedProcessState = 'stopped' | 'starting' | 'ready' | 'waiting';

const firstBackOffMs = 200;
const longestBackOffMs = 10_000;
const stableAfterMs = 5_000;
const readyPollMs = 100;

/**
 * One process of the stack. After a successful start it is started again whenever it ends by itself: after 200 ms, then 400 ms and so on,
 * up to 10 s. Once it has served for five seconds, the next wait is 200 ms again.
 */
export class ManagedProcess {
  readonly name: string;
  readonly #spec: ManagedProcessSpec;
  readonly #guardian: Guardian;
  readonly #progress: Progress;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #state: ManagedProcessState = 'stopped';
  #isWanted = false;
  #restarts = 0;
  #backOffMs = firstBackOffMs;
  #backOff: NodeJS.Timeout | undefined;
  /** Counts the stops, so that what waits for an earlier start knows that it is over. */
  #stops = 0;
  readonly #waiters = new Set<{ resolve: () => void; reject: (error: Error) => void }>();

  constructor(spec: ManagedProcessSpec, guardian: Guardian, progress: Progress) {
    this.name = spec.name;
    this.#spec = spec;
    this.#guardian = guardian;
    this.#progress = progress;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get state(): ManagedProcessState {
    return this.#state;
  }

  /** How often it was started again after it ended by itself. */
  get restarts(): number {
    return this.#restarts;
  }

  get logPath(): string {
    return this.#spec.log.path;
  }

  /**
   * Starts the process and waits until it serves.
   * @throws {EmbeddedError} with the reason in one line, when it ends or stays silent instead.
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

  /** Resolves as soon as the process serves (at once, if it does); rejects when it is stopped. */
  whenReady(): Promise<void> {
    if (this.#state === 'ready') return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.#isWanted) this.#waiters.add({ resolve, reject });
      else reject(new EmbeddedError(`the ${this.name} is stopped`));
    });
  }

  /** Sends a signal; a process that ends of it is started again. Resolves when it has ended, if the signal ends it. */
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
    for (const waiter of this.#waiters) waiter.reject(new EmbeddedError(`the ${this.name} was stopped`));
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
   * An ordered stop and a new start.
   * @throws {EmbeddedError} when it does not start; it stays stopped then.
   */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async #launch(): Promise<void> {
    this.#state = 'starting';
    await this.#spec.prepare?.();
    if (!this.#isWanted) throw new EmbeddedError(`the ${this.name} was stopped`);
    const { log, user } = this.#spec;
    const logStart = log.position;
    const hasChannel = this.#spec.ready === 'message';
    // Own session: Ctrl-C at the terminal reaches only the supervisor, which stops its processes in their order.
    const child = spawn(this.#spec.command, this.#spec.args, {
      cwd: this.#spec.cwd,
      env: this.#spec.env,
      detached: true,
      stdio: hasChannel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', log.fd, log.fd],
      ...user,
    });
    this.#child = child;
    const failed = new Promise<never>((_, reject) =>
      child.once('error', (error) => reject(new EmbeddedError(`the ${this.name} cannot be started: ${messageOf(error)}`))),
    );
    if (child.pid !== undefined) this.#guardian.guard(this.name, child.pid, this.#spec.stopSignal);
    this.#follow(child);
    let isReady = false;
    this.#exited = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        if (this.#child === child) this.#child = undefined;
        if (child.pid !== undefined) this.#guardian.release(child.pid);
        if (isReady && this.#isWanted) this.#comeBack(`ended (${signal ?? `code ${code}`})`);
        resolve();
      };
      child.once('exit', end);
      child.once('error', () => {
        if (child.pid === undefined) end(null, null);
      });
    });
    const ended = this.#exited.then(() => {
      if (!this.#isWanted) throw new EmbeddedError(`the ${this.name} was stopped`);
      const output = log.textSince(logStart);
      const reason = this.#spec.explain?.(output) ?? `${reasonIn(output) ?? 'no message'} (log: ${log.path})`;
      throw new EmbeddedError(`the ${this.name} did not start: ${reason}`);
    });
    ended.catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const { readyDeadlineMs } = this.#spec;
      timer = setTimeout(
        () => reject(new EmbeddedError(`the ${this.name} did not answer within ${readyDeadlineMs / 1000} s (log: ${log.path})`)),
        readyDeadlineMs,
      );
    });
    await Promise.race([failed, ended, late, this.#untilReady(child)]).finally(() => clearTimeout(timer));
    if (this.#child !== child) return ended;
    isReady = true;
    this.#state = 'ready';
    const since = Date.now();
    child.once('exit', () => {
      if (Date.now() - since >= stableAfterMs) this.#backOffMs = firstBackOffMs;
    });
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters.clear();
  }

  #follow(child: ChildProcess): void {
    const keep = (line: string) => {
      this.#spec.log.write(line);
      const notice = noticeOf(line);
      if (notice !== undefined) this.#progress.say(`${this.name}: ${notice}`);
    };
    if (child.stdout) eachLine(child.stdout, keep);
    if (child.stderr) eachLine(child.stderr, keep);
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const { ready } = this.#spec;
    if (ready === 'message') {
      await new Promise<void>((resolve) => {
        child.on('message', (message) => {
          if (typeof message === 'object' && message !== null && 'ready' in message) resolve();
        });
      });
    } else {
      while (this.#child === child && !(await ready())) await new Promise((resolve) => setTimeout(resolve, readyPollMs));
    }
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
          const child = this.#child;
          child?.kill('SIGKILL');
          await this.#exited;
          if (stops === this.#stops) this.#comeBack(messageOf(error));
        },
      );
    }, waitMs);
  }
}
