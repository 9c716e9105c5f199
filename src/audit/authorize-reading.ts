import { mayReadOthers } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import type { Caller } from '../platform/context.ts';
import type { Database } from '../platform/database/database.ts';
import { refusalOf } from '../platform/security-log.ts';
import { audit } from './audit.ts';
import type { Subject } from './audit.ts';

/** A reading under way: who reads, and the queries by which. */
export interface Reading {
  principal: SignedIn;
  caller: Caller;
  db: Database;
  now: Date;
}

/**
 * The one rule of private records: their owner reads them, and so do administrators with `admin:read`; for anybody else they do not
 * exist. What an administrator reads of somebody else is audited as `<kind>.read` before he gets it.
 * @param part what of the record is read, where it is not the whole
 * @throws {DomainError} not_found
 */
export async function authorizeReading(
  { principal, caller, db, now }: Reading,
  subject: Subject,
  ownerId: number,
  part?: string,
): Promise<void> {
  if (principal.user.id === ownerId) return;
  if (!mayReadOthers(principal)) throw refusalOf('not_found', subject);
  await audit({ ...caller, db, now }, `${subject.kind}.read`, subject, part === undefined ? {} : { part });
}
