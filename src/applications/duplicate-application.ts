import { DomainError } from '../errors.ts';
import { read } from '../platform/command.ts';
import { violatedConstraint } from '../platform/database/constraint-errors.ts';
import type { Platform } from '../platform/platform.ts';
import { findActiveTwin } from './queries.ts';

/** What the duplicate rule compares (service.md "Application"); the year is the one the application has or would get. */
export interface DuplicateKey {
  profileId: number;
  serviceId: number;
  disciplineId: number | null;
}

/**
 * Runs a command that the database may refuse as a duplicate, and then names the application to go on with. The refused
 * transaction is gone by then, so the other one is looked up afresh.
 * @throws {DomainError} duplicate_application `{application_id}`
 */
export async function namingDuplicate<T>(
  platform: Platform,
  key: DuplicateKey,
  yearOf: (now: Date) => number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'applications_active_unique') throw error;
    const twin = await read(platform, (em, now) => findActiveTwin(em, { ...key, year: yearOf(now) }));
    throw new DomainError('duplicate_application', twin === null ? undefined : { application_id: twin }, undefined, { cause: error });
  }
}
