import { type AliasedRawBuilder, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';

/** A file and its copy for another account. */
export interface FileCopy {
  id: string;
  copyId: string;
}

/** Renders copies as the table `c` of a statement. */
export function fileCopies(copies: readonly FileCopy[]): AliasedRawBuilder<FileCopy, 'c'> {
  const ids = copies.map(({ id }) => id);
  const copyIds = copies.map(({ copyId }) => copyId);
  return sql<FileCopy>`unnest(${ids}::uuid[], ${copyIds}::uuid[])`.as<'c'>(sql`c(id, copy_id)`);
}

/**
 * Locks those of these files that an account owns and has not deleted, by id. They cannot be attached or deleted until the
 * transaction ends. Lock order: after the rows that name them, like every command that attaches a file.
 */
export async function lockFiles({ db }: CommandContext, ownerId: number, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const files = await db
    .selectFrom('files')
    .select('id')
    .where('id', '=', inList(ids))
    .where('ownerId', '=', ownerId)
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  return files.map(({ id }) => id);
}

/** Gives locked files to another account. The receiver's quota is not checked: it limits uploads (FIL-3). */
export async function giveFiles({ db }: CommandContext, ids: readonly string[], toUserId: number): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable('files').set({ ownerId: toUserId }).where('id', '=', inList(ids)).execute();
}

/** Copies files to another account. The copies share the stored bytes, which stay until the last is purged (FIL-5). */
export async function copyFiles({ db, now }: CommandContext, ids: readonly string[], toUserId: number): Promise<FileCopy[]> {
  if (ids.length === 0) return [];
  const copies = ids.map((id) => ({ id, copyId: randomUUID() }));
  const facts = ['purpose', 'name', 'mime', 'size', 'sha256', 'width', 'height', 'pages', 'storageKey'] as const;
  await db
    .insertInto('files')
    .columns(['id', 'ownerId', 'createdAt', ...facts])
    .expression((eb) =>
      eb
        .selectFrom('files as f')
        .innerJoin(fileCopies(copies), 'c.id', 'f.id')
        .select((row) => [
          'c.copyId',
          sql<number>`${toUserId}::int`.as('ownerId'),
          sql<Date>`${now}::timestamptz`.as('createdAt'),
          ...facts.map((name) => row.ref(`f.${name}`).as(name)),
        ]),
    )
    .execute();
  return copies;
}
