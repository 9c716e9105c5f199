import { type Expression, sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import type { RepeatCheck } from '../../platform/commands/command.ts';
import { actingUserId, type CommandContext, type RecordedFact } from '../../platform/commands/context.ts';
import { type Database, databaseOf } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import { type ChangeRecord, isChange } from '../audit/index.ts';
import { recordOf } from './types.ts';

/** What the log of changes stores of a record. */
export interface RecordStanding {
  id: number | string;
  status: string | null;
  ownerId: number | null;
  organizerId: number | null;
  parentId: number | null;
}

/** The reader of a change: its owner at the time, the organizer of its event, or an administrator. */
export type ChangeReader = 'owner' | 'organizer' | 'administrator';

/** What the area of a record adds to the log of changes. */
export interface ChangedRecord {
  /** As in `changeVerbs`. */
  record: ChangeRecord;
  /** Type of the record's id, for its index. */
  idType?: 'int' | 'uuid';
  /** Selects the standing of all records; the log joins it by `id`. Absent: only administrators see the changes. */
  select?(db: Database): Expression<RecordStanding>;
  /** Path below `/api/v1` where the reader finds the record. */
  path(change: { id: string; parentId: number | null }, reader: ChangeReader): string;
}

export const changedRecords = definePoint<readonly ChangedRecord[]>('records of the log of changes');

/** Columns without a value, for `select`. */
export const nullColumn = {
  status: sql<string | null>`null::text`.as('status'),
  owner: sql<number | null>`null::int`.as('ownerId'),
  organizer: sql<number | null>`null::int`.as('organizerId'),
  parent: sql<number | null>`null::int`.as('parentId'),
};

/**
 * Writes the changes of a command in one statement, in the order of its facts (CHG-1), and wakes the processes that wait for them (CHG-6).
 * Owner and status are those after the command; a deleted record has those that the command names.
 * @throws {Error} for a record that no area has registered
 */
export async function writeChanges({
  db,
  now,
  extensions,
  facts,
  wake,
}: Pick<CommandContext, 'db' | 'now' | 'extensions' | 'facts' | 'wake'>): Promise<void> {
  const changes = facts.filter(({ action }) => isChange(action));
  if (changes.length === 0) return;
  const records = extensions.of(changedRecords).flat();
  const numbered = changes.map((fact, n) => ({ ...fact, n }));
  const parts = [...Map.groupBy(numbered, ({ action }) => recordOf(action))].map(([name, ofRecord]) => {
    const found = records.find(({ record }) => record === name);
    if (!found) throw new Error(`no area has registered the changes of ${name}`);
    return standings(db, found, ofRecord);
  });
  const woken = await db
    .with('written', (queries) =>
      queries
        .insertInto('changes')
        .columns(['place', 'id', 'at', 'action', 'subjectKind', 'subjectId', 'parentId', 'status', 'ownerId', 'organizerId'])
        .expression(
          sql`select (select change_place()), nextval('change_numbers'), ${now}::timestamptz,
            c.action, c.kind, c.subject_id, c.parent_id, c.status, c.owner_id, nullif(c.organizer_id, c.owner_id)
            from (${sql.join(parts, sql` union all `)} order by n) c`,
        )
        .returning(['ownerId', 'organizerId']),
    )
    .selectFrom('change_waiters')
    .select('process')
    .where('userId', 'is', null)
    .union((eb) => eb.selectFrom('change_waiters as w').innerJoin('written', 'written.ownerId', 'w.userId').select('w.process'))
    .union((eb) => eb.selectFrom('change_waiters as w').innerJoin('written', 'written.organizerId', 'w.userId').select('w.process'))
    .execute();
  for (const { process: waiter } of woken) wake(waiter);
}

/**
 * Refuses a repeat whose records went to another account, or were deleted, since (API-6): the caller must be their owner or the organizer of
 * their event. What the request itself deleted shows nothing.
 * @throws {DomainError} not_found
 */
export const checkStanding: RepeatCheck = async ({ orm, extensions }, actor, subjects) => {
  const db = databaseOf(orm.em.fork());
  const userId = actingUserId(actor);
  const changes = subjects.filter(({ action }) => isChange(action));
  for (const [name, changed] of Map.groupBy(changes, ({ action }) => recordOf(action))) {
    const found = extensions
      .of(changedRecords)
      .flat()
      .find(({ record }) => record === name);
    if (!found?.select) continue;
    const ids = changed.map(({ subject }) => subject.id);
    const own = await db
      .selectFrom(sql<RecordStanding>`(${found.select(db)})`.as('r'))
      .select('r.id')
      .where('r.id', '=', sql<number>`any(${ids}::${sql.raw(`${found.idType ?? 'int'}[]`)})`)
      .where(sql<boolean>`${userId}::int in (r.owner_id, r.organizer_id)`)
      .execute();
    const isOwn = new Set(own.map(({ id }) => String(id)));
    if (changed.some(({ action, subject }) => !action.endsWith('.deleted') && !isOwn.has(String(subject.id))))
      throw new DomainError('not_found');
  }
};

function standings(db: Database, { select, idType = 'int' }: ChangedRecord, facts: readonly (RecordedFact & { n: number })[]) {
  // The text is the same for any number of facts. The planner knows the length of an array and reads the records by their ids.
  const given = sql`unnest(${facts.map(({ n }) => n)}::int[], ${facts.map(({ action }) => action)}::text[],
    ${facts.map(({ subject }) => subject.kind)}::text[], ${facts.map(({ subject }) => String(subject.id))}::${sql.raw(select ? idType : 'text')}[],
    ${facts.map(({ deleted }) => deleted?.ownerId ?? null)}::int[], ${facts.map(({ deleted }) => deleted?.parentId ?? null)}::int[])
    f (n, action, kind, id, owner_id, parent_id)`;
  if (!select)
    return sql`select f.n, f.action, f.kind, f.id as subject_id, f.parent_id, null::text as status, f.owner_id, null::int as organizer_id
      from ${given}`;
  return sql`select f.n, f.action, f.kind, f.id::text as subject_id, coalesce(f.parent_id, r.parent_id) as parent_id, r.status::text as status,
    coalesce(f.owner_id, r.owner_id) as owner_id, r.organizer_id from ${given} left join (${select(db)}) r on r.id = f.id`;
}
