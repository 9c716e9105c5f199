import { Kysely, sql } from 'kysely';
import { createDialect } from './dialect.ts';
import type { DatabaseTimeouts } from './orm.ts';

/**
 * The requests with an `Idempotency-Key` that run now, in all API processes (API-6). Each holds an advisory lock of PostgreSQL on a
 * connection that this process keeps for them: a crash releases it. Only the answer to simultaneous requests depends on it; that each takes
 * effect once follows from its row (`../idempotent-request.ts`).
 */
export class RunningRequests {
  readonly #db: Kysely<object>;
  /** A session may take its own lock twice. */
  readonly #ids = new Set<string>();

  constructor(databaseUrl: string, { answerMs }: DatabaseTimeouts) {
    const dialect = createDialect({
      connectionString: databaseUrl,
      application_name: 'running requests',
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      keepAlive: true,
    });
    this.#db = new Kysely({ dialect });
  }

  /**
   * @param id SHA-256 of a request's principal and key, in hexadecimal
   * @returns ends the request for all processes; null when the same request runs already
   */
  async begin(id: string): Promise<(() => Promise<void>) | null> {
    if (this.#ids.has(id)) return null;
    this.#ids.add(id);
    const key = BigInt.asIntN(64, BigInt(`0x${id.slice(0, 16)}`)).toString();
    try {
      const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${key}) as taken`.execute(this.#db);
      if (rows[0]?.taken === true) return () => this.#end(id, key);
    } catch (error) {
      this.#ids.delete(id);
      throw error;
    }
    this.#ids.delete(id);
    return null;
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }

  async #end(id: string, key: string): Promise<void> {
    this.#ids.delete(id);
    // Without its connection there is no lock.
    await sql`select pg_advisory_unlock(${key})`.execute(this.#db).catch(() => undefined);
  }
}
