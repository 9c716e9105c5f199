import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList, customPlan } from '../../../platform/database/database.ts';
import { literals } from '../../../platform/database/literals.ts';
import { issuedStatuses } from '../../applications/index.ts';
import { audit } from '../../audit/index.ts';
import { requireAdministrator } from '../../reviews/index.ts';
import { isKept, photoOf } from '../exports/queries.ts';
import { type ListProblem, mostInList, type NationalList, problemsOf } from './fitness.ts';
import { findListFacts, findLists, type LockedList, lockList } from './queries.ts';

/**
 * Finds the oldest fit applications of a year that are not in the list: `submitted` ones for `review`, issued and never exported ones for
 * the other lists, also after the year (NAT-3).
 *
 * Every result passes `problemsOf`. Uses national_certificates_group_index.
 * @param most largest number of results
 */
async function findAutoCandidates(
  db: Database,
  { list, ids }: Pick<LockedList, 'list' | 'ids'>,
  year: number,
  most: number,
): Promise<number[]> {
  const ofYear = db
    .selectFrom('national_certificates as n')
    .select('n.applicationId')
    .where('n.year', '=', year)
    .where(sql<boolean>`n.application_id <> all(${[...ids]})`)
    .orderBy('n.applicationId')
    .limit(most)
    // The number of matching rows differs greatly from year to year, so a generic plan would be wrong.
    .modifyEnd(customPlan);
  if (list === 'review') return idsOf(await ofYear.where('n.status', '=', 'submitted').execute());
  const issued = ofYear
    .innerJoin('applications as a', 'a.id', 'n.applicationId')
    .innerJoin('certificates as c', 'c.applicationId', 'n.applicationId')
    .where('n.status', 'in', literals(issuedStatuses))
    .where((eb) => eb.or([eb('n.paid', '=', true), eb('a.amountMinor', '=', 0)]));
  if (list === 'insurance') return idsOf(await issued.where('n.insuranceExported', '=', false).execute());
  return idsOf(
    await issued
      .innerJoin('files as f', (join) => join.on('f.id', '=', photoOf).on(isKept))
      .where('n.printExported', '=', false)
      .execute(),
  );
}

function idsOf(rows: readonly { applicationId: number }[]): number[] {
  return rows.map(({ applicationId }) => applicationId);
}

/** A change of a list; `auto` selects records by itself (NAT-3). */
type ListChange = { operation: 'add' | 'remove'; ids: readonly number[] } | { operation: 'clear' } | { operation: 'auto'; year: number };

/** `list_full`: the list already holds 200 records (NAT-1). */
type SkipReason = ListProblem | 'list_full';

interface ChangedList {
  list: NationalList;
  /** The resulting content, in the order of addition. */
  ids: number[];
  added: number;
  removed: number;
  skipped: { id: number; reason: SkipReason }[];
}

/**
 * Changes a personal list of the acting administrator (NAT-1).
 *
 * Skips each unfit id with its first problem (NAT-2); ids already in the list stay. The lock of the list keeps concurrent additions within
 * 200.
 * @throws {DomainError} forbidden
 */
export async function changeList(ctx: CommandContext, list: NationalList, change: ListChange): Promise<ChangedList> {
  const locked = await lockList(ctx, requireAdministrator(ctx), list);
  switch (change.operation) {
    case 'add':
      return add(ctx, locked, change.ids);
    case 'remove':
      return remove(ctx, locked, change.ids, 'removed');
    case 'clear':
      return remove(ctx, locked, locked.ids, 'cleared');
    case 'auto':
      return fill(ctx, locked, change.year);
  }
}

/**
 * Removes records decided in bulk from the administrator's list `review` (NAT-7).
 * @throws {DomainError} forbidden
 */
export async function removeReviewed(ctx: CommandContext, ids: readonly number[]): Promise<ChangedList> {
  return remove(ctx, await lockList(ctx, requireAdministrator(ctx), 'review'), ids, 'reviewed');
}

async function add(ctx: CommandContext, locked: LockedList, wanted: readonly number[]): Promise<ChangedList> {
  const present = new Set(locked.ids);
  const fresh = [...new Set(wanted)].filter((id) => !present.has(id));
  const facts = await findListFacts(ctx.db, fresh);
  const judged = fresh.map((id) => ({ id, reason: problemsOf(locked.list, facts.get(id) ?? null)[0] ?? null }));
  const fitting = judged.flatMap(({ id, reason }) => (reason === null ? [id] : []));
  const room = mostInList - locked.ids.length;
  const full = new Set(fitting.slice(room));
  const skipped = judged.flatMap(({ id, reason }): ChangedList['skipped'] => {
    if (reason !== null) return [{ id, reason }];
    return full.has(id) ? [{ id, reason: 'list_full' }] : [];
  });
  return { ...(await insert(ctx, locked, fitting.slice(0, room), 'added')), skipped };
}

async function fill(ctx: CommandContext, locked: LockedList, year: number): Promise<ChangedList> {
  const room = mostInList - locked.ids.length;
  const oldest = room === 0 ? [] : await findAutoCandidates(ctx.db, locked, year, room);
  return insert(ctx, locked, oldest, 'filled', { year });
}

async function insert(
  ctx: CommandContext,
  { administratorId, list, ids }: LockedList,
  added: readonly number[],
  what: 'added' | 'filled',
  details: Record<string, unknown> = {},
): Promise<ChangedList> {
  if (added.length === 0) return { list, ids, added: 0, removed: 0, skipped: [] };
  const rows = added.map((applicationId) => ({ administratorId, list, applicationId, addedAt: ctx.now }));
  await ctx.db.insertInto('national_list_entries').values(rows).execute();
  await audit(ctx, `national_list.${what}`, { kind: 'national_list', id: list }, { ...details, count: added.length, ids: added });
  return { list, ids: (await findLists(ctx.db, administratorId))[list], added: added.length, removed: 0, skipped: [] };
}

async function remove(
  ctx: CommandContext,
  { administratorId, list, ids }: LockedList,
  unwanted: readonly number[],
  what: 'removed' | 'cleared' | 'reviewed',
): Promise<ChangedList> {
  const given = new Set(unwanted);
  const removed = ids.filter((id) => given.has(id));
  if (removed.length > 0) {
    await ctx.db
      .deleteFrom('national_list_entries')
      .where('administratorId', '=', administratorId)
      .where('list', '=', list)
      .where('applicationId', '=', inList(removed))
      .execute();
    await audit(ctx, `national_list.${what}`, { kind: 'national_list', id: list }, { count: removed.length, ids: removed });
  }
  return { list, ids: ids.filter((id) => !given.has(id)), added: 0, removed: removed.length, skipped: [] };
}
