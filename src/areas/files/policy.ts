import { isAdministrator, isInPerson } from '../../http/access/access.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint, type Extensions } from '../../platform/extensions.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import { auditRead, authorizeReading, type Reading } from '../audit/index.ts';
import { accountExportPurpose, isMade, type StoredFile } from './entities.ts';

/** A record that uses a file and so prevents its deletion (FIL-5). */
export interface FileUse {
  kind: string;
  /** Of the profile, the document or the certificate's application. */
  id: number;
}

/** Records of an area that use files. */
export interface FileDependents {
  /** Locks the rows that name the file, before the file's own row: commands that attach a file lock in the same order. */
  lock?(ctx: CommandContext, fileId: string): Promise<void>;
  /** Runs in the deletion's transaction, under its locks. */
  listUses(ctx: CommandContext, fileId: string): Promise<FileUse[]>;
  /** Whether only administrators may read the file because of the record that uses it (FIL-7). */
  isForAdministrators?(db: Database, fileId: string): Promise<boolean>;
  /** Updates records that named the file but did not prevent its deletion. */
  letGo?(ctx: CommandContext, file: Readonly<StoredFile>): Promise<void>;
}

export const fileDependents = definePoint<FileDependents>('uses of a file');

/**
 * Lets the owner and administrators read a file (FIL-4), and audits other readers than the owner as `file.read`.
 *
 * - A signature or stamp (FIL-7): its owner cannot read it once they are no longer an administrator.
 * - A made file (FIL-6) holds data of many people: current administrators only. Their keys need only `files:read`, which the
 *   route requires.
 * - The archive of an account's data (PRV-2): only the account itself, in person.
 * @throws {DomainError} not_found
 */
export async function authorizeFileReading(
  reading: Reading & { extensions: Extensions },
  { id, ownerId, mime, purpose }: Pick<Readonly<StoredFile>, 'id' | 'ownerId' | 'mime' | 'purpose'>,
): Promise<void> {
  const subject = { kind: 'file', id };
  const { principal, caller, db, now, extensions } = reading;
  if (!isMade(mime)) {
    const isOfFormer = principal.user.id === ownerId && !isAdministrator(principal);
    if (isOfFormer && (await isForAdministrators(db, extensions, id))) throw refusalOf('not_found', subject);
    return authorizeReading(reading, subject, ownerId);
  }
  if (purpose === accountExportPurpose) {
    if (principal.user.id !== ownerId || !isInPerson(principal)) throw refusalOf('not_found', subject);
    return;
  }
  if (!isAdministrator(principal)) throw refusalOf('not_found', subject);
  if (principal.user.id !== ownerId) await auditRead({ ...caller, db, now }, 'file.read', subject);
}

/** Whether only administrators may read a file: a mark of the federation (FIL-7). */
export async function isForAdministrators(db: Database, extensions: Extensions, fileId: string): Promise<boolean> {
  for (const dependents of extensions.of(fileDependents)) if (await dependents.isForAdministrators?.(db, fileId)) return true;
  return false;
}
