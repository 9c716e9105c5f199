import { DomainError } from '../errors.ts';
import { isActingAsAdministrator } from '../platform/context.ts';
import type { Actor } from '../platform/context.ts';

/**
 * The administrator who decides. Routes let nobody else in; a command does not rely on who called it.
 * @returns his user id, for the record of the decision
 * @throws {DomainError} forbidden
 */
export function requireAdministrator({ actor }: { actor: Actor }): number {
  if (actor.kind !== 'user' || !isActingAsAdministrator(actor)) throw new DomainError('forbidden');
  return actor.userId;
}
