import type { MikroORM } from '@mikro-orm/postgresql';
import { type AliasableExpression, sql } from 'kysely';
import type { Logger } from 'pino';
import type { CommandContext } from '../commands/context.ts';
import { type Database, databaseOf, inList } from '../database/database.ts';
import { causeOf } from '../logging/log.ts';
import type { ProcessRef } from './process-ref.ts';
import type { ProcessStart } from './process-start.ts';

/** A row of the outbox: a process that must read its record again or be started. */
export interface WakeUp {
  id: number;
  process: ProcessRef;
  /** The request of the command; sent with the message. */
  requestId: string;
  /** Start state of a new record's process; null for a process that must read its record now. */
  start: ProcessStart | null;
  /** Earlier attempts of relays. */
  attempts: number;
}

/** Sends one wake-up to its process, starting the process if it is missing. */
export type Deliver = (wakeUp: WakeUp) => Promise<void>;

/** Time for the committing process to deliver, before a relay takes the row. */
const deliveryMs = 5_000;
/** Lease of a claimed row, by its number of attempts; also the backoff after a failure. */
const leaseMs = [15_000, 30_000, 60_000, 300_000] as const;
/** Attempts before a warning: about two minutes. */
const attemptsToWarn = 4;
const relayPauseMs = 2_000;
const batch = 100;
const atOnce = 10;

/** Writes a row for each process, in the command's transaction. */
export async function writeWakeUps(
  db: Database,
  processes: ReadonlyMap<ProcessRef, ProcessStart | null>,
  requestId: string,
): Promise<WakeUp[]> {
  if (processes.size === 0) return [];
  return db
    .insertInto('outbox')
    .values(
      [...processes].map(([ref, start]) => ({
        process: ref,
        requestId,
        start,
        attempts: 0,
        availableAt: later(deliveryMs),
        dueAt: later(deliveryMs),
      })),
    )
    .returning(columns)
    .execute();
}

/** Wake-ups of `wakeAll` that the relay sends each second; it also sends rows of other commands. */
const perSecond = 50;

/**
 * Wakes the processes of many records of a kind, in one statement of the command's transaction. A relay delivers them at a limited rate, so
 * that they do not delay commands.
 * @param records their ids
 */
export async function wakeAll(
  { db, requestId }: Pick<CommandContext, 'db' | 'requestId'>,
  kind: string,
  records: AliasableExpression<{ id: number }>,
): Promise<void> {
  const nextTurn = sql<Date>`now() + interval '1 second' * row_number() over (order by ${sql.ref('r.id')}) / ${sql.lit(perSecond)}`;
  await db
    .insertInto('outbox')
    .columns(['process', 'requestId', 'availableAt', 'dueAt'])
    .expression((eb) =>
      eb
        .selectFrom(records.as('r'))
        .select([
          sql<ProcessRef>`${kind}::text || '/' || ${sql.ref('r.id')}`.as('process'),
          sql<string>`${requestId}::text`.as('requestId'),
          nextTurn.as('availableAt'),
          nextTurn.as('dueAt'),
        ]),
    )
    .execute();
}

const columns = ['id', 'process', 'requestId', 'start', 'attempts'] as const;

/**
 * Claims undelivered rows, oldest first, with a lease, so that no other relay takes them. Reads only due rows of the index. The lease
 * of a crashed relay expires.
 */
async function claimUndelivered(db: Database): Promise<WakeUp[]> {
  const wait = leaseMs.map((ms, attempts) => sql`when ${sql.ref('attempts')} <= ${sql.lit(attempts)} then ${sql.lit(ms)}`);
  return db
    .updateTable('outbox')
    .set({
      attempts: sql<number>`${sql.ref('attempts')} + 1`,
      availableAt: sql<Date>`now() + interval '1 millisecond' * case ${sql.join(wait, sql` `)} else ${sql.lit(leaseMs[3])} end`,
    })
    .where('id', 'in', (left) =>
      left
        .selectFrom('outbox')
        .select('id')
        .where('availableAt', '<=', sql<Date>`now()`)
        .orderBy('availableAt')
        .limit(batch)
        .forUpdate()
        .skipLocked(),
    )
    .returning(columns)
    .execute();
}

/**
 * Reads how many wake-ups wait and the age of the oldest, among a number of rows.
 * @returns seconds since a relay may deliver it; 0 before
 */
export async function readOutboxState(db: Database, most: number): Promise<{ rows: number; oldestSeconds: number }> {
  const some = db
    .selectFrom('outbox')
    .select('dueAt')
    .orderBy('id')
    .limit(sql.lit(most + 1));
  const { total, oldestSeconds } = await db
    .selectFrom(some.as('w'))
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      sql<number>`coalesce(greatest(0, extract(epoch from now() - min(${sql.ref('w.dueAt')}))), 0)::float8`.as('oldestSeconds'),
    ])
    .executeTakeFirstOrThrow();
  return { rows: Math.min(total, most), oldestSeconds };
}

