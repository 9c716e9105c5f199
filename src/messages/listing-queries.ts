import { sql } from 'kysely';
import { plannedEachTime } from '../platform/database/database.ts';
import type { Database } from '../platform/database/database.ts';
import type { Message } from './entities.ts';
import { withNames } from './queries.ts';
import type { MessageView } from './queries.ts';
import { perspectives } from './sides.ts';
import type { Perspective, SideNames } from './sides.ts';

interface Paging {
  limit: number;
  offset: number;
}

/** A dialog as lists show it. */
export interface ListedDialog extends SideNames {
  unread: number;
  lastMessage: MessageView | null;
}

export interface ListedConversation extends ListedDialog {
  perspective: Perspective;
  registrationId: number;
  eventTitle: string;
  class: string;
}

export interface ListedChat extends ListedDialog {
  userId: number;
  lastMessage: MessageView;
}

/** A conversation as one of its sides finds it. */
interface ListedSide {
  id: number;
  perspective: Perspective;
  unread: number;
  lastMessageId: number | null;
}

/** Counted exactly up to here. */
const mostCounted = 10_000;

/** Unread ones first, then by the last message, the newest first; those in which nothing was said come last. */
const unread = { athlete: sql.ref<number>('athlete_unread'), counterpart: sql.ref<number>('counterpart_unread') };

/**
 * What an account may talk about, as athlete and as organizer. Each side is read in the order of its index, `conversations_athlete_index` or
 * `conversations_organizer_index`, until the page is full, and the rest of a row by its ids.
 */
export async function listConversations(db: Database, userId: number, { limit, offset }: Paging): Promise<ListedConversation[]> {
  const ofBoth = perspectives.map((perspective) => sidesOf(db, userId, perspective).limit(limit + offset));
  const shown = db
    .selectFrom(sql<ListedSide>`(${sql.join(ofBoth, sql` union all `)})`.as('s'))
    .selectAll('s')
    .orderBy(sql`s.unread > 0`, 'desc')
    .orderBy('s.lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('s.id', 'desc')
    .orderBy('s.perspective')
    .limit(limit)
    .offset(offset);
  const rows = await withLastMessage(db)
    .innerJoin(shown.as('s'), 's.id', 'c.id')
    .select(['s.perspective', 's.unread', 'c.registrationId', 'e.title as eventTitle', 'r.class'])
    .orderBy(sql`s.unread > 0`, 'desc')
    .orderBy('s.lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('s.id', 'desc')
    .orderBy('s.perspective')
    .modifyEnd(plannedEachTime)
    .execute();
  return rows.map(({ registrationId, eventTitle, class: name, ...row }) => ({
    ...withMessage(row),
    perspective: row.perspective,
    registrationId: registrationId ?? 0,
    eventTitle: eventTitle ?? '',
    class: name ?? '',
  }));
}

/** How many there are, by the same indexes. @returns `isCapped`: there are more than `total` */
export async function countConversations(db: Database, userId: number): Promise<{ total: number; isCapped: boolean }> {
  const counts = perspectives.map((perspective) => {
    const counted = ofSide(db, userId, perspective)
      .select(sql.lit(1).as('one'))
      .limit(sql.lit(mostCounted + 1));
    return sql<number>`(select count(*)::int from (${counted}) as c)`;
  });
  const { total } = await db.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as('total')).executeTakeFirstOrThrow();
  return { total: Math.min(total, mostCounted), isCapped: total > mostCounted };
}

/**
 * Chats of accounts with the federation, unread ones first, then by the last message, the newest first (decisions.md §8), and how many they
 * are: two statements, by `conversations_federation_index`.
 */
export async function listChats(
  db: Database,
  { limit, offset }: Paging,
): Promise<{ chats: ListedChat[]; total: number; isCapped: boolean }> {
  const chats = db.selectFrom('conversations').where('kind', '=', sql.lit('federation' as const));
  const shown = chats
    .select(['id', 'counterpartUnread as unread', 'lastMessageId'])
    .orderBy(sql`${unread.counterpart} > 0`, 'desc')
    .orderBy('lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  const counted = chats.select(sql.lit(1).as('one')).limit(sql.lit(mostCounted + 1));
  const [rows, { total }] = await Promise.all([
    withLastMessage(db)
      .innerJoin(shown.as('s'), 's.id', 'c.id')
      .select(['s.unread', 'c.athleteId as userId'])
      .orderBy(sql`s.unread > 0`, 'desc')
      .orderBy('s.lastMessageId', (order) => order.desc().nullsLast())
      .orderBy('s.id', 'desc')
      .modifyEnd(plannedEachTime)
      .execute(),
    db
      .selectFrom(counted.as('c'))
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  const listed = rows.flatMap((row): ListedChat[] => {
    const { lastMessage, ...dialog } = withMessage(row);
    return lastMessage === null ? [] : [{ ...dialog, lastMessage, userId: row.userId }];
  });
  return { chats: listed, total: Math.min(total, mostCounted), isCapped: total > mostCounted };
}

/** Somebody's chat with the federation as his own list shows it; null until somebody has written. */
export async function findListedChat(db: Database, userId: number): Promise<ListedDialog | null> {
  const row = await withLastMessage(db)
    .select('c.athleteUnread as unread')
    .where('c.athleteId', '=', userId)
    .where('c.kind', '=', sql.lit('federation' as const))
    .executeTakeFirst();
  return row === undefined ? null : withMessage(row);
}

function ofSide(db: Database, userId: number, perspective: Perspective) {
  return db
    .selectFrom('conversations')
    .where('kind', '=', sql.lit('registration' as const))
    .where(perspective === 'athlete' ? 'athleteId' : 'organizerId', '=', userId);
}

function sidesOf(db: Database, userId: number, perspective: Perspective) {
  const own = perspective === 'athlete' ? unread.athlete : unread.counterpart;
  return ofSide(db, userId, perspective)
    .select(['id', 'lastMessageId', own.as('unread'), sql.lit(perspective).as('perspective')])
    .orderBy(sql`${own} > 0`, 'desc')
    .orderBy('lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('id', 'desc');
}

/** Beside the names the last message, where there is one. */
function withLastMessage(db: Database) {
  return withNames(db)
    .leftJoin('messages as m', 'm.id', 'c.lastMessageId')
    .leftJoin('users as a', 'a.id', 'm.authorId')
    .select(['m.id', 'm.side', 'm.text', 'm.createdAt', 'm.readAt', 'a.name as authorName']);
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

function withMessage({
  athleteName,
  organizerName,
  unread: waiting,
  ...row
}: SideNames & { unread: number } & Nullable<
    Pick<Message, 'id' | 'side' | 'text' | 'createdAt' | 'readAt'> & { authorName: string }
  >): ListedDialog {
  const { id, side, text, createdAt, readAt, authorName } = row;
  const isThere = id !== null && side !== null && text !== null && createdAt !== null && authorName !== null;
  return { athleteName, organizerName, unread: waiting, lastMessage: isThere ? { id, side, text, createdAt, readAt, authorName } : null };
}
