import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { StoredFile } from './entities.ts';

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
