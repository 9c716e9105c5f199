import { Worker } from 'node:worker_threads';
import type { DrawingJob, DrawingReply } from './drawing-thread.ts';
import type { PdfDefinition } from './render-pdf.ts';

/**
 * A kind of document: the URL of its module, and the name of the function that lays out plain data. Data is sent to a thread: no functions,
 * and no class instances except dates and bytes (which arrive as `Uint8Array`).
 */
export interface DrawnDocument<Data> {
  module: string;
  describe: string;
  /** Only for the types: the type of the data. */
  readonly data?: Data;
}

/** Declares a kind of document for an exported function. @param module `import.meta.url` */
export function defineDrawnDocument<Data>(module: string, describe: (data: Data) => PdfDefinition): DrawnDocument<Data> {
  return { module, describe: describe.name };
}

/** Renders PDFs in a thread, so that their 15 to 50 ms do not delay commands. */
export interface Drawing {
  /**
   * @returns the same bytes for the same data
   * @throws {UndrawableError} when the document is at fault: its description failed, or it crashed the thread twice;
   *   {DrawingUnavailableError} when the thread is unavailable for now
   */
  draw<Data>(document: DrawnDocument<Data>, data: Data): Promise<Buffer>;
  /** Stops the thread and rejects waiting documents. */
  close(): Promise<void>;
}

/** The document cannot be rendered; a retry does not help. */
export class UndrawableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UndrawableError';
  }
}

/** The thread failed; says nothing about the document. */
export class DrawingUnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DrawingUnavailableError';
  }
}

const entry = new URL('./drawing-thread.ts', import.meta.url);
/** Several times the need of fonts and the largest document. */
const heapMegabytes = 256;
/** Limit of the young generation; without it the thread keeps 128 MB of garbage. */
const newMegabytes = 32;
/** Crashes after which the document counts as the cause. */
const maxCrashes = 2;
/** Milliseconds. An idle thread stops, to release its fonts. */
const [timeoutMs, idleMs] = [30_000, 60_000];

interface Job extends DrawingJob {
  crashes: number;
  resolve: (pdf: Buffer) => void;
  reject: (error: Error) => void;
}

/** The thread starts with the first page and does not keep the process alive. */
export function createDrawing(): Drawing {
  return new ThreadDrawing();
}

class ThreadDrawing implements Drawing {
  readonly #waiting: Job[] = [];
  #current: Job | null = null;
  #thread: Worker | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  draw<Data>({ module, describe }: DrawnDocument<Data>, data: Data): Promise<Buffer> {
    if (this.#isClosed) return Promise.reject(new DrawingUnavailableError('the rendering thread is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ module, describe, data, crashes: 0, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const [thread, current] = [this.#thread, this.#current];
    [this.#thread, this.#current] = [null, null];
    for (const job of [...(current ? [current] : []), ...this.#waiting.splice(0)])
      job.reject(new DrawingUnavailableError('the rendering thread is closed'));
    await thread?.terminate();
  }

  #next(): void {
    if (this.#current !== null || this.#isClosed) return;
    clearTimeout(this.#timer);
    const job = this.#waiting.shift();
    if (!job) {
      this.#thread?.unref();
      this.#timer = setTimeout(() => this.#end(), idleMs).unref();
      return;
    }
    this.#current = job;
    const thread = this.#thread ?? this.#start();
    thread.ref();
    this.#timer = setTimeout(() => this.#end(), timeoutMs);
    const { module, describe, data } = job;
    try {
      thread.postMessage({ module, describe, data } satisfies DrawingJob, []);
    } catch (error) {
      // The data cannot be cloned.
      this.#finish((failed) => failed.reject(new UndrawableError(messageOf(error))));
    }
  }

  #start(): Worker {
    // No secrets or addresses in the thread's environment.
    const thread = new Worker(entry, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: newMegabytes },
    });
    this.#thread = thread;
    thread.on('message', (reply: DrawingReply) => {
      if (this.#thread === thread) this.#finish((job) => answer(job, reply));
    });
    // The `exit` event follows.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.#thread === thread) this.#handleExit();
    });
    return thread;
  }

  /** Handles a crash or a time-out. The first time, the document may not be the cause, so it is retried. */
  #handleExit(): void {
    this.#thread = null;
    const job = this.#current;
    if (!job) return;
    this.#current = null;
    job.crashes += 1;
    if (job.crashes < maxCrashes) this.#waiting.unshift(job);
    else job.reject(new UndrawableError(`the document crashed the rendering thread ${job.crashes} times`));
    this.#next();
  }

  #finish(settle: (job: Job) => void): void {
    const job = this.#current;
    this.#current = null;
    if (job) settle(job);
    this.#next();
  }

  /** Terminates the thread; its `exit` event settles the current document. */
  #end(): void {
    const thread = this.#thread;
    if (this.#current === null) this.#thread = null;
    void thread?.terminate();
  }
}

function answer(job: Job, reply: DrawingReply): void {
  if (reply.kind === 'drawn') job.resolve(Buffer.from(reply.pdf.buffer, reply.pdf.byteOffset, reply.pdf.byteLength));
  else job.reject(reply.isPageFault ? new UndrawableError(reply.reason) : new DrawingUnavailableError(reply.reason));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
