import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { createHash } from 'node:crypto';
import { metricsRegistry } from '../../http/operations/metrics.ts';
import { wideNetworkOf } from '../../http/request/client-address.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CommandContext } from '../../platform/context.ts';
import { databaseOf } from '../../platform/database/database.ts';
import { causeOf } from '../../platform/log.ts';
import type { SecurityEvent, SecurityLog } from '../../platform/security-log.ts';

/** How long security events are kept, days. */
const keptDays = 90;

/**
 * Deletes security events past their ninety days by the registry's clock, the oldest first. Chosen by `security_events_at_index`. The rows of the
 * audit itself are never deleted: nobody has the right to, and a trigger holds it.
 * @param limit how many at the most
 * @returns how many
 */
export async function deleteOldSecurityEvents({ db, now }: Pick<CommandContext, 'db' | 'now'>, limit: number): Promise<number> {
  const old = db
    .selectFrom('security_events')
    .select('id')
    .where('at', '<', new Date(now.getTime() - keptDays * 24 * 60 * 60_000))
    .orderBy('at')
    .orderBy('id')
    .limit(limit);
  // As a list that PostgreSQL makes first: the rows are then found by their keys and never by reading the table.
  const { numDeletedRows } = await db
    .deleteFrom('security_events')
    .where('id', '=', sql<number>`any(array(${old}))`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Rows of one action that a process writes of one minute, for callers who are signed in and for others; what exceeds them is one more row. */
const mostOfOneMinute = 100;
/** Rows of these for one network of callers who are not signed in; the rest of the network is one row. An attacker may own all addresses of a network. */
const mostOfNetwork = 5;
/** Rows that a process knows, of all actions; beyond them each action has one. */
const mostKnown = 2000;
/** Other subjects that an event names; an attack upon more is known by its count. */
const mostOthers = 20;
/** From the first event that waits to its writing: what comes in the meantime is written with it. */
const gatherMs = 100;
/** From one writing to the next. */
const pauseMs = 1000;
const minuteMs = 60_000;

const lost = new Counter({
  name: 'registry_security_events_lost_total',
  help: 'Security events that were not written because the database did not take them',
  registers: [metricsRegistry],
});

/** Equal events of one minute, and how many of them are not written yet. */
interface Gathered {
  event: SecurityEvent;
  /** Of the first of them, in real time. */
  at: number;
  fingerprint: string;
  minute: number;
  waiting: number;
  /** What the others of them were about, `kind/id`, and which of these is not written yet. */
  others: Set<string>;
  unwritten: string[];
}

/** What the recorder takes of the platform. */
export interface RecorderPlatform {
  orm: Pick<MikroORM, 'em'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/**
 * Writes security events into `security_events`, in the background and in a statement of their own: what a refused command rolls back, a
 * slow database or a flood neither loses them nor holds a request up. Equal ones (one action, one address, one account) of a minute are one
 * row with their count, whichever process met them. Beyond five addresses of a network the others of that network are one row, and beyond a
 * hundred rows of an action its other events are one row: a flood of one action hides neither its own extent nor any other action. What the
 * database does not take is counted (`registry_security_events_lost_total`).
 */
export class SecurityRecorder implements SecurityLog {
  readonly #platform: RecorderPlatform;
  readonly #present: () => number;
  readonly #gathered = new Map<string, Gathered>();
  /** How many rows each action, and each network in each action, has in the present minute. */
  readonly #ofMinute = new Map<string, number>();
  #minute = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #writtenAt = -Infinity;

  /** @param present the real time in milliseconds; tests have their own */
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
      // What the minute before has left waiting takes this one along.
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

  /** One writing at a time; what comes while it lasts waits for the next. */
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
      // What is over is forgotten; what is of this minute is known again when it comes again.
      if (gathered.minute !== minute) this.#gathered.delete(key);
    }
    if (waiting.length === 0) return;
    this.#writtenAt = this.#present();
    try {
      await this.#insert(waiting);
    } catch (error) {
      const count = waiting.reduce((sum, gathered) => sum + gathered.count, 0);
      lost.inc(count);
      this.#platform.log.warn({ count, cause: causeOf(error) }, 'security events could not be written');
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
      // No longer than its column: one that is refused would take the others along.
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
      // As one parameter, so that one text serves any number of rows.
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

/** The data of the row with the subjects that came to it. */
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

/** The first of several events of different addresses and accounts, as a row of all of them. */
function withoutActor(event: SecurityEvent, network: string | null): SecurityEvent {
  return { ...event, actorId: null, impersonatedUserId: null, ip: network, data: { ...event.data, grouped: true } };
}
