import { DomainError } from '../errors.ts';
import { query } from '../platform/command.ts';
import { violatedConstraint } from '../platform/database/constraint-errors.ts';
import type { Platform } from '../platform/platform.ts';
import { findActiveDuplicate } from './queries.ts';
import type { DuplicateKey } from './queries.ts';

/**
 * Runs a command that the database may refuse as a duplicate, and then names the application to go on with. The refused
 * transaction is gone by then, so the other one is looked up afresh.
 * @param yearOf the year that the application has or would get
 * @throws {DomainError} duplicate_application `{application_id}`
 */
export async function namingDuplicate<T>(
  platform: Platform,
  key: Omit<DuplicateKey, 'year'>,
  yearOf: (now: Date) => number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'applications_active_unique') throw error;
    const duplicate = await query(platform, (db, now) => findActiveDuplicate(db, { ...key, year: yearOf(now) }));
    throw new DomainError('duplicate_application', duplicate === null ? undefined : { application_id: duplicate }, undefined, {
      cause: error,
    });
  }
}
