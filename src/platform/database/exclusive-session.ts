import { CamelCasePlugin, Kysely, sql } from 'kysely';
import type { Database, Tables } from './database.ts';
import { createDialect } from './dialect.ts';
import type { DatabaseTimeouts } from './orm.ts';

/**
 * A database session outside the pool for work that one process of several does. The process that holds the advisory lock does it; the
 * server frees the lock when the process dies or loses its connection.
 */
export class ExclusiveSession {
  /** For the work itself: its statements fail with the connection that holds the lock. */
  readonly db: Database;
  readonly #lock: string;

  /** @param lock name of the work */
  constructor(databaseUrl: string, lock: string, { lockMs, statementMs, answerMs }: DatabaseTimeouts) {
    this.#lock = lock;
    const dialect = createDialect({
      connectionString: databaseUrl,
      application_name: lock,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: answerMs,
      lock_timeout: lockMs,
      statement_timeout: statementMs,
      query_timeout: answerMs,
      keepAlive: true,
    });
    this.db = new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })] });
  }

  /** Returns whether this process holds the lock. A session that holds it takes it again at once. */
  async holdsLock(): Promise<boolean> {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(hashtextextended(${this.#lock}, 0)) as held`.execute(this.db);
    return rows[0]?.held === true;
  }

  /** Ends the session and frees the lock. */
  async close(): Promise<void> {
    await this.db.destroy();
  }
}
