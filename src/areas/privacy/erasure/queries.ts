import { sql } from 'kysely';
import { type Database, inList } from '../../../platform/database/database.ts';
import { type ErasureBlocker, erasureBlockers } from '../../../platform/erasure-blockers.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import { type KeptReason, type PersonalRecord, personalRecords } from '../../../platform/personal-data.ts';
import type { AccountErasure } from '../entities.ts';

/** Most ids that a blocker names. */
const mostNamed = 100;

/** Finds erasures by the ids of their accounts, in their order. */
export function findErasures(db: Database, ids: readonly number[]): Promise<Readonly<AccountErasure>[]> {
  return db.selectFrom('account_erasures').selectAll().where('id', '=', inList(ids)).orderBy('id').execute();
}

export async function findErasure(db: Database, userId: number): Promise<Readonly<AccountErasure> | null> {
  return (await findErasures(db, [userId]))[0] ?? null;
}

/** What prevents the erasure of an account at the moment, with its first records (PRV-4). */
export type Blocked = Pick<ErasureBlocker, 'code' | 'kind' | 'step'> & { ids: number[] };

export async function findBlockers(db: Database, extensions: Extensions, userId: number): Promise<Blocked[]> {
  const blocked: Blocked[] = [];
  for (const { code, kind, step, find } of extensions.of(erasureBlockers)) {
    const found = await find(db, userId, mostNamed);
    if (found.length > 0) blocked.push({ code, kind, step, ids: found.map(({ id }) => id) });
  }
  return blocked;
}

/** Rows of an account by what erasure does to them (PRV-3). */
export interface ErasureCounts {
  erased: Record<string, number>;
  kept: { kind: string; n: number; why: KeptReason }[];
}

/**
 * Counts the rows of an account by what its erasure does to them, in one statement. `file_content` are files whose bytes go. Rows that
 * triggers write again are not counted.
 */
export async function countRecords(db: Database, extensions: Extensions, userId: number): Promise<ErasureCounts> {
  const records = extensions.of(personalRecords).flat();
  const counted = records.filter(({ erasure }) => erasure !== 'derived');
  const rowsOf = ({ table, isOf }: PersonalRecord) =>
    // Each condition reads its index; joined by "or" they would read the whole table.
    sql.join(
      isOf.map((condition) => sql`select ctid from ${sql.table(table)} where ${condition({ userId, records })}`),
      sql` union `,
    );
  const counts = counted.map((record) => sql`select ${record.kind} as kind, count(*)::int as n from (${rowsOf(record)}) r`);
  const { rows } = await sql<{ kind: string; n: number }>`
    ${sql.join(counts, sql` union all `)}
    union all select 'file_content', count(*)::int from files where owner_id = ${userId} and deleted_at is null`.execute(db);
  const numbers = new Map(rows.map(({ kind, n }) => [kind, n]));
  const result: ErasureCounts = { erased: {}, kept: [] };
  for (const { kind, erasure } of counted) {
    const n = numbers.get(kind) ?? 0;
    if (n === 0 || erasure === 'derived') continue;
    if (erasure === 'deleted') result.erased[kind] = n;
    else result.kept.push({ kind, n, why: erasure.keptFor });
  }
  const files = numbers.get('file_content') ?? 0;
  if (files > 0) result.erased['file_content'] = files;
  return result;
}

/** The instant from which the newest agreement of an account is as old as agreements are kept; null without agreements. */
export async function agreementsEndAt(db: Database, userId: number, years: number): Promise<Date | null> {
  const newest = await db
    .selectFrom('contracts as c')
    .innerJoin('events as e', 'e.id', 'c.eventId')
    .innerJoin('profiles as p', 'p.id', 'e.profileId')
    .where('p.ownerId', '=', userId)
    .select(sql<Date | null>`max(coalesce(c.decided_at, c.created_at)) + make_interval(years => ${years}::int)`.as('endsAt'))
    .executeTakeFirst();
  return newest?.endsAt ?? null;
}
