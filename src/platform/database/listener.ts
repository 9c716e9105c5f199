import { Client } from 'pg';
import type { Logger } from 'pino';
import { Socket } from 'node:net';
import { causeOf } from '../logging/log.ts';

/** Handlers of one channel. */
export interface ListenerHandlers {
  channel: string;
  /** A message arrived. */
  onMessage(payload: string): void;
  /** The connection was lost and is back: messages in between are missing. */
  onReconnect(): void;
}

/** A connection with its socket; destroying the socket ends a dead connection. */
interface ListenConnection {
  client: Client;
  socket: Socket;
}

/** Time limit of connecting and of a query. */
const timeoutMs = 5_000;
/** Interval of a ping: a silent connection may be dead without an error. */
const pingIntervalMs = 15_000;
/** Delay between attempts to connect. */
const backoff = { minMs: 100, maxMs: 5_000 };

/** The one LISTEN connection of a process. Not in the pool, because it stays open. Reconnects by itself. */
export class DatabaseListener {
  readonly #databaseUrl: string;
  readonly #log: Pick<Logger, 'warn' | 'info'>;
  readonly #handlers: ListenerHandlers;
  #connection: ListenConnection | null = null;
  #connecting: Promise<void> | null = null;
  #attempts = 0;
  #hasConnected = false;
  #isClosed = false;
  #pingTimer: NodeJS.Timeout | null = null;
  #retryTimer: NodeJS.Timeout | null = null;

  constructor(databaseUrl: string, log: Pick<Logger, 'warn' | 'info'>, handlers: ListenerHandlers) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
    this.#handlers = handlers;
  }

  /**
   * Resolves when it listens: it receives all later commits. The first call connects.
   * @throws the driver's error when the database is unreachable; it then reconnects in the background
   */
  async ready(): Promise<void> {
    if (this.#isClosed) throw new Error('the listener is closed');
    if (this.#connection === null) await this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pingTimer !== null) clearInterval(this.#pingTimer);
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    await this.#connecting?.catch(() => undefined);
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) await release(connection);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #open(): Promise<void> {
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
    const socket = new Socket();
    const client = new Client({
      connectionString: this.#databaseUrl,
      stream: () => socket,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: `listen ${this.#handlers.channel}`,
    });
    const connection = { client, socket };
    client.on('error', () => this.#drop(connection));
    client.on('end', () => this.#drop(connection));
    client.on('notification', ({ payload }) => this.#handlers.onMessage(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen "${this.#handlers.channel}"`);
    } catch (error) {
      void release(connection);
      this.#scheduleReconnect(error);
      throw error;
    }
    if (this.#isClosed) {
      await release(connection);
      return;
    }
    this.#connection = connection;
    this.#attempts = 0;
    this.#pingTimer = setInterval(() => void this.#ping(connection), pingIntervalMs);
    this.#pingTimer.unref();
    if (this.#hasConnected) {
      this.#log.info({ channel: this.#handlers.channel }, 'LISTEN connection restored');
      this.#handlers.onReconnect();
    }
    this.#hasConnected = true;
  }

  async #ping(connection: ListenConnection): Promise<void> {
    try {
      await connection.client.query('select 1');
    } catch {
      this.#drop(connection);
    }
  }

  #drop(connection: ListenConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    if (this.#pingTimer !== null) clearInterval(this.#pingTimer);
    void release(connection);
    this.#scheduleReconnect(new Error('the connection was lost'));
  }

  /** Reconnects with exponential backoff and jitter. */
  #scheduleReconnect(error: unknown): void {
    if (this.#isClosed || this.#retryTimer !== null) return;
    this.#log.warn({ channel: this.#handlers.channel, cause: causeOf(error) }, 'LISTEN connection lost; reconnecting');
    const delayMs = Math.min(backoff.maxMs, backoff.minMs * 2 ** this.#attempts);
    this.#attempts = Math.min(this.#attempts + 1, 10);
    this.#retryTimer = setTimeout(() => void this.#reconnect(), delayMs * (0.5 + Math.random() / 2));
    this.#retryTimer.unref();
  }

  async #reconnect(): Promise<void> {
    try {
      await this.#connect();
    } catch {
      // `#open` has scheduled another attempt.
    }
  }
}

/** Closes a connection; destroys its socket after a second, because a dead server does not answer. */
async function release({ client, socket }: ListenConnection): Promise<void> {
  client.on('error', () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 1_000);
  });
  await Promise.race([client.end().catch(() => undefined), silence]);
  clearTimeout(timer);
  socket.destroy();
}
