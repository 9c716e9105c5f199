import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { lockForChange } from '../platform/database/lock.ts';
import type { Locked } from '../platform/database/lock.ts';
import { RegistrationEntity } from './entities.ts';
import type { Registration } from './entities.ts';
import { findFacts } from './queries.ts';
import type { RegistrationRecord } from './record.ts';

/** The record of a registration under its row lock: `registration` is what a command changes, the rest is what it decides by. */
export interface LockedRegistration extends RegistrationRecord {
  registration: Locked<Registration>;
}

/**
 * Takes the lock under which a registration changes, and reads what it stands on.
 * @throws {DomainError} not_found
 */
export async function lockRegistration(ctx: CommandContext, id: number): Promise<LockedRegistration> {
  const registration = await lockForChange(ctx.em, RegistrationEntity, { id });
  if (!registration) throw new DomainError('not_found');
  const facts = await findFacts(ctx.db, id);
  if (!facts) throw new Error(`registration ${id} vanished under its own transaction`);
  return { id, registration, ...facts };
}
