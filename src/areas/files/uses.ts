import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { StoredFile } from './entities.ts';

/** Something that a file stands in, and that keeps it from being deleted (decisions.md §3 "Unused"). */
export interface FileUse {
  kind: string;
  /** Of the profile, the document or the certificate's application. */
  id: number;
}

/** Records of an area that stand on files. */
export interface FileDependents {
  /** Takes the rows that name the file, before the file's own, the order in which whoever attaches a file takes them. */
  lock?(ctx: CommandContext, fileId: string): Promise<void>;
  /** Asked in the deletion's own transaction, under its locks. */
  listUses(ctx: CommandContext, fileId: string): Promise<FileUse[]>;
  /** Whether the file is for administrators alone by what it stands in, whoever uploaded it. */
  isForAdministrators?(db: Database, fileId: string): Promise<boolean>;
  /** What a deleted file means for records that named it without keeping it. */
  letGo?(ctx: CommandContext, file: Readonly<StoredFile>): Promise<void>;
}

export const fileDependents = definePoint<FileDependents>('what stands on a file');
