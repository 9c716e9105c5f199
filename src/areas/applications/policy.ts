import { DomainError } from '../../errors.ts';
import { actingUserId, type Actor, type CommandContext, impersonatedUserId, isActingAsAdministrator } from '../../platform/context.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { authorizeReading, type Reading } from '../audit/index.ts';
import type { Application } from './entities.ts';
import { hasYearEnded } from './readiness.ts';
import type { ApplicationRecord } from './record.ts';

type Owned = Pick<Application, 'id' | 'ownerId'>;

/**
 * @param kind of the record, for the security log
 * @throws {DomainError} not_found for a caller who is not the owner (API-3)
 */
export function requireOwner<Row extends Owned>(actor: Actor, row: Row | null, kind = 'application'): Row {
  if (row === null) throw new DomainError('not_found');
  if (actingUserId(actor) !== row.ownerId) throw refusalOf('not_found', { kind, id: row.id });
  return row;
}

/**
 * Allows reading to the owner and to administrators with `admin:read`.
 * @param part name of the part that is read; omitted for the whole application
 * @throws {DomainError} not_found
 */
export async function requireReader(reading: Reading, record: ApplicationRecord | null, part?: string): Promise<ApplicationRecord> {
  if (record === null) throw new DomainError('not_found');
  await authorizeReading(reading, { kind: 'application', id: record.id }, record.application.ownerId, part);
  return record;
}

/**
 * Requires that the owner decides on sharing (APP-15).
 *
 * An administrator cannot consent, neither as themselves nor while impersonating. Impersonation may withdraw the consent.
 * @throws {DomainError} forbidden_while_impersonating for a consent while impersonating; forbidden for an administrator; not_found for
 * every other caller
 */
export function requireConsentGiver(actor: Actor, application: Owned, isConsent: boolean): void {
  if (actingUserId(actor) === application.ownerId) {
    if (isConsent && impersonatedUserId(actor) !== null) throw new DomainError('forbidden_while_impersonating');
    return;
  }
  if (isActingAsAdministrator(actor)) throw new DomainError('forbidden');
  throw refusalOf('not_found', { kind: 'application', id: application.id });
}

/**
 * Refuses a change after the application's year has ended, even if the process has not closed it yet (APP-13).
 * @throws {DomainError} invalid_state
 */
export function requireYearOpen(ctx: CommandContext, application: Readonly<Application>): void {
  if (hasYearEnded(application, ctx.now))
    throw new DomainError('invalid_state', { status: application.status, allowed: [] }, 'The year of the application has ended.');
}
