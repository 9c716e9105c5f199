import type { Readable } from 'node:stream';
import { Counter, Gauge } from 'prom-client';
import { required } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { query } from '../../../platform/commands/command.ts';
import { DatabaseListener } from '../../../platform/database/listener.ts';
import type { LiveStreams, StreamViewer } from '../../../platform/runtime/live-streams.ts';
import { causeOf } from '../../../platform/logging/log.ts';
import { metricsRegistry } from '../../../platform/metrics/registry.ts';
import type { Platform } from '../../../platform/platform.ts';
import { accountsOfSessions } from '../../accounts/index.ts';
import { EventStream } from './event-stream.ts';
import { findPlace, readLastEventId, type StreamPlace } from './place.ts';
import { readStreamEvents, type ReadyEvent, type WantedEvents } from './read-stream-events.ts';

export const openStreams = new Gauge({
  name: 'registry_streams_open',
  help: 'Open live streams',
  registers: [metricsRegistry],
});

const sentEvents = new Counter({
  name: 'registry_stream_events_sent_total',
  help: 'Events sent in live streams, by kind',
  labelNames: ['kind'] as const,
  registers: [metricsRegistry],
});

const endedStreams = new Counter({
  name: 'registry_streams_ended_total',
  help: 'Live streams that ended, by reason: client, session, stalled, shutdown',
  labelNames: ['why'] as const,
  registers: [metricsRegistry],
});

/** The parts of the platform that streams use. */
type StreamsPlatform = Pick<Platform, 'config' | 'orm' | 'clock' | 'log' | 'extensions'>;

/** Timings in milliseconds; tests set their own. */
export interface StreamTimes {
  /** Interval of the timer that checks all times below. */
  beatMs: number;
  /** From one comment in a stream to the next. */
  commentMs: number;
  /** From one check of all sessions to the next: a stream ends within five seconds of its session (NOT-5). */
  checkMs: number;
  /** A client that reads nothing for so long is disconnected. */
  stallMs: number;
  /** Pause before a failed read is retried. */
  retryMs: number;
}

const usualTimes: StreamTimes = { beatMs: 1_000, commentMs: 15_000, checkMs: 2_000, stallMs: 30_000, retryMs: 1_000 };

/** Limit of streams in a process. A stream whose client does not read takes up to 80 KB, so this bounds the memory. */
const maxStreams = 2_000;
/** An account may have the streams of this many sessions, so that one account cannot take all streams. */
const maxSessions = 5;
/** Limits of one read: accounts, and events of each. */
const [accountsAtOnce, eventsAtOnce] = [100, 50];
/** `Retry-After` of a refused client. */
const retryAfterSeconds = 10;
/** Bounds of the random reconnect delay (`retry`), milliseconds: thousands of clients must not reconnect at once. */
const reconnectDelay = { minMs: 2_000, maxMs: 5_000 };

/**
 * The live streams of one API process (NOT-5).
 *
 * NOTIFY at commit names the accounts with new events. Each process reads the events of the accounts that it streams to: many accounts
 * by one statement, one read at a time. So all streams together take one LISTEN connection and one pool connection.
 *
 * No event is lost between the answer's head and the first event: the process listens, then reads the start position, then sends the head.
 * After a lost LISTEN connection, the process reads every account once.
 */
