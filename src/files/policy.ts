import { audit, authorizeReading } from '../audit/index.ts';
import type { Reading } from '../audit/index.ts';
import { isAdministrator } from '../http/access.ts';
import { refusalOf } from '../platform/security-log.ts';
import type { StoredFile } from './entities.ts';
import { isMade } from './mimes.ts';

/**
 * Who opens a file: its owner, and administrators as with every private record. What the registry made for its administrators holds many
 * people: it is opened by whoever is an administrator now, and not by an owner who was one; `files:read`, which the route asks for, is
 * enough for their keys (decisions.md §9). What somebody else than the owner opens is audited as `file.read`.
 * @throws {DomainError} not_found
 */
export async function authorizeFileReading(
  reading: Reading,
  { id, ownerId, mime }: Pick<Readonly<StoredFile>, 'id' | 'ownerId' | 'mime'>,
): Promise<void> {
  const subject = { kind: 'file', id };
  if (!isMade(mime)) return authorizeReading(reading, subject, ownerId);
  const { principal, caller, db, now } = reading;
  if (!isAdministrator(principal)) throw refusalOf('not_found', subject);
  if (principal.user.id !== ownerId) await audit({ ...caller, db, now }, 'file.read', subject);
}
