import { isAdministrator } from '../../http/access/access.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Extensions } from '../../platform/extensions.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { audit, authorizeReading, type Reading } from '../audit/index.ts';
import type { StoredFile } from './entities.ts';
import { isMade } from './mimes.ts';
import { fileDependents } from './uses.ts';

/**
 * Who opens a file: its owner, and administrators as with every private record. One that is for administrators alone by what it stands in,
 * such as the federation's signature, no owner opens who is none any more. What the registry made for its administrators holds many
 * people: it is opened by whoever is an administrator now, and not by an owner who was one; `files:read`, which the route asks for, is
 * enough for their keys (decisions.md §9). What somebody else than the owner opens is audited as `file.read`.
 * @throws {DomainError} not_found
 */
export async function authorizeFileReading(
  reading: Reading & { extensions: Extensions },
  { id, ownerId, mime }: Pick<Readonly<StoredFile>, 'id' | 'ownerId' | 'mime'>,
): Promise<void> {
  const subject = { kind: 'file', id };
  const { principal, caller, db, now, extensions } = reading;
  if (!isMade(mime)) {
    const isOfFormer = principal.user.id === ownerId && !isAdministrator(principal);
    if (isOfFormer && (await isForAdministrators(db, extensions, id))) throw refusalOf('not_found', subject);
    return authorizeReading(reading, subject, ownerId);
  }
  if (!isAdministrator(principal)) throw refusalOf('not_found', subject);
  if (principal.user.id !== ownerId) await audit({ ...caller, db, now }, 'file.read', subject);
}

async function isForAdministrators(db: Database, extensions: Extensions, fileId: string): Promise<boolean> {
  for (const dependents of extensions.of(fileDependents)) if (await dependents.isForAdministrators?.(db, fileId)) return true;
  return false;
}
