import type { MikroORM } from '@mikro-orm/postgresql';
import { type AliasableExpression, sql } from 'kysely';
import type { Logger } from 'pino';
import type { CommandContext } from '../context.ts';
import { type Database, databaseOf, inList } from '../database/database.ts';
import { causeOf } from '../log.ts';
import type { ProcessRef } from '../process-ref.ts';
import type { ProcessStart } from '../process-start.ts';

/** A row of the outbox: a process that must look at its record again, or must exist. */
export interface WakeUp {
  id: number;
  process: ProcessRef;
  /** Of the request whose command woke it; travels with the message. */
  requestId: string;
  /** How the process of a new record begins; null for one that must look at its record now. */
  start: ProcessStart | null;
  /** Relays that have tried before. */
  attempts: number;
}

/** Sends one wake-up to its process, starting the process if it is missing. */
export type Deliver = (wakeUp: WakeUp) => Promise<void>;

/** Time for the committing process to deliver, before a relay takes the row. */
const deliveryMs = 5_000;
/** A relay that claimed a row and died gives it back after this; after each try that failed the row waits longer, up to the last. */
const leaseMs = [15_000, 30_000, 60_000, 300_000] as const;
/** Attempts before a warning: about two minutes. */
const attemptsToWarn = 4;
const relayPauseMs = 2_000;
const batch = 100;
const atOnce = 10;

/** Writes a row for each process, in the command's own transaction. */
export async function writeWakeUps(
  db: Database,
  processes: ReadonlyMap<ProcessRef, ProcessStart | null>,
  requestId: string,
): Promise<WakeUp[]> {
  if (processes.size === 0) return [];
  return db
    .insertInto('outbox')
    .values([...processes].map(([ref, start]) => ({ process: ref, requestId, start, attempts: 0, availableAt: later(deliveryMs) })))
    .returning(columns)
    .execute();
}

/** So many wake-ups of `wakeAll` become the relay's each second: other commands' left-overs find their place between them. */
const perSecond = 50;

/**
 * Wakes the processes of many records of a kind, in one statement of the command's transaction. A relay delivers them at its pace:
 * thousands at once would delay commands.
 * @param records their ids
 */
export async function wakeAll(
  { db, requestId }: Pick<CommandContext, 'db' | 'requestId'>,
  kind: string,
  records: AliasableExpression<{ id: number }>,
): Promise<void> {
  await db
    .insertInto('outbox')
    .columns(['process', 'requestId', 'availableAt'])
    .expression((eb) =>
      eb
        .selectFrom(records.as('r'))
        .select([
          sql<ProcessRef>`${kind}::text || '/' || ${sql.ref('r.id')}`.as('process'),
          sql<string>`${requestId}::text`.as('requestId'),
          sql<Date>`now() + interval '1 second' * row_number() over (order by ${sql.ref('r.id')}) / ${sql.lit(perSecond)}`.as(
            'availableAt',
          ),
        ]),
    )
    .execute();
}

const columns = ['id', 'process', 'requestId', 'start', 'attempts'] as const;

/**
 * Claims undelivered rows, oldest first, with a lease, so that no other relay takes them. Reads the index of `available_at` up to now only.
 * The row of a crashed relay becomes available again.
 */
async function claimLeft(db: Database): Promise<WakeUp[]> {
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

function later(ms: number) {
  return sql<Date>`now() + interval '1 millisecond' * ${sql.lit(ms)}`;
}

/** The outbox for commands: delivers after the commit in the background. */
export interface Outbox {
  deliver(wakeUps: readonly WakeUp[]): void;
  /** Runs the relay until `close`: delivers rows that the committing process left. For workers. */
  startRelay(): void;
  /** Waits for deliveries in progress. */
  close(): Promise<void>;
}

/** For programs without Temporal: leaves deliveries to the workers' relay. */
export const undelivered: Outbox = { deliver: () => undefined, startRelay: () => undefined, close: async () => undefined };

/** Delivers wake-ups and removes their rows. A message may arrive twice, which does no harm. */
export class DeliveringOutbox implements Outbox {
  readonly #orm: MikroORM;
  readonly #send: Deliver;
  readonly #log: Logger;
  readonly #underWay = new Set<Promise<void>>();
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
    for (const wakeUp of wakeUps) void this.#follow(this.#handOver(wakeUp));
  }

  startRelay(): void {
    void this.#follow(this.#relay());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #follow(work: Promise<void>): Promise<void> {
    const followed = work.finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
    return followed;
  }

  async #handOver(wakeUp: WakeUp): Promise<void> {
    try {
      await this.#send(wakeUp);
    } catch (error) {
      const { process: ref, requestId, attempts } = wakeUp;
      const facts = { process: ref, request_id: requestId, attempts, cause: causeOf(error) };
      this.#log[attempts >= attemptsToWarn ? 'warn' : 'debug'](facts, 'a wake-up was not delivered; it stays in the outbox');
      return;
    }
    await this.#remove(wakeUp.id);
  }

  /** Rows that are delivered at about the same time are removed by one statement. */
  #remove(id: number): Promise<void> {
    this.#delivered.push(id);
    this.#removing ??= Promise.resolve().then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const ids = this.#delivered;
      this.#delivered = [];
      this.#removing = null;
      try {
        await databaseOf(this.#orm.em.fork()).deleteFrom('outbox').where('id', '=', inList(ids)).execute();
      } catch (error) {
        // The relay delivers them once more and removes them then.
        this.#log.debug({ cause: causeOf(error) }, 'delivered wake-ups were not removed');
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

  /** @returns whether there may be more at once */
  async #relayBatch(): Promise<boolean> {
    try {
      const left = await claimLeft(databaseOf(this.#orm.em.fork()));
      const queue = [...left];
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (let next = queue.shift(); next && !this.#isClosed; next = queue.shift()) await this.#handOver(next);
        }),
      );
      return left.length === batch;
    } catch (error) {
      this.#log.warn({ cause: causeOf(error) }, 'the outbox could not be read; its relay tries again');
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
