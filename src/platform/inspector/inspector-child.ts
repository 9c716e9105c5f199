import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { InspectorCommand, InspectorReply, InspectorResults, InspectorTask } from './inspector-process.ts';

/** A type that the process detected in a file. */
type DetectedType = Extract<InspectorReply, { kind: 'type' }>['type'];

export type ExamineOutcome<Result = InspectorResults[keyof InspectorResults]> =
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; reason: string }
  | { kind: 'timeout' }
  /** it exceeded its slice and was not allowed to continue */
  | { kind: 'preempted' }
  /** the process crashed; `type` is null when it had not detected the type */
  | { kind: 'crashed'; type: DetectedType | null }
  /** the process was killed; says nothing about the file */
  | { kind: 'killed' };

/** The first part of an inspection; after `ms` it ends unless `mayContinue`. */
export interface Slice {
  ms: number;
  mayContinue(): boolean;
}

const entry = fileURLToPath(new URL('./inspector-process.ts', import.meta.url));
const heapMegabytes = 384;
/** Objects of a sheet that are read live long; with V8's own limit of 16 a second sheet takes 100 MB more, and no less time. */
const youngMegabytes = 4;
/**
 * Memory of the JPEG decoder, which holds two bytes for each sample of a progressive image: 120 million pixels in 4:2:0, 100 in 4:2:2, 66 in
 * 4:4:4, 50 in CMYK. Two inspectors with more would not fit beside the API (`ops`).
 */
const jpegMegabytes = 400;
const startTimeoutMs = 30_000;
const killSignals: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const);
/** Limits memory: the parser keeps every name that it has seen. */
const filesPerProcess = 100;
const idleMs = 60_000;
/**
 * Nice value: under load the processes get a quarter of the API's processor time. Not the lowest, because a valid file must be inspected in
 * time on a busy machine.
 */
const niceness = 5;

/**
 * One process that inspects or reads one file at a time. Starts with the first file; replaced when it hangs, crashes or has had
 * `filesPerProcess` files.
 */
export class InspectorChild {
  readonly #timeoutMs: number;
  #process: ChildProcess | null = null;
  #files = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: { timeoutMs: number }) {
    this.#timeoutMs = options.timeoutMs;
  }

  /** @param signal kills the process when aborted; the outcome is `killed` */
  async examine<Name extends keyof InspectorResults>(
    task: Extract<InspectorTask, { task: Name }>,
    slice: Slice | null,
    signal?: AbortSignal,
  ): Promise<ExamineOutcome<InspectorResults[Name]>> {
    clearTimeout(this.#idle);
    const child = this.#process ?? (await this.#start());
    if (signal?.aborted) {
      this.#idleAfterUse(child);
      return { kind: 'killed' };
    }
    this.#files += 1;
    keepAlive(child, true);
    const kill = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', kill, { once: true });
    const outcome = await this.#ask(child, task, slice).finally(() => signal?.removeEventListener('abort', kill));
    if ((outcome.kind !== 'done' && outcome.kind !== 'failed') || this.#files >= filesPerProcess) await this.stop();
    else this.#idleAfterUse(child);
    // The process answers a task with its own result.
    return outcome as ExamineOutcome<InspectorResults[Name]>;
  }

  /** Stops the process after an idle time. */
  #idleAfterUse(child: ChildProcess): void {
    keepAlive(child, false);
    this.#idle = setTimeout(() => void this.stop(), idleMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const child = this.#process;
    this.#process = null;
    this.#files = 0;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    // Keep this process alive until the child has exited.
    keepAlive(child, true);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(entry, [], {
      execArgv: [`--max-old-space-size=${heapMegabytes}`, `--max-semi-space-size=${youngMegabytes}`],
      // No secrets or addresses in the child's environment.
      env: { MALLOC_ARENA_MAX: '2', JPEGMEM: `${jpegMegabytes}M` },
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
      throw new Error('the inspector process does not start');
    }
    return child;
  }

  async #ask(child: ChildProcess, task: InspectorTask, slice: Slice | null): Promise<ExamineOutcome> {
    let type: DetectedType | null = null;
    const pick = (reply: InspectorReply) => {
      if (reply.kind === 'type') type = reply.type;
      return reply.kind === 'done' || reply.kind === 'failed' ? reply : null;
    };
    const firstMs = slice ? Math.min(slice.ms, this.#timeoutMs) : this.#timeoutMs;
    const answer = firstOf(child, firstMs, pick);
    const command: InspectorCommand = { ...task, deadlineMs: this.#timeoutMs + 5000 };
    child.send(command, () => undefined);
    let outcome = await answer;
    const restMs = this.#timeoutMs - firstMs;
    if (outcome === 'timeout' && restMs > 0) {
      if (!slice?.mayContinue()) return { kind: 'preempted' };
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
    // The process has exited; its `exit` event follows.
  }
}

/** Resolves with the first reply that `pick` accepts, or with why none came. */
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

/** A busy child keeps this process alive; an idle one does not. */
function keepAlive(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
