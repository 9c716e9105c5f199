import { DomainError, fieldProblem } from '../../errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { dayOf, endOfDay, endOfYear, firstDayOfYear, yearOf } from '../../platform/time/date-time.ts';
import { findBaseIndex, type ServiceKind } from '../catalog/index.ts';
import type { Application } from './entities.ts';
import type { ApplicationRecord } from './record.ts';

/** Whether the next year can be applied for: from 1 November on (APP-19). */
function isNextYearOpen(now: Date): boolean {
  return dayOf(now) >= `${yearOf(now)}-11-01`;
}

/**
 * Returns the year of a new application: the current one, or the next from 1 November on (APP-19).
 * @throws {DomainError} validation_failed
 */
export function chooseYear(now: Date, kind: ServiceKind, asked: number | undefined): number {
  const current = yearOf(now);
  if (asked === undefined) return current;
  if (kind === 'document') throw fieldProblem('body.year', 'not_allowed', 'a service of this kind is not for a year');
  const years = isNextYearOpen(now) ? [current, current + 1] : [current];
  if (years.includes(asked)) return asked;
  const allowed = isNextYearOpen(now) ? years.join(' or ') : `${current}; from 1 November on also ${current + 1}`;
  throw fieldProblem('body.year', 'out_of_range', `must be ${allowed}`);
}

/**
 * Requires that the next year has a base index of its own, because its prices follow from it (APP-19).
 * @throws {DomainError} base_index_missing `{year}`
 */
export async function requireBaseIndex(db: Database, now: Date, year: number): Promise<void> {
  if (year > yearOf(now) && (await findBaseIndex(db, year)) === null) throw new DomainError('base_index_missing', { year });
}

/** Returns the latest year that can be applied for now (APP-19). */
export async function latestOpenYear(db: Database, now: Date): Promise<number> {
  const next = yearOf(now) + 1;
  // Looked up all year, so that a page costs the same in November.
  const baseIndex = await findBaseIndex(db, next);
  return isNextYearOpen(now) && baseIndex !== null ? next : next - 1;
}

/** Returns the day from which a later year can be applied for: 1 November before it, or its first day while its base index is not set. */
export function opensOn(year: number, now: Date): string {
  const november = `${year - 1}-11-01`;
  return dayOf(now) < november ? november : firstDayOfYear(year);
}

/** The later of today and the first day of the application's year: the day for which its records are judged (APP-19). */
export function judgedDay(year: number, now: Date): string {
  const [today, firstDay] = [dayOf(now), firstDayOfYear(year)];
  return today > firstDay ? today : firstDay;
}

/**
 * Returns the instant at which an application ends (APP-13): with its year, or with the last day of a certificate of kind `document`.
 * @returns null for a fee, which lives as long as its event (APP-17)
 */
export function endOf({ application: { year, kind }, certificate }: EndFacts): Date | null {
  if (kind === 'event_fee') return null;
  const yearEnd = endOfYear(year);
  if (kind !== 'document' || certificate === null) return yearEnd;
  const lastInstant = endOfDay(certificate.validUntil);
  return lastInstant < yearEnd ? lastInstant : yearEnd;
}

/** Whether nothing of the application can be changed any more, even if the process has not closed it yet (APP-13). */
export function hasEnded(record: EndFacts, now: Date): boolean {
  const end = endOf(record);
  return end !== null && now >= end;
}

interface EndFacts {
  application: Pick<Application, 'year' | 'kind'>;
  certificate: Pick<NonNullable<ApplicationRecord['certificate']>, 'validUntil'> | null;
}
