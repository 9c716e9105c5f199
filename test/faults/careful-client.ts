import { type Answer, type RequestOptions, TestClient } from '../support/client.ts';

/** No request may take longer, whatever dies meanwhile. A quiet machine needs 10 s for Temporal's deadline and a restart of the API on top. */
const longestWaitMs = 90_000;
const firstPauseMs = 100;
const longestPauseMs = 1_000;

/** The outcomes that the clients of a run saw, for the verdict. */
export class Watch {
  /** The count of each outcome: a status, or `no answer`. */
  readonly outcomes = new Map<string, number>();
  /** Errors that no fault explains: an unexpected status, a missing answer. */
  readonly surprises: string[] = [];
  private readonly listeners = new Set<() => void>();

  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  /** A process has put a command into effect. */
  commandSucceeded(): void {
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }

  /** Resolves with the next command in effect. */
  nextCommand(): Promise<void> {
    return new Promise((resolve) => this.listeners.add(resolve));
  }
}

export interface Sending {
  body?: unknown;
  file?: Buffer;
  /** The file of an upload. */
  purpose?: string;
  /** Sent with every repeat, so that the command takes effect once. */
  key?: string;
  /** The final statuses of this request. */
  final?: readonly number[];
}

/** A client that follows the API's document: it repeats requests without an answer or with 503, with the same key. */
export class CarefulClient {
  private readonly client: TestClient;
  private readonly watch: Watch;

  constructor(baseUrl: string, key: string, watch: Watch) {
    this.client = new TestClient(baseUrl, key);
    this.watch = watch;
  }

  /** Sends until a final answer. @throws for an unexpected answer */
  async send(method: string, path: string, sending: Sending = {}): Promise<Answer & { attempts: number }> {
    const { body, file, purpose, key, final = [200, 201] } = sending;
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    let pauseMs = firstPauseMs;
    for (let attempts = 1; ; attempts += 1) {
      const answer = await this.attempt(method, path, {
        headers,
        ...(body === undefined ? {} : { body }),
        ...(file === undefined ? {} : { raw: formWith(file, purpose) }),
      });
      this.watch.count(answer === null ? 'no answer' : String(answer.status));
      if (answer !== null && final.includes(answer.status)) {
        // The steps of processes are POSTs to a record. Their answers prove that API, engine, worker and database all work.
        if (method === 'POST' && /\/(submit|pay|checkout|verify)$/.test(path)) this.watch.commandSucceeded();
        return { ...answer, attempts };
      }
      // The previous attempt, whose connection broke, may still run.
      const mayPass = answer === null || answer.status === 503 || answer.body?.error?.code === 'request_in_progress';
      if (!mayPass) {
        const seen = `${method} ${path} answered ${answer.status} at attempt ${attempts}: ${answer.bytes.toString().slice(0, 500)}`;
        this.watch.surprises.push(seen);
        throw new Error(seen);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  private async attempt(method: string, path: string, options: RequestOptions): Promise<Answer | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const seen = `${method} ${path} was not answered within ${longestWaitMs / 1000} s`;
        this.watch.surprises.push(seen);
        reject(new Error(seen));
      }, longestWaitMs);
    });
    try {
      // A broken connection is no answer; the client does not know the outcome.
      return await Promise.race([this.client.request(method, path, options).catch(() => null), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A form can be sent once, so each attempt makes a new one. */
function formWith(file: Buffer, purpose: string | undefined): FormData {
  const form = new FormData();
  if (purpose !== undefined) form.set('purpose', purpose);
  form.set('file', new Blob([new Uint8Array(file)]), 'scan.pdf');
  return form;
}