function later(ms: number) {
  return sql<Date>`now() + interval '1 millisecond' * ${sql.lit(ms)}`;
}

/** A wake-up that waits for its turn, and the rows that it delivers: later ones of the same process are merged into it. */
interface Queued {
  wakeUp: WakeUp;
  ids: number[];
}

/** The outbox for commands: delivers after the commit in the background. */
export interface Outbox {
  deliver(wakeUps: readonly WakeUp[]): void;
  /** Runs the relay until `close`: delivers rows that the committing process left. For workers. */
  startRelay(): void;
  /** Waits for deliveries in progress. */
  close(): Promise<void>;
}

/** For programs without Temporal: the workers' relay delivers. */
export const relayOnlyOutbox: Outbox = { deliver: () => undefined, startRelay: () => undefined, close: async () => undefined };

/**
 * Delivers wake-ups and deletes their rows. A message may arrive twice, which is harmless. The committing process delivers ten at once, as the
 * relay does, and one to each process at a time: a record that changes many times a second would else prevent the next run of its process.
 */
export class DeliveringOutbox implements Outbox {
  readonly #orm: MikroORM;
  readonly #send: Deliver;
  readonly #log: Logger;
  readonly #active = new Set<Promise<void>>();
  readonly #waiting = new Map<ProcessRef, Queued[]>();
  /** Processes that get a wake-up now. */
  readonly #sending = new Set<ProcessRef>();
  #delivered: number[] = [];
  #removing: Promise<void> | null = null;
  #isClosed = false;
  #wake: (() => void) | null = null;

  constructor(orm: MikroORM, send: Deliver, log: Logger) {
    this.#orm = orm;
    this.#send = send;
    this.#log = log;
  }

  deliver(wakeUps: readonly WakeUp[]): void {
    for (const wakeUp of wakeUps) this.#queue(wakeUp);
    this.#sendNext();
  }

  startRelay(): void {
    void this.#track(this.#relay());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  #queue(wakeUp: WakeUp): void {
    const { process: ref, id, start } = wakeUp;
    const queued = this.#waiting.get(ref) ?? [];
    const last = queued.at(-1);
    // One message after both commits serves both.
    if (last !== undefined && last.wakeUp.start === null && start === null) Object.assign(last, { wakeUp, ids: [...last.ids, id] });
    else queued.push({ wakeUp, ids: [id] });
    this.#waiting.set(ref, queued);
  }

  /** After `close` the relay delivers what still waits. */
  #sendNext(): void {
    for (const [ref, queued] of this.#waiting) {
      if (this.#isClosed || this.#sending.size >= atOnce) return;
      if (this.#sending.has(ref)) continue;
      const next = queued.shift();
      if (queued.length === 0) this.#waiting.delete(ref);
      if (next === undefined) continue;
      this.#sending.add(ref);
      const done = this.#handOver(next.wakeUp, next.ids).finally(() => {
        this.#sending.delete(ref);
        this.#sendNext();
      });
      void this.#track(done);
    }
  }

  #track(work: Promise<void>): Promise<void> {
    const followed = work.finally(() => this.#active.delete(followed));
    this.#active.add(followed);
    return followed;
  }

  async #handOver(wakeUp: WakeUp, ids: readonly number[] = [wakeUp.id]): Promise<void> {
    try {
      await this.#send(wakeUp);
    } catch (error) {
      const { process: ref, requestId, attempts } = wakeUp;
      const facts = { process: ref, request_id: requestId, attempts, cause: causeOf(error) };
      this.#log[attempts >= attemptsToWarn ? 'warn' : 'debug'](facts, 'a wake-up was not delivered; it stays in the outbox');
      return;
    }
    await this.#remove(ids);
  }

  /** Rows that are delivered at about the same time are removed by one statement. */
  #remove(ids: readonly number[]): Promise<void> {
    this.#delivered.push(...ids);
    this.#removing ??= Promise.resolve().then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const delivered = this.#delivered;
      this.#delivered = [];
      this.#removing = null;
      try {
        await databaseOf(this.#orm.em.fork()).deleteFrom('outbox').where('id', '=', inList(delivered)).execute();
      } catch (error) {
        // The relay delivers them again and then deletes them.
        this.#log.debug({ cause: causeOf(error) }, 'cannot delete delivered wake-ups');
      }
    });
    return this.#removing;
  }

  async #relay(): Promise<void> {
    while (!this.#isClosed) {
      const isFull = await this.#relayBatch();
      if (!isFull && !this.#isClosed) await this.#pause();
    }
  }

  /** @returns whether more rows may be due */
  async #relayBatch(): Promise<boolean> {
    try {
      const left = await claimUndelivered(databaseOf(this.#orm.em.fork()));
      const queue = [...left];
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (let next = queue.shift(); next && !this.#isClosed; next = queue.shift()) await this.#handOver(next);
        }),
      );
      return left.length === batch;
    } catch (error) {
      this.#log.warn({ cause: causeOf(error) }, 'cannot read the outbox; the relay retries');
      return false;
    }
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, relayPauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
