import { sql } from 'kysely';
import type { Language } from '../http/language.ts';
import { inList } from '../platform/database/database.ts';
import type { Database } from '../platform/database/database.ts';
import type { Extensions } from '../platform/extensions.ts';
import { notificationKinds } from './define-notifications.ts';
import type { NotificationKind } from './define-notifications.ts';
import type { Notification, StreamEventKind } from './entities.ts';
import { presentNotification } from './presenter.ts';
import { streamSubjects } from './stream-subjects.ts';
import type { StreamSubject } from './stream-subjects.ts';

/** An account, and the number behind which its events are wanted. */
export interface WantedEvents {
  userId: number;
  behind: number;
}

/** An event as it goes out to every stream of its account. */
export interface ReadyEvent {
  sequence: number;
  kind: StreamEventKind;
  /** Null: what it was about is gone, or not for this person's eyes any more. */
  text: string | null;
}

interface Row {
  userId: number;
  language: Language;
  sequence: number;
  kind: StreamEventKind;
  subjectId: number;
}

/**
 * The next events of some accounts, in order and in the words of each: two statements for however many accounts, and one for each account with events
 * of another kind than notifications. Read by `stream_events_sequence_unique`.
 * @param limit events of each account, at the most
 * @returns a page for each account; an account of which something could not be read is left out
 */
export async function readStreamEvents(
  db: Database,
  extensions: Extensions,
  wanted: readonly WantedEvents[],
  limit: number,
): Promise<{ pages: Map<number, ReadyEvent[]>; failures: unknown[] }> {
  const rows = await readRows(db, wanted, limit);
  const notifications = await readNotifications(db, rows);
  const kinds = extensions.of(notificationKinds);
  const subjects = extensions.of(streamSubjects);
  const pages = new Map<number, ReadyEvent[]>(wanted.map(({ userId }) => [userId, []]));
  const failures: unknown[] = [];
  for (const [userId, events] of Map.groupBy(rows, (row) => row.userId)) {
    try {
      const others = await readSubjects(db, subjects, events);
      const page = events.map((row): ReadyEvent => {
        const data = row.kind === 'notification' ? dataOf(row, notifications, kinds) : others.get(row.kind)?.get(row.subjectId);
        return { sequence: row.sequence, kind: row.kind, text: data === undefined ? null : writeEvent(row, data) };
      });
      pages.set(userId, page);
    } catch (error) {
      // Of one account: the others are told all the same.
      pages.delete(userId);
      failures.push(error);
    }
  }
  return { pages, failures };
}

function readRows(db: Database, wanted: readonly WantedEvents[], limit: number): Promise<Row[]> {
  const ids = wanted.map(({ userId }) => userId);
  const places = wanted.map(({ behind }) => behind);
  return db
    .selectFrom(sql<WantedEvents>`unnest(${ids}::int[], ${places}::bigint[])`.as<'w'>(sql`w(user_id, behind)`))
    .innerJoin('users as u', 'u.id', 'w.userId')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('stream_events as e')
          .whereRef('e.userId', '=', 'w.userId')
          .whereRef('e.sequence', '>', 'w.behind')
          .select((event) => [event.ref('e.sequence').$notNull().as('sequence'), 'e.kind', 'e.subjectId'])
          .orderBy('e.sequence')
          .limit(limit)
          .as('n'),
      (join) => join.onTrue(),
    )
    .select(['w.userId', 'u.language', 'n.sequence', 'n.kind', 'n.subjectId'])
    .orderBy('w.userId')
    .orderBy('n.sequence')
    .execute();
}

async function readNotifications(db: Database, rows: readonly Row[]): Promise<Map<number, Notification>> {
  const ids = rows.filter(({ kind }) => kind === 'notification').map(({ subjectId }) => subjectId);
  if (ids.length === 0) return new Map();
  const found = await db.selectFrom('notifications').selectAll().where('id', '=', inList(ids)).execute();
  return new Map(found.map((notification) => [notification.id, notification]));
}

function dataOf(
  { subjectId, userId, language }: Row,
  notifications: ReadonlyMap<number, Notification>,
  kinds: readonly Readonly<Record<string, NotificationKind>>[],
): unknown {
  const found = notifications.get(subjectId);
  return found?.userId === userId ? presentNotification(found, { kinds, language }) : undefined;
}

/** What the events of one account are about, by kind. */
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
