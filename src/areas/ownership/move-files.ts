import { type RawBuilder, sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import type { Extensions } from '../../platform/extensions.ts';
import { copyFiles, giveFiles, lockFiles } from '../files/index.ts';
import { ownedWithProfile, type OwnershipMove } from '../profiles/index.ts';

/** The files that records of these profiles name, as a list of a statement. */
export function namedFiles(db: Database, extensions: Extensions, profileIds: readonly number[]): RawBuilder<string> {
  const named = extensions.of(ownedWithProfile).flatMap(({ files }) => files?.ofProfiles(db, profileIds) ?? []);
  return sql<string>`(select n.file_id from (${sql.join(named, sql` union all `)}) as n (file_id) where n.file_id is not null)`;
}

/**
 * Gives the files of a profile to its new owner. One that another profile of the old owner names too stays with it, and the new owner has
 * a copy, which the records of the profile name from then on. Files that no record names stay where they are. Called while the records
 * still have their old owner, under the locks of all of them.
 */
export async function moveFiles(ctx: CommandContext, { profileId, fromUserId, toUserId }: OwnershipMove): Promise<void> {
  const { db, extensions } = ctx;
  const named = await listIds(db, namedFiles(db, extensions, [profileId]));
  const held = await lockFiles(ctx, fromUserId, named);
  const others = await db.selectFrom('profiles').select('id').where('ownerId', '=', fromUserId).where('id', '<>', profileId).execute();
  // Looked for once the files are held: nobody names one of them anew.
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

/** @param among only those of these; all by default */
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
