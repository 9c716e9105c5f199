import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { createHash } from 'node:crypto';
import { wideNetworkOf } from '../../http/request/client-address.ts';
import type { Clock } from '../../platform/time/clock.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { anyOf, databaseOf } from '../../platform/database/database.ts';
import { minuteMs } from '../../platform/time/date-time.ts';
import { causeOf } from '../../platform/logging/log.ts';
import { metricsRegistry } from '../../platform/metrics/registry.ts';
import type { SecurityEvent, SecurityLog } from '../../platform/logging/security-log.ts';

/** Retention of security events, days (AUD-7). */
const keptDays = 90;

/**
 * Deletes security events older than ninety days by the registry's clock, the oldest first (AUD-7). Reads `security_events_at_index`.
 * @param limit most rows to delete
 * @returns the number of deleted rows
 */
export async function deleteOldSecurityEvents({ db, now }: Pick<CommandContext, 'db' | 'now'>, limit: number): Promise<number> {
  const old = db
    .selectFrom('security_events')
    .select('id as key')
    .where('at', '<', new Date(now.getTime() - keptDays * 24 * 60 * 60_000))
    .orderBy('at')
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('security_events').where('id', '=', anyOf(old)).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Most rows of one action and minute in one process, for signed-in and anonymous callers each; one more row counts the rest (AUD-6). */
const mostOfOneMinute = 100;
/** Most of these rows for one network of anonymous callers, because an attacker may own all its addresses; one row has the rest (AUD-6). */
const mostOfNetwork = 5;
/** Most rows of all actions that a process keeps in memory; above it, each action has one row. */
const mostKnown = 2000;
/** Most other subjects that an event names; `count` shows the rest. */
const mostOthers = 20;
/** Time from the first waiting event to its write; events of this time are written together. */
const gatherMs = 100;
/** Shortest time between two writes. */
const pauseMs = 1000;

const lost = new Counter({
  name: 'registry_security_events_lost_total',
  help: 'Security events that were lost because the database refused them',
  registers: [metricsRegistry],
});

/** Equal events of one minute, and the number that is not written yet. */
interface Gathered {
  event: SecurityEvent;
  /** Instant of the first event, in real time. */
  at: number;
  fingerprint: string;
  minute: number;
  waiting: number;
  /** Subjects of the later events as `kind/id`; `unwritten` has those that are not written yet. */
  others: Set<string>;
  unwritten: string[];
}

/** The parts of the platform that the recorder needs. */
export interface RecorderPlatform {
  orm: Pick<MikroORM, 'em'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/**
 * Writes security events into `security_events` (AUD-5), in the background and in its own statement. A rollback does not lose them, and
 * a slow database does not delay requests.
 *
 * Equal events of a minute are one row, for all processes together. A flood of one action is grouped (AUD-6), so that it hides neither
 * its own extent nor other actions. Events that the database refuses are counted in `registry_security_events_lost_total`.
 */
export class SecurityRecorder implements SecurityLog {
  readonly #platform: RecorderPlatform;
  readonly #present: () => number;
  readonly #gathered = new Map<string, Gathered>();
  /** Number of rows of each action, and of each network in each action, in the present minute. */
  readonly #ofMinute = new Map<string, number>();
  #minute = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #writtenAt = -Infinity;

  /** @param present returns the real time in milliseconds; tests pass their own */
  constructor(platform: RecorderPlatform, present: () => number = Date.now) {
    this.#platform = platform;
    this.#present = present;
  }

  record(event: SecurityEvent): void {
    const at = this.#present();
    const minute = this.#minuteOf(at);
    const { action } = event;
    const network = wideNetworkOf(event.ip);
    const isAnonymous = event.actorId === null;
    const ofNetwork = `${action} ${network}`;
    const ofAction = isAnonymous ? action : `${action} signed in`;
    const hasRoom = this.#countOf(ofAction) < mostOfOneMinute && this.#gathered.size < mostKnown;
    const rows: { key: string; row: SecurityEvent; hasRoom: boolean }[] = [
      {
        key: `${action} ${event.ip ?? ''} ${event.actorId ?? ''} ${event.impersonatedUserId ?? ''}`,
        row: event,
        hasRoom: hasRoom && (!isAnonymous || this.#countOf(ofNetwork) < mostOfNetwork),
      },
      { key: `${ofNetwork} others`, row: withoutActor(event, network), hasRoom },
      { key: `${action} others`, row: withoutActor(event, null), hasRoom: true },
    ];
    for (const { key, row, hasRoom: mayBegin } of rows) {
      const known = this.#gathered.get(key);
      // A row of the former minute that still waits to be written takes this event too.
      if (known !== undefined && (known.minute === minute || known.waiting > 0)) {
        known.waiting += 1;
        noteOther(known, event);
      } else if (mayBegin) {
        this.#ofMinute.set(ofAction, this.#countOf(ofAction) + 1);
        if (isAnonymous) this.#ofMinute.set(ofNetwork, this.#countOf(ofNetwork) + 1);
        const fingerprint = createHash('sha256').update(`${minute} ${key}`).digest('hex');
        this.#gathered.set(key, { event: row, at, fingerprint, minute, waiting: 1, others: new Set(), unwritten: [] });
      } else continue;
      this.#schedule();
      return;
    }
  }

  #countOf(name: string): number {
    return this.#ofMinute.get(name) ?? 0;
  }

  async flush(): Promise<void> {
    await this.#writing;
    await this.#begin();
  }

  close(): Promise<void> {
    return this.flush();
  }

  #minuteOf(at: number): number {
    const minute = Math.floor(at / minuteMs);
    if (minute !== this.#minute) this.#ofMinute.clear();
    this.#minute = minute;
    return minute;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => void this.#begin(), Math.max(gatherMs, this.#writtenAt + pauseMs - this.#present()));
    this.#timer.unref();
  }

  /** Starts a write, one at a time; events that arrive meanwhile wait for the next. */
  #begin(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
      if (this.#gathered.values().some(({ waiting }) => waiting > 0)) this.#schedule();
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const minute = this.#minuteOf(this.#present());
    const waiting: (Gathered & { count: number })[] = [];
    for (const [key, gathered] of this.#gathered) {
      if (gathered.waiting > 0) waiting.push({ ...gathered, count: gathered.waiting });
      gathered.waiting = 0;
      gathered.unwritten = [];
      // Rows of past minutes leave the memory; a row of this minute can still get more events.
      if (gathered.minute !== minute) this.#gathered.delete(key);
    }
    if (waiting.length === 0) return;
    this.#writtenAt = this.#present();
    try {
      await this.#insert(waiting);
    } catch (error) {
      const count = waiting.reduce((sum, gathered) => sum + gathered.count, 0);
      lost.inc(count);
      this.#platform.log.warn({ count, cause: causeOf(error) }, 'cannot write security events');
    }
  }

  async #insert(waiting: readonly (Gathered & { count: number })[]): Promise<void> {
    const db = databaseOf(this.#platform.orm.em.fork());
    const ahead = (await this.#platform.clock.now(db)).getTime() - this.#present();
    const rows = waiting.map(({ event, at, fingerprint, count, unwritten }) => ({
      action: event.action,
      actor_id: event.actorId,
      impersonated_user_id: event.impersonatedUserId,
      subject_kind: event.subject.kind,
      // Cut to the column's length: one refused row would fail the whole statement.
      subject_id: String(event.subject.id).slice(0, 60),
      ip: event.ip?.slice(0, 64) ?? null,
      request_id: event.requestId,
      at: new Date(at + ahead),
      count,
      data: { ...event.data, others: unwritten },
      fingerprint,
    }));
    await db
      .insertInto('security_events')
      .columns([
        'action',
        'actorId',
        'impersonatedUserId',
        'subjectKind',
        'subjectId',
        'ip',
        'requestId',
        'at',
        'count',
        'data',
        'fingerprint',
      ])
      // One parameter for all rows, so that the statement's text is the same for any number.
      .expression(
        sql`select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(action text, actor_id int, impersonated_user_id int,
          subject_kind text, subject_id text, ip text, request_id text, at timestamptz, count int, data jsonb, fingerprint text)`,
      )
      .onConflict((conflict) =>
        conflict.column('fingerprint').doUpdateSet((eb) => ({
          count: eb('security_events.count', '+', eb.ref('excluded.count')),
          data: withOthers,
        })),
      )
      .execute();
  }
}

/** The row's data with the subjects of its later events. */
const withOthers = sql<Record<string, unknown>>`case
  when jsonb_array_length(security_events.data -> 'others') < ${sql.lit(mostOthers)}
    then jsonb_set(security_events.data, '{others}', (security_events.data -> 'others') || (excluded.data -> 'others'))
  else security_events.data end`;

function noteOther({ event: { subject: first }, others, unwritten }: Gathered, { subject }: SecurityEvent): void {
  const name = `${subject.kind}/${subject.id}`;
  if (name === `${first.kind}/${first.id}` || others.has(name) || others.size >= mostOthers) return;
  others.add(name);
  unwritten.push(name);
}

/** Turns the first of several events into a row for all of them, without account and single address. */
function withoutActor(event: SecurityEvent, network: string | null): SecurityEvent {
  return { ...event, actorId: null, impersonatedUserId: null, ip: network, data: { ...event.data, grouped: true } };
}
