import { DomainError } from '../../errors.ts';
import { actingUserId, type Actor, impersonatedUserId, isActingAsAdministrator } from '../../platform/context.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { authorizeReading, type Reading } from '../audit/index.ts';
import type { Application } from './entities.ts';
import type { ApplicationRecord } from './record.ts';

type Owned = Pick<Application, 'id' | 'ownerId'>;

/**
 * @param kind of the record, for the security log
 * @throws {DomainError} not_found, for anyone but the owner: another's record is as if it were not there
 */
export function requireOwner<Row extends Owned>(actor: Actor, row: Row | null, kind = 'application'): Row {
  if (row === null) throw new DomainError('not_found');
  if (actingUserId(actor) !== row.ownerId) throw refusalOf('not_found', { kind, id: row.id });
  return row;
}

/**
 * Reading is for the owner and for administrators with `admin:read`.
 * @param part what of the application is read, where it is not the whole
 * @throws {DomainError} not_found
 */
export async function requireReader(reading: Reading, record: ApplicationRecord | null, part?: string): Promise<ApplicationRecord> {
  if (record === null) throw new DomainError('not_found');
  await authorizeReading(reading, { kind: 'application', id: record.id }, record.application.ownerId, part);
  return record;
}

/**
 * The consent to show a licence's documents is its owner's own word: an administrator cannot give it, neither as himself
 * nor in the owner's name (service.md "PUT /applications/{id}/sharing"). Taking it back needs no such word, but is the owner's too.
 * @throws {DomainError} forbidden_while_impersonating, for a consent in the owner's name; forbidden, for an administrator; not_found, for
 * anyone else
 */
export function requireConsentGiver(actor: Actor, application: Owned, isConsent: boolean): void {
  if (actingUserId(actor) === application.ownerId) {
    if (isConsent && impersonatedUserId(actor) !== null) throw new DomainError('forbidden_while_impersonating');
    return;
  }
  if (isActingAsAdministrator(actor)) throw new DomainError('forbidden');
  throw refusalOf('not_found', { kind: 'application', id: application.id });
}
