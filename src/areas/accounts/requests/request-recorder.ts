import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { databaseOf } from '../../../platform/database/database.ts';
import { causeOf } from '../../../platform/logging/log.ts';
import { metricsRegistry } from '../../../platform/metrics/registry.ts';
import type { RequestRecord, RequestRecords } from '../../../platform/commands/request-records.ts';

/** Pause between two writes. */
const pauseMs = 1000;
/** Most requests that wait for a write; later ones are lost, so that a silent database takes no memory. */
const mostWaiting = 5000;

const lost = new Counter({
  name: 'registry_request_records_lost_total',
  help: 'Requests that the request log lost because the database was too slow or refused them',
  registers: [metricsRegistry],
});

/** Writes requests aside, in one statement a second; a crash loses the last second (ACC-33). */
export class RequestRecorder implements RequestRecords {
  readonly #platform: { orm: MikroORM; log: Logger };
  #waiting: RequestRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;

  constructor(platform: { orm: MikroORM; log: Logger }) {
    this.#platform = platform;
  }

  record(request: RequestRecord): void {
    if (this.#waiting.length >= mostWaiting) lost.inc();
    else this.#waiting.push(request);
    this.#schedule();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#writing = this.#write().finally(() => {
        this.#writing = null;
        if (this.#waiting.length > 0) this.#schedule();
      });
    }, pauseMs);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const requests = this.#waiting;
    this.#waiting = [];
    if (requests.length === 0) return;
    const rows = requests.map(({ userId, keyId, requestId, method, route, status, code, durationMs, at }) => ({
      user_id: userId,
      key_id: keyId,
      request_id: requestId,
      method,
      route,
      status,
      code,
      duration_ms: durationMs,
      at,
    }));
    try {
      await databaseOf(this.#platform.orm.em.fork())
        .insertInto('request_records')
        .columns(['userId', 'keyId', 'requestId', 'method', 'route', 'status', 'code', 'durationMs', 'at'])
        // One parameter for all rows, so that the statement's text is the same for any number.
        .expression(
          sql`select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(user_id int, key_id int, request_id text, method text,
            route text, status int, code text, duration_ms int, at timestamptz)`,
        )
        .execute();
    } catch (error) {
      lost.inc(rows.length);
      this.#platform.log.warn({ count: rows.length, cause: causeOf(error) }, 'cannot write the request log');
    }
  }
}
