import { DomainError } from '../errors.ts';
import { mayReadRecordOf } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import { actingUserId } from '../platform/context.ts';
import type { Actor } from '../platform/context.ts';
import type { ApplicationRecord } from './record.ts';

type Owned = Pick<ApplicationRecord, 'ownerId'>;

/** @throws {DomainError} not_found, for anyone but the owner: another's application is as if it were not there */
export function requireOwner<Record extends Owned>(actor: Actor, record: Record | null): Record {
  if (record === null || actingUserId(actor) !== record.ownerId) throw new DomainError('not_found');
  return record;
}

/**
 * Reading is for the owner and for administrators.
 * @throws {DomainError} not_found
 */
export function requireReader<Record extends Owned>(principal: SignedIn, application: Record | null): Record {
  if (application === null || !mayReadRecordOf(principal.user, application.ownerId)) throw new DomainError('not_found');
  return application;
}

/**
 * The consent to show a licence's documents is its owner's own word: an administrator cannot give it, neither as himself
 * nor in the owner's name (service.md "PUT /applications/{id}/sharing"). Taking it back needs no such word, but is the owner's too.
 * @throws {DomainError} forbidden, for an administrator; not_found, for anyone else
 */
export function requireConsentGiver(actor: Actor, application: Owned, isConsent: boolean): void {
  if (actor.kind === 'user' && actor.impersonatedUserId !== null && isConsent) throw new DomainError('forbidden');
  if (actingUserId(actor) === application.ownerId) return;
  throw new DomainError(actor.kind === 'user' && actor.isAdministrator ? 'forbidden' : 'not_found');
}
