import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { AcceptedType, Inspection, InspectionRequest } from './inspection.ts';
import type { InspectorCommand, InspectorReply } from './inspector-process.ts';

export type ExamineOutcome =
  | { kind: 'done'; inspection: Inspection }
  | { kind: 'failed'; reason: string }
  | { kind: 'timeout' }
  /** it took longer than its slice and might not go on */
  | { kind: 'set_aside' }
  /** the process went down by itself; `type` is null when it had not looked at the file yet */
  | { kind: 'crashed'; type: AcceptedType | null }
  /** The process was ended from outside: no verdict about the file. */
  | { kind: 'killed' };

/** The first part of an examination; after `ms` it ends unless it may go on. */
export interface Slice {
  ms: number;
  mayGoOn(): boolean;
}

const entry = fileURLToPath(new URL('./inspector-process.ts', import.meta.url));
const heapMegabytes = 384;
const startTimeoutMs = 30_000;
const killSignals: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const);
/** The parser keeps every name it has ever seen; a fresh process gives that memory back. */
const filesPerProcess = 100;
const idleMs = 60_000;
/**
 * Nice value: under load the processes get a quarter of what the API and the database get. Not the lowest, since a sound file must end
 * within its time while the machine is busy.
 */
const niceness = 5;

/** One process, one file at a time; started when first needed, replaced when it hangs, dies or has grown old. */
export class InspectorChild {
  readonly #timeoutMs: number;
  #process: ChildProcess | null = null;
  #files = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: { timeoutMs: number }) {
    this.#timeoutMs = options.timeoutMs;
  }

  /** @param signal when it is aborted the process is ended, whatever it is at; the outcome is `killed` */
  async examine(request: InspectionRequest, slice: Slice | null, signal?: AbortSignal): Promise<ExamineOutcome> {
    clearTimeout(this.#idle);
    const child = this.#process ?? (await this.#start());
    if (signal?.aborted) {
      this.#rest(child);
      return { kind: 'killed' };
    }
    this.#files += 1;
    keepAlive(child, true);
    const giveUp = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', giveUp, { once: true });
    const outcome = await this.#ask(child, request, slice).finally(() => signal?.removeEventListener('abort', giveUp));
    if ((outcome.kind !== 'done' && outcome.kind !== 'failed') || this.#files >= filesPerProcess) await this.stop();
    else this.#rest(child);
    return outcome;
  }

  /** Until the next file, or until none came for long. */
  #rest(child: ChildProcess): void {
    keepAlive(child, false);
    this.#idle = setTimeout(() => void this.stop(), idleMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const child = this.#process;
    this.#process = null;
    this.#files = 0;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    // An idle process does not hold ours; one that we wait for must.
    keepAlive(child, true);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(entry, [], {
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      // Nothing of ours is in there to be read: no secret, no address.
      env: { MALLOC_ARENA_MAX: '2' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#process = child;
    lowerPriority(child);
    child.once('exit', () => {
      if (this.#process === child) this.#process = null;
    });
    const ready = await firstOf(child, startTimeoutMs, (reply) => (reply.kind === 'ready' ? reply : null));
    if (ready === 'timeout' || ready === 'exit') {
      await this.stop();
      throw new Error('the examining process does not start');
    }
    return child;
  }

  async #ask(child: ChildProcess, request: InspectionRequest, slice: Slice | null): Promise<ExamineOutcome> {
    let type: AcceptedType | null = null;
    const pick = (reply: InspectorReply) => {
      if (reply.kind === 'type') type = reply.type;
      return reply.kind === 'done' || reply.kind === 'failed' ? reply : null;
    };
    const firstMs = slice ? Math.min(slice.ms, this.#timeoutMs) : this.#timeoutMs;
    const answer = firstOf(child, firstMs, pick);
    const command: InspectorCommand = { ...request, deadlineMs: this.#timeoutMs + 5000 };
    child.send(command, () => undefined);
    let outcome = await answer;
    const restMs = this.#timeoutMs - firstMs;
    if (outcome === 'timeout' && restMs > 0) {
      if (!slice?.mayGoOn()) return { kind: 'set_aside' };
      outcome = await firstOf(child, restMs, pick);
    }
    if (outcome === 'timeout') return { kind: 'timeout' };
    if (outcome !== 'exit') return outcome;
    return killSignals.has(child.signalCode) ? { kind: 'killed' } : { kind: 'crashed', type };
  }
}

function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, niceness);
  } catch {
    // It is over already, which its `exit` tells.
  }
}

/** Resolves with what `pick` takes out of the replies, or with how waiting for it ended. */
function firstOf<T>(child: ChildProcess, timeoutMs: number, pick: (reply: InspectorReply) => T | null): Promise<T | 'timeout' | 'exit'> {
  return new Promise((resolve) => {
    const finish = (result: T | 'timeout' | 'exit'): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onExit);
      resolve(result);
    };
    const onMessage = (message: unknown): void => {
      const picked = pick(message as InspectorReply);
      if (picked !== null) finish(picked);
    };
    const onExit = (): void => finish('exit');
    const timer = setTimeout(() => finish('timeout'), timeoutMs);
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.once('error', onExit);
  });
}

/** A process at work holds the caller's process; an idle one does not. */
function keepAlive(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
