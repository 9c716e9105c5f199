import { Gauge, type Registry } from 'prom-client';
import { required } from '../../registry/config.ts';
import type { Database } from '../database/database.ts';
import { ExclusiveSession } from '../database/exclusive-session.ts';
import type { DatabaseTimeouts } from '../database/orm.ts';
import { definePoint } from '../extensions.ts';
import { causeOf } from '../logging/log.ts';
import type { Platform } from '../platform.ts';
import { readOutboxState } from '../workflows/outbox.ts';
import { metricsRegistry } from './registry.ts';

/** Counts of gauges end here, so that a long queue costs no more than a few index pages. */
export const mostCounted = 1_000;

/** What a gauge shows; its labels are bounded. */
interface GaugeFacts {
  help: string;
  labels: readonly string[];
}

/** A value of a gauge. */
export interface GaugeValue<Name extends string = string> {
  name: Name;
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Gauges of the registry's state that are read together. */
export interface StateGauges {
  facts: Readonly<Record<string, GaugeFacts>>;
  /** @param db the reading session; each statement reads a few index pages */
  read(platform: Platform, db: Database, now: Date): Promise<GaugeValue[]>;
}

export const stateGauges = definePoint<StateGauges>('gauges of the state of the registry');

/** Declares gauges that one worker reads twice a minute; an area lists them at `stateGauges`. */
export function defineStateGauges<Name extends string>(
  facts: Readonly<Record<Name, GaugeFacts>>,
  read: (platform: Platform, db: Database, now: Date) => Promise<GaugeValue<Name>[]>,
): StateGauges {
  return { facts, read };
}

/** Seconds since an instant; 0 without one. */
export function ageOf(instant: Date | null | undefined, now: Date): number {
  return instant ? Math.max(0, (now.getTime() - instant.getTime()) / 1000) : 0;
}

/** What the processes have left to do. */
const processGauges = defineStateGauges(
  {
    registry_outbox_rows: { help: `Wake-ups that wait for their delivery, counted up to ${mostCounted}`, labels: [] },
    registry_outbox_oldest_seconds: { help: `Age of the oldest wake-up that waits, of the first ${mostCounted}`, labels: [] },
    registry_sweep_last_success_timestamp_seconds: { help: 'End of the last run of the sweeper without a failed step', labels: [] },
  },
  async ({ processes, log }, db) => {
    const swept = await processes.lastSweep().catch((error: unknown) => {
      log.debug({ cause: causeOf(error) }, 'cannot read the last sweep');
      return null;
    });
    const { rows, oldestSeconds } = await readOutboxState(db, mostCounted);
    return [
      { name: 'registry_outbox_rows', value: rows },
      { name: 'registry_outbox_oldest_seconds', value: oldestSeconds },
      ...(swept === null ? [] : [{ name: 'registry_sweep_last_success_timestamp_seconds' as const, value: swept.getTime() / 1000 }]),
    ];
  },
);

/** Pause between two readings, milliseconds. */
const pauseMs = 30_000;

/**
 * Reads the gauges of the registry's state in one process of several (`ExclusiveSession`). The others show no values, so that sums over
 * all processes are right.
 */
export class StateGaugeReader {
  readonly #platform: Platform;
  readonly #session: ExclusiveSession;
  readonly #registry: Registry;
  readonly #groups: readonly StateGauges[];
  readonly #gauges: ReadonlyMap<string, Gauge>;
  #timer: NodeJS.Timeout | null = null;
  #reading: Promise<void> | null = null;
  #isClosed = false;

  /** @param registry for tests */
  constructor(platform: Platform, timeouts: DatabaseTimeouts, registry: Registry = metricsRegistry) {
    this.#platform = platform;
    this.#registry = registry;
    this.#session = new ExclusiveSession(required(platform.config, 'DATABASE_URL'), 'registry state gauges', timeouts);
    this.#groups = [processGauges, ...platform.extensions.of(stateGauges)];
    const facts = this.#groups.flatMap((group) => Object.entries(group.facts));
    this.#gauges = new Map(
      facts.map(([name, { help, labels }]) => [name, new Gauge({ name, help, labelNames: labels, registers: [registry] })]),
    );
    this.#clear();
  }

  /** Reads now, and again half a minute after each reading. */
  start(): void {
    if (this.#isClosed) return;
    this.#reading = this.read().finally(() => {
      this.#reading = null;
      if (!this.#isClosed) this.#timer = setTimeout(() => this.start(), pauseMs).unref();
    });
  }

  /** Reads all gauges once, if this process holds the lock. Never fails: gauges that cannot be read show no value. */
  async read(): Promise<void> {
    const { log, clock } = this.#platform;
    try {
      if (!(await this.#session.holdsLock())) return this.#clear();
      const now = await clock.now(this.#session.db);
      const values: GaugeValue[] = [];
      for (const group of this.#groups) values.push(...(await group.read(this.#platform, this.#session.db, now)));
      // All at once, so that a page shows one reading.
      this.#clear();
      for (const { name, labels = {}, value } of values) this.#gauges.get(name)?.set(labels, value);
    } catch (error) {
      this.#clear();
      log.warn({ cause: causeOf(error) }, 'cannot read the gauges of the state; the next reading follows');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#reading;
    for (const name of this.#gauges.keys()) this.#registry.removeSingleMetric(name);
    await this.#session.close();
  }

  #clear(): void {
    for (const gauge of this.#gauges.values()) {
      gauge.reset();
      // A gauge without labels is now 0, which would be a value.
      gauge.remove({});
    }
  }
}
