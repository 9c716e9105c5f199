import { Client } from 'pg';
import type { Logger } from 'pino';
import { Socket } from 'node:net';
import { causeOf } from '../log.ts';

/** Handlers of a channel's messages. */
export interface Listening {
  channel: string;
  /** A message came. */
  hear(payload: string): void;
  /** The connection was lost and is back: notifications in between are missed. */
  returned(): void;
}

/** A connection, and the socket through which it talks: one that is dead is cut there. */
interface Line {
  client: Client;
  socket: Socket;
}

/** How long a connection may take to come about, and an answer on it to come. */
const patienceMs = 5_000;
/** Interval of a ping: a silent connection may be dead without an error. */
const pulseMs = 15_000;
/** From one try to connect to the next. */
const pause = { leastMs: 100, mostMs: 5_000 };

/**
 * The one LISTEN connection of a process. Outside of the pool, because it is held for as long as there are listeners. Reconnects by itself.
 */
export class DatabaseListener {
  readonly #databaseUrl: string;
  readonly #log: Pick<Logger, 'warn' | 'info'>;
  readonly #listening: Listening;
  #line: Line | null = null;
  #connecting: Promise<void> | null = null;
  #tries = 0;
  #wasThere = false;
  #isClosed = false;
  #pulse: NodeJS.Timeout | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(databaseUrl: string, log: Pick<Logger, 'warn' | 'info'>, listening: Listening) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
    this.#listening = listening;
  }

  /**
   * Resolves once it listens: later commits are received. The first call connects.
   * @throws the driver's error when the database is unreachable; it reconnects in the background then
   */
  async ready(): Promise<void> {
    if (this.#isClosed) throw new Error('the listener is closed');
    if (this.#line === null) await this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pulse !== null) clearInterval(this.#pulse);
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#connecting?.catch(() => undefined);
    const line = this.#line;
    this.#line = null;
    if (line !== null) await release(line);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #open(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    const socket = new Socket();
    const client = new Client({
      connectionString: this.#databaseUrl,
      stream: () => socket,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      keepAlive: true,
      application_name: `listens to ${this.#listening.channel}`,
    });
    const line = { client, socket };
    client.on('error', () => this.#lose(line));
    client.on('end', () => this.#lose(line));
    client.on('notification', ({ payload }) => this.#listening.hear(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen "${this.#listening.channel}"`);
    } catch (error) {
      void release(line);
      this.#tryAgain(error);
      throw error;
    }
    if (this.#isClosed) {
      await release(line);
      return;
    }
    this.#line = line;
    this.#tries = 0;
    this.#pulse = setInterval(() => void this.#feelPulse(line), pulseMs);
    this.#pulse.unref();
    if (this.#wasThere) {
      this.#log.info({ channel: this.#listening.channel }, 'the database is listened to again');
      this.#listening.returned();
    }
    this.#wasThere = true;
  }

  async #feelPulse(line: Line): Promise<void> {
    try {
      await line.client.query('select 1');
    } catch {
      this.#lose(line);
    }
  }

  #lose(line: Line): void {
    if (this.#line !== line) return;
    this.#line = null;
    if (this.#pulse !== null) clearInterval(this.#pulse);
    void release(line);
    this.#tryAgain(new Error('the connection was lost'));
  }

  /** Soon at first, then more and more seldom; half of each pause is chance, so that processes do not come back all at once. */
  #tryAgain(error: unknown): void {
    if (this.#isClosed || this.#retry !== null) return;
    this.#log.warn({ channel: this.#listening.channel, cause: causeOf(error) }, 'the database is not listened to');
    const most = Math.min(pause.mostMs, pause.leastMs * 2 ** this.#tries);
    this.#tries = Math.min(this.#tries + 1, 10);
    this.#retry = setTimeout(() => void this.#connectAgain(), most * (0.5 + Math.random() / 2));
    this.#retry.unref();
  }

  async #connectAgain(): Promise<void> {
    try {
      await this.#connect();
    } catch {
      // Another try is under way.
    }
  }
}

/** A connection that is dead does not answer to a farewell: it is cut after a second. */
async function release({ client, socket }: Line): Promise<void> {
  client.on('error', () => undefined);
  let patience: NodeJS.Timeout | undefined;
  const silence = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, 1_000);
  });
  await Promise.race([client.end().catch(() => undefined), silence]);
  clearTimeout(patience);
  socket.destroy();
}
