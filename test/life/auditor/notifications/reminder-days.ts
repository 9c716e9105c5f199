import { Finding } from '../finding.ts';
import type { Model } from '../model.ts';
import { ownerOfRecord } from '../accounts/records.ts';

/** Days before a last day on which its owner is reminded (DOC-5, APP-16). */
const daysAhead = [60, 30, 7] as const;
const dayMs = 86_400_000;
/** All certificates of a year end on one day, so reminders are sent within some hours of their day. */
const mostDelayMs = 7 * 3_600_000;
/** The auditor's clock is read a moment after the registry's. */
const toleranceMs = 5000;

/** The time in which a record is approved with a last day. */
interface Period {
  lastDay: string;
  from: number;
  until: number | null;
  /** The next reminder; null when none is left. */
  next: number | null;
}

/** Reminders of last days: each threshold once, without those that are over at the approval (DOC-5, APP-16). */
export class Reminders {
  readonly #periods = new Map<string, Period[]>();

  /** A record is approved with a last day. @param record `document/5` or `application/5` */
  begin(record: string, lastDay: string, at: Date): void {
    this.end(record, at);
    const periods = this.#periods.get(record) ?? [];
    this.#periods.set(record, periods);
    periods.push({ lastDay, from: at.getTime(), until: null, next: nextAfter(lastDay, at.getTime()) });
  }

  /** A record is not approved any more, or ends. */
  end(record: string, at: Date): void {
    for (const period of this.#periods.get(record) ?? []) period.until ??= at.getTime();
  }

  /** A reminder that should have come by now; null without one. */
  missing(now: Date): string | null {
    const time = now.getTime();
    for (const [record, periods] of this.#periods) {
      const late = periods.find((period) => period.until === null && isDue(period, time - mostDelayMs) && isDue(period, time));
      if (late) return `a reminder of ${record}, which ends with ${late.lastDay} (DOC-5, APP-16)`;
    }
    return null;
  }

  /** Takes over that the owner was reminded, and must be told so. @throws {Finding} when none was due */
  came(model: Model, record: string, at: Date): void {
    const time = at.getTime();
    const period = (this.#periods.get(record) ?? []).find(
      ({ from, until, next }) =>
        next !== null && next <= time && from <= time + toleranceMs && (until === null || time <= until + toleranceMs),
    );
    if (!period)
      throw new Finding(
        `the owner of ${record} is reminded 60, 30 and 7 days before its last day, once each (DOC-5, APP-16)`,
        'no reminder',
        at.toISOString(),
      );
    period.next = nextAfter(period.lastDay, time);
    const [kind = '', id = ''] = record.split('/');
    model.expectNotified(ownerOfRecord(model, kind, Number(id)) ?? 0, `${kind}.expiring`, id);
  }
}

/** A reminder comes on its day or later, before the last day is over. */
function isDue({ next, lastDay }: Period, time: number): boolean {
  return next !== null && next <= time && time < startOf(lastDay) + dayMs;
}

function nextAfter(lastDay: string, time: number): number | null {
  return daysAhead.map((days) => startOf(lastDay) - days * dayMs).find((instant) => instant > time) ?? null;
}

const startOf = (day: string) => Date.parse(`${day}T00:00:00+05:00`);
