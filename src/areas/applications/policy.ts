import { DomainError } from '../../errors.ts';
import {
  actingUserId,
  type Actor,
  type CommandContext,
  impersonatedUserId,
  isActingAsAdministrator,
} from '../../platform/commands/context.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import { ownerCheck, readerCheck } from '../audit/index.ts';
import type { Application } from './entities.ts';
import type { ApplicationRecord } from './record.ts';
import { hasEnded } from './year.ts';

/** @throws {DomainError} not_found for a caller who is not the owner (API-3) */
export const requireOwner = ownerCheck('application');

/** Allows reading to the owner and to administrators with `admin:read`. */
export const requireReader = readerCheck<ApplicationRecord>('application', ({ application }) => application);

/**
 * Requires that the owner decides on sharing (APP-15).
 *
 * An administrator cannot consent, neither as themselves nor while impersonating. Impersonation may withdraw the consent.
 * @throws {DomainError} forbidden_while_impersonating for a consent while impersonating; forbidden for an administrator; not_found for
 * every other caller
 */
export function requireConsentGiver(actor: Actor, application: Pick<Application, 'id' | 'ownerId'>, isConsent: boolean): void {
  if (actingUserId(actor) === application.ownerId) {
    if (isConsent && impersonatedUserId(actor) !== null) throw new DomainError('forbidden_while_impersonating');
    return;
  }
  if (isActingAsAdministrator(actor)) throw new DomainError('forbidden');
  throw refusalOf('not_found', { kind: 'application', id: application.id });
}

/**
 * Refuses a change after the application has ended, even if the process has not closed it yet (APP-13).
 * @throws {DomainError} invalid_state
 */
export function requireOpen(ctx: CommandContext, record: ApplicationRecord): void {
  if (!hasEnded(record, ctx.now)) return;
  const { status, kind } = record.application;
  const isDocument = kind === 'document' && record.certificate !== null;
  const message = isDocument ? 'The last day of the document has passed.' : 'The year of the application has ended.';
  throw new DomainError('invalid_state', { status, allowed: [] }, message);
}