export class DatabaseStreams implements LiveStreams {
  readonly #platform: StreamsPlatform;
  readonly #times: StreamTimes;
  readonly #listener: DatabaseListener;
  readonly #streams = new Set<EventStream>();
  readonly #ofAccount = new Map<number, Set<EventStream>>();
  readonly #ofSession = new Map<string, number>();
  readonly #ofNetwork = new Map<string, number>();
  /** Accounts that may have new events. */
  readonly #due = new Set<number>();
  #isReading = false;
  #isChecking = false;
  #checkedAt = performance.now();
  #beat: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(platform: StreamsPlatform, times: StreamTimes = usualTimes) {
    this.#platform = platform;
    this.#times = times;
    this.#listener = new DatabaseListener(required(platform.config, 'DATABASE_URL'), platform.log, {
      channel: 'stream',
      onMessage: (userId) => this.#markDue(Number(userId)),
      onReconnect: () => this.#markDue(...this.#ofAccount.keys()),
    });
  }

  async open(viewer: StreamViewer, lastEventId: string | undefined): Promise<Readable> {
    const stream = this.#admit(viewer);
    try {
      await this.#listen();
      const { behind, isReset } = await this.#findPlace(viewer, lastEventId);
      if (stream.destroyed) throw new DomainError('service_unavailable');
      stream.begin(behind, writeHead(behind, isReset));
    } catch (error) {
      stream.destroy();
      throw error;
    }
    // For events that it missed, and events committed after its position was read.
    this.#markDue(viewer.userId);
    return stream;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#beat = null;
    const gone = [...this.#streams].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    for (const stream of this.#streams) stream.finish('shutdown');
    await Promise.all([...gone, this.#listener.close()]);
  }

  /** Reserves a place at once, so that parallel requests cannot exceed the limit. */
  #admit(viewer: StreamViewer): EventStream {
    if (this.#isClosed || this.#streams.size >= maxStreams) throw new DomainError('service_unavailable');
    const { sessionId, userId, network } = viewer;
    const { RATE_LIMIT_STREAMS: limit, RATE_LIMIT_STREAMS_PER_IP: limitOfNetwork } = this.#platform.config;
    const ofSession = this.#ofSession.get(sessionId) ?? 0;
    const ofAccount = this.#ofAccount.get(userId) ?? new Set();
    if (ofSession >= limit || ofAccount.size >= limit * maxSessions)
      throw new DomainError('rate_limited', { limit, retry_after_seconds: retryAfterSeconds });
    if ((this.#ofNetwork.get(network) ?? 0) >= limitOfNetwork)
      throw new DomainError('rate_limited', { limit: limitOfNetwork, retry_after_seconds: retryAfterSeconds });
    const stream = new EventStream(viewer, () => this.#markDue(userId));
    add(this.#ofSession, sessionId, 1);
    add(this.#ofNetwork, network, 1);
    this.#streams.add(stream);
    this.#ofAccount.set(userId, ofAccount.add(stream));
    this.#beat ??= setInterval(() => this.#checkStreams(), this.#times.beatMs).unref();
    openStreams.inc();
    stream.once('close', () => this.#remove(stream));
    return stream;
  }

  #remove(stream: EventStream): void {
    const { sessionId, userId, network, accountableUserId, requestId } = stream.viewer;
    add(this.#ofSession, sessionId, -1);
    add(this.#ofNetwork, network, -1);
    this.#streams.delete(stream);
    const ofAccount = this.#ofAccount.get(userId);
    ofAccount?.delete(stream);
    if (ofAccount?.size === 0) this.#ofAccount.delete(userId);
    if (this.#streams.size === 0 && this.#beat !== null) {
      clearInterval(this.#beat);
      this.#beat = null;
    }
    openStreams.dec();
    endedStreams.inc({ why: stream.endedBy });
    this.#platform.log.info(
      {
        request_id: requestId,
        user_id: accountableUserId,
        impersonated_user_id: userId === accountableUserId ? undefined : userId,
        seconds: Math.round((performance.now() - stream.openedAt) / 1000),
        events: stream.sent,
        why: stream.endedBy,
      },
      'live stream ended',
    );
  }

  async #listen(): Promise<void> {
    try {
      await this.#listener.ready();
    } catch (error) {
      throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
    }
  }

  #findPlace({ userId }: StreamViewer, lastEventId: string | undefined): Promise<StreamPlace> {
    return query(this.#platform, (db) => findPlace(db, userId, readLastEventId(lastEventId)));
  }

  #markDue(...userIds: number[]): void {
    for (const userId of userIds) if (this.#ofAccount.has(userId)) this.#due.add(userId);
    if (this.#isReading || this.#due.size === 0) return;
    this.#isReading = true;
    // Notifications of one event-loop turn are read together.
    setImmediate(() => void this.#readDue());
  }

  /** Reads one batch at a time, so an account's events stay in order; accounts due meanwhile are read with the next. */
  async #readDue(): Promise<void> {
    try {
      for (let wanted = this.#takeDue(); wanted.length > 0; wanted = this.#takeDue()) await this.#readPage(wanted);
    } finally {
      this.#isReading = false;
    }
  }

  /** Takes the next accounts that may have new events and have a stream that accepts them. */
  #takeDue(): WantedEvents[] {
    const wanted: WantedEvents[] = [];
    for (const userId of this.#due) {
      this.#due.delete(userId);
      const behind = leastPosition(this.#ofAccount.get(userId));
      if (behind === null) continue;
      wanted.push({ userId, behind });
      if (wanted.length === accountsAtOnce) break;
    }
    return wanted;
  }

  async #readPage(wanted: readonly WantedEvents[]): Promise<void> {
    try {
      const { pages, failures } = await query(this.#platform, (db) =>
        readStreamEvents(db, this.#platform.extensions, wanted, eventsAtOnce),
      );
      for (const place of wanted) this.#sendPage(place, pages.get(place.userId) ?? []);
      if (failures.length === 0) return;
      this.#readLater(
        wanted.filter(({ userId }) => !pages.has(userId)),
        failures[0],
      );
    } catch (error) {
      this.#readLater(wanted, error);
    }
  }

  #readLater(wanted: readonly WantedEvents[], error: unknown): void {
    if (this.#isClosed) return;
    this.#platform.log.warn({ accounts: wanted.length, cause: causeOf(error) }, 'cannot read events of live streams; retrying');
    setTimeout(() => this.#markDue(...wanted.map(({ userId }) => userId)), this.#times.retryMs).unref();
  }

  #sendPage({ userId, behind }: WantedEvents, page: readonly ReadyEvent[]): void {
    for (const stream of this.#ofAccount.get(userId) ?? []) {
      // A stream that opened or drained during the read may need events before this page: the account is due again.
      if (stream.acceptsAfter === null || stream.acceptsAfter < behind) continue;
      for (const { sequence, kind, text } of page) if (stream.send(sequence, text)) sentEvents.inc({ kind });
    }
    if (page.length === eventsAtOnce) this.#due.add(userId);
  }

  #checkStreams(): void {
    for (const stream of this.#streams) {
      if (stream.stalledFor > this.#times.stallMs) stream.finish('stalled');
      else stream.comment(this.#times.commentMs);
    }
    if (performance.now() - this.#checkedAt >= this.#times.checkMs) void this.#checkSessions();
  }

  /**
   * Ends streams whose session is no longer valid for their account: signed out, expired, blocked, without a second factor that is needed
   * now, or impersonation ended (NOT-5). Expiry sends no notification, so all sessions are polled by one statement, by primary key.
   */
  async #checkSessions(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#checkedAt = performance.now();
    const checked = [...this.#streams];
    try {
      const ids = new Set(checked.map(({ viewer }) => viewer.sessionId));
      const accounts = await query(this.#platform, (db) => accountsOfSessions(db, [...ids], this.#platform));
      for (const stream of checked) if (accounts.get(stream.viewer.sessionId) !== stream.viewer.userId) stream.finish('session');
    } catch (error) {
      this.#platform.log.warn({ streams: checked.length, cause: causeOf(error) }, 'cannot check the sessions of live streams; retrying');
    } finally {
      this.#isChecking = false;
    }
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function leastPosition(streams: Iterable<EventStream> | undefined): number | null {
  let least: number | null = null;
  for (const { acceptsAfter: after } of streams ?? []) if (after !== null && (least === null || after < least)) least = after;
  return least;
}

/** Sends the start position as `id`, so that a client cut off before its first event resumes from here. */
function writeHead(behind: number, isReset: boolean): string {
  const retry = Math.round(reconnectDelay.minMs + Math.random() * (reconnectDelay.maxMs - reconnectDelay.minMs));
  return `: live\nretry: ${retry}\nid: ${behind}\n\n${isReset ? `id: ${behind}\nevent: reset\ndata: {}\n\n` : ''}`;
}
