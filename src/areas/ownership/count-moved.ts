import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Extensions } from '../../platform/extensions.ts';
import { type MovedRecords, ownedWithProfile, type Profile } from '../profiles/index.ts';
import { namedFiles } from './move-files.ts';

/** In the order of the response. */
export const movedRecords = [
  'documents',
  'applications',
  'certificates',
  'files',
  'events',
  'contracts',
  'registrations',
  'conversations',
] as const satisfies readonly (MovedRecords | 'files')[];

export type MovedCounts = Record<(typeof movedRecords)[number], number>;

/**
 * Counts the records that a transfer moves, in one statement. Moved and copied files both count; deleted files do not.
 */
export async function countMoved(
  db: Database,
  extensions: Extensions,
  { id, ownerId }: Pick<Profile, 'id' | 'ownerId'>,
): Promise<MovedCounts> {
  const parts = extensions.of(ownedWithProfile);
  const countOf = (field: (typeof movedRecords)[number]): RawBuilder<number> => {
    if (field === 'files') {
      const files = db
        .selectFrom('files')
        .select('id')
        .where('ownerId', '=', ownerId)
        .where('deletedAt', 'is', null)
        .where('id', 'in', namedFiles(db, extensions, [id]));
      return sql<number>`(select count(*)::int from ${files} as f)`;
    }
    const records = parts.flatMap(({ counted }) => counted[field]?.(db, id) ?? []);
    if (records.length === 0) return sql<number>`0`;
    return sql<number>`(select count(*)::int from (${sql.join(records, sql` union all `)}) as r)`;
  };
  return db.selectNoFrom(movedRecords.map((field) => countOf(field).as(field))).executeTakeFirstOrThrow();
}
