import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Counter } from 'prom-client';
import type { Logger } from 'pino';
import { metricsRegistry } from '../http/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { databaseOf } from '../platform/database/database.ts';
import { causeOf } from '../platform/log.ts';
import type { SecurityEvent, SecurityLog } from '../platform/security-log.ts';

/** Different events of one action that a process keeps of one minute; a flood from many addresses costs no more than these. */
const mostOfOneMinute = 100;
/** Different events that a process knows, of all actions; more are lost while the database does not answer. */
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
  help: 'Security events that were not written: too many at once, or the database did not take them',
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
 * row with their count, whichever process met them. What does not fit is counted (`registry_security_events_lost_total`).
 */
export class SecurityRecorder implements SecurityLog {
  readonly #platform: RecorderPlatform;
  readonly #present: () => number;
  readonly #gathered = new Map<string, Gathered>();
  /** How many different events of each action the present minute has. */
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
    const key = `${event.action} ${event.ip ?? ''} ${event.actorId ?? ''} ${event.impersonatedUserId ?? ''}`;
    const known = this.#gathered.get(key);
    // What the minute before has left waiting takes this one along.
    if (known !== undefined && (known.minute === minute || known.waiting > 0)) {
      known.waiting += 1;
      noteOther(known, event);
      this.#schedule();
      return;
    }
    const ofAction = this.#ofMinute.get(event.action) ?? 0;
    if (ofAction >= mostOfOneMinute || this.#gathered.size >= mostKnown) {
      lost.inc();
      return;
    }
    this.#ofMinute.set(event.action, ofAction + 1);
    const fingerprint = createHash('sha256').update(`${minute} ${key}`).digest('hex');
    this.#gathered.set(key, { event, at, fingerprint, minute, waiting: 1, others: new Set(), unwritten: [] });
    this.#schedule();
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
