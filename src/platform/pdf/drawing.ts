import { Worker } from 'node:worker_threads';
import type { DrawingJob, DrawingReply } from './drawing-thread.ts';
import type { PdfDefinition } from './render-pdf.ts';

/**
 * A kind of document: the module that describes it, by its address, and the function in it that lays plain data out. Data crosses into a
 * thread, so it holds no functions and no objects of classes but dates and bytes (bytes arrive as `Uint8Array`).
 */
export interface DrawnDocument<Data> {
  module: string;
  describe: string;
  /** Never there: ties the kind to its data. */
  readonly data?: Data;
}

/** Declares a kind of document beside the exported function that describes it. @param module `import.meta.url` */
export function defineDrawnDocument<Data>(module: string, describe: (data: Data) => PdfDefinition): DrawnDocument<Data> {
  return { module, describe: describe.name };
}

/** Draws PDFs in a thread of their own: 15 to 50 ms each, which no command of the same process waits for. */
export interface Drawing {
  /**
   * @returns the same bytes for the same data
   * @throws {UndrawableError} when the page itself is at fault: its description failed, or it brought the thread down twice;
   *   {DrawingUnavailableError} when the thread is, which may pass
   */
  draw<Data>(document: DrawnDocument<Data>, data: Data): Promise<Buffer>;
  /** Ends the thread; what still waits fails. */
  close(): Promise<void>;
}

/** The page cannot be drawn, however often it is tried. */
export class UndrawableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UndrawableError';
  }
}

/** The page was not drawn, through no fault of its own. */
export class DrawingUnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DrawingUnavailableError';
  }
}

const entry = new URL('./drawing-thread.ts', import.meta.url);
/** Several times what the fonts and the largest page take. */
const heapMegabytes = 256;
/** Of them for what is new. Without a limit a page's garbage takes 128 MB, which the thread keeps. */
const newMegabytes = 32;
/** How often a page may bring the thread down before it is the page. */
const mostDeaths = 2;
/** Milliseconds. The fonts of an idle thread are given back. */
const [timeoutMs, idleMs] = [30_000, 60_000];

interface Job extends DrawingJob {
  deaths: number;
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
    if (this.#isClosed) return Promise.reject(new DrawingUnavailableError('the drawing thread is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ module, describe, data, deaths: 0, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const [thread, current] = [this.#thread, this.#current];
    [this.#thread, this.#current] = [null, null];
    for (const job of [...(current ? [current] : []), ...this.#waiting.splice(0)])
      job.reject(new DrawingUnavailableError('the drawing thread is closed'));
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
      // What cannot cross is no plain data.
      this.#finish((failed) => failed.reject(new UndrawableError(messageOf(error))));
    }
  }

  #start(): Worker {
    // Nothing of ours is in there to be read: no secret, no address.
    const thread = new Worker(entry, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: newMegabytes },
    });
    this.#thread = thread;
    thread.on('message', (reply: DrawingReply) => {
      if (this.#thread === thread) this.#finish((job) => answer(job, reply));
    });
    // Followed by its exit.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.#thread === thread) this.#mourn();
    });
    return thread;
  }

  /** A thread that died by itself, or was ended because it took too long. The page may only have been near. */
  #mourn(): void {
    this.#thread = null;
    const job = this.#current;
    if (!job) return;
    this.#current = null;
    job.deaths += 1;
    if (job.deaths < mostDeaths) this.#waiting.unshift(job);
    else job.reject(new UndrawableError(`the page brought the drawing thread down ${job.deaths} times`));
    this.#next();
  }

  #finish(settle: (job: Job) => void): void {
    const job = this.#current;
    this.#current = null;
    if (job) settle(job);
    this.#next();
  }

  /** Its exit rejects the waiting calls. */
  #end(): void {
    const thread = this.#thread;
    if (this.#current === null) this.#thread = null;
    void thread?.terminate();
  }
}

function answer(job: Job, reply: DrawingReply): void {
  if (reply.kind === 'drawn') job.resolve(Buffer.from(reply.pdf.buffer, reply.pdf.byteOffset, reply.pdf.byteLength));
  else job.reject(reply.isOfPage ? new UndrawableError(reply.reason) : new DrawingUnavailableError(reply.reason));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
