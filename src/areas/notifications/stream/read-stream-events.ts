import { sql } from 'kysely';
import type { z } from 'zod';
import type { Language } from '../../../http/language.ts';
import { type Cleared, clearedOf, clearingBatch } from '../../../platform/expired-rows.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import { dayMs } from '../../../platform/time/date-time.ts';
import { definePoint, type Extensions } from '../../../platform/extensions.ts';
import { type NotificationKind, notificationKinds } from '../define-notifications.ts';
import type { Notification, StreamEventKind } from '../entities.ts';
import { presentNotification } from '../inbox/wire.ts';

/** Days for which events are kept, so that a client can resume without a loss. */
const streamDays = 7;

/**
 * Deletes a page of stream events older than `streamDays` by the domain clock, the oldest first. Their notifications and messages stay.
 * Uses `stream_events_created_index`.
 * @returns how many, and whether there may be more
 */
export async function clearStreamEvents({ db, now }: Pick<CommandContext, 'db' | 'now'>): Promise<Cleared> {
  const old = db
    .selectFrom('stream_events')
    .select('id')
    .where('createdAt', '<', new Date(now.getTime() - streamDays * dayMs))
    .orderBy('createdAt')
    .limit(clearingBatch);
  // As an array that PostgreSQL computes first: the rows are found by primary key, not by a table scan.
  const { numDeletedRows } = await db
    .deleteFrom('stream_events')
    .where('id', '=', sql<number>`any(array(${old}))`)
    .executeTakeFirst();
  return clearedOf([Number(numDeletedRows)]);
}

/** An account, and the number after which its events are wanted. */
export interface WantedEvents {
  userId: number;
  behind: number;
}

/** An event as written to every stream of its account. */
export interface ReadyEvent {
  sequence: number;
  kind: StreamEventKind;
  /** Null: its subject is deleted, or the account may not see it any longer. */
  text: string | null;
}

interface Row {
  userId: number;
  language: Language;
  sequence: number;
  kind: StreamEventKind;
  subjectId: number;
  /** The row of a `notification` event; null when deleted. */
  notification: Notification | null;
}

/**
 * Reads the next events of some accounts, in order and in each account's language.
 * One statement for all accounts, and one more for each account with other kinds of events. Uses `stream_events_sequence_unique`.
 * @param limit most events of each account
 * @returns a page for each account; an account whose read failed is left out
 */
export async function readStreamEvents(
  db: Database,
  extensions: Extensions,
  wanted: readonly WantedEvents[],
  limit: number,
): Promise<{ pages: Map<number, ReadyEvent[]>; failures: unknown[] }> {
  const rows = await readRows(db, wanted, limit);
  const kinds = extensions.of(notificationKinds);
  const subjects = extensions.of(streamSubjects);
  const pages = new Map<number, ReadyEvent[]>(wanted.map(({ userId }) => [userId, []]));
  const failures: unknown[] = [];
  for (const [userId, events] of Map.groupBy(rows, (row) => row.userId)) {
    try {
      const others = await readSubjects(db, subjects, events);
      const page = events.map((row): ReadyEvent => {
        const data = row.kind === 'notification' ? dataOf(row, kinds) : others.get(row.kind)?.get(row.subjectId);
        return { sequence: row.sequence, kind: row.kind, text: data === undefined ? null : writeEvent(row, data) };
      });
      pages.set(userId, page);
    } catch (error) {
      // One account's failure does not stop the others.
      pages.delete(userId);
      failures.push(error);
    }
  }
  return { pages, failures };
}

async function readRows(db: Database, wanted: readonly WantedEvents[], limit: number): Promise<Row[]> {
  const ids = wanted.map(({ userId }) => userId);
  const places = wanted.map(({ behind }) => behind);
  const rows = await db
    .selectFrom(sql<WantedEvents>`unnest(${ids}::int[], ${places}::bigint[])`.as<'w'>(sql`w(user_id, behind)`))
    .innerJoin('users as u', 'u.id', 'w.userId')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('stream_events as s')
          .whereRef('s.userId', '=', 'w.userId')
          .whereRef('s.sequence', '>', 'w.behind')
          .select((event) => [event.ref('s.sequence').$notNull().as('sequence'), 's.kind', 's.subjectId'])
          .orderBy('s.sequence')
          // As a literal: a plan for any limit would expect many rows and scan all notifications.
          .limit(sql.lit(limit))
          .as('e'),
      (join) => join.onTrue(),
    )
    .leftJoin('notifications as n', (join) =>
      join.on('e.kind', '=', 'notification').onRef('n.id', '=', 'e.subjectId').onRef('n.userId', '=', 'w.userId'),
    )
    .select(['w.userId', 'u.language', 'e.sequence', 'e.kind', 'e.subjectId'])
    .select(['n.id', 'n.type', 'n.subjectKind', 'n.subjectId as aboutId', 'n.facts', 'n.title', 'n.text', 'n.createdAt', 'n.readAt'])
    .orderBy('w.userId')
    .orderBy('e.sequence')
    .execute();
  return rows.map(({ userId, language, sequence, kind, subjectId, aboutId, ...columns }): Row => {
    // An outer join fills all columns of a notification or none.
    const notification = columns.id === null ? null : ({ ...columns, userId, subjectId: aboutId } as Notification);
    return { userId, language, sequence, kind, subjectId, notification };
  });
}

function dataOf({ notification, language }: Row, kinds: readonly Readonly<Record<string, NotificationKind>>[]): unknown {
  return notification === null ? undefined : presentNotification(notification, { kinds, language });
}

/** Reads the subjects of one account's events, by kind. */
async function readSubjects(
  db: Database,
  subjects: readonly StreamSubject[],
  events: readonly Row[],
): Promise<Map<StreamEventKind, Map<number, unknown>>> {
  const found = new Map<StreamEventKind, Map<number, unknown>>();
  for (const subject of subjects) {
    const own = events.filter(({ kind }) => kind === subject.kind);
    const [first] = own;
    if (first === undefined) continue;
    const reader = { userId: first.userId, language: first.language };
    const read = await subject.read(
      db,
      reader,
      own.map(({ subjectId }) => subjectId),
    );
    found.set(subject.kind, read);
  }
  return found;
}

/** JSON has no line break outside its escapes, so `data` is one line. */
function writeEvent({ sequence, kind }: Row, data: unknown): string {
  return `id: ${sequence}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Reads the events of one kind for the live stream; entered by the area that owns their subject. */
export interface StreamSubject {
  kind: StreamEventKind;
  /** Shape of `data` in the OpenAPI document. */
  shape?: z.ZodType;
  /** Returns the `data` of events by subject id, in one statement. Leaves out subjects that are deleted or that the reader may not see. */
  read(db: Database, reader: { userId: number; language: Language }, ids: readonly number[]): Promise<Map<number, unknown>>;
}

export const streamSubjects = definePoint<StreamSubject>('subjects of live stream events');

/** Writes a message event into the live streams of accounts, in the same transaction (NOT-5). */
export async function announceMessage({ db, now }: CommandContext, userIds: readonly number[], messageId: number): Promise<void> {
  await db
    .insertInto('stream_events')
    .columns(['userId', 'kind', 'subjectId', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .where('id', '=', inList(userIds))
        .select(['id', sql.lit('message').as('kind'), sql.val(messageId).as('subjectId'), sql.val(now).as('createdAt')])
        .orderBy('id'),
    )
    .execute();
}
