import { type RawBuilder, sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import type { Extensions } from '../../platform/extensions.ts';
import { copyFiles, giveFiles, lockFiles } from '../files/index.ts';
import { ownedWithProfile, type OwnershipMove } from '../profiles/index.ts';

/** Builds a subquery of the file ids that records of these profiles name. */
export function namedFiles(db: Database, extensions: Extensions, profileIds: readonly number[]): RawBuilder<string> {
  const named = extensions.of(ownedWithProfile).flatMap(({ files }) => files?.ofProfiles(db, profileIds) ?? []);
  return sql<string>`(select n.file_id from (${sql.join(named, sql` union all `)}) as n (file_id) where n.file_id is not null)`;
}

/**
 * Gives the files of a profile to its new owner (OWN-6).
 *
 * A file that another profile of the old owner also names stays there; the moved records name a copy. Files that no record names stay.
 * Call it under the locks of all records, before they change their owner.
 */
export async function moveFiles(ctx: CommandContext, { profileId, fromUserId, toUserId }: OwnershipMove): Promise<void> {
  const { db, extensions } = ctx;
  const named = await listIds(db, namedFiles(db, extensions, [profileId]));
  const held = await lockFiles(ctx, fromUserId, named);
  const others = await db.selectFrom('profiles').select('id').where('ownerId', '=', fromUserId).where('id', '<>', profileId).execute();
  // Read after the files are locked: no record can start to name one of them.
  const shared = await listIds(
    db,
    namedFiles(
      db,
      extensions,
      others.map(({ id }) => id),
    ),
    held,
  );
  const isShared = new Set(shared);
  await giveFiles(
    ctx,
    held.filter((id) => !isShared.has(id)),
    toUserId,
  );
  if (shared.length === 0) return;
  const copies = await copyFiles(ctx, shared, toUserId);
  for (const { files } of extensions.of(ownedWithProfile)) await files?.exchange?.(ctx, profileId, copies);
}

/** @param among restricts the result to these ids; no restriction by default */
async function listIds(db: Database, named: RawBuilder<string>, among?: readonly string[]): Promise<string[]> {
  const files = await db
    .selectFrom('files')
    .select('id')
    .where('id', 'in', named)
    .$if(among !== undefined, (all) => all.where('id', '=', inList(among ?? [])))
    .orderBy('id')
    .execute();
  return files.map(({ id }) => id);
}
