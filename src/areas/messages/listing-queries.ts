import { sql } from 'kysely';
import { countUpTo } from '../../platform/database/bounded-queries.ts';
import { type Database, customPlan } from '../../platform/database/database.ts';
import type { Message } from './entities.ts';
import type { MessageView } from './queries.ts';
import { type Perspective, perspectives } from './sides.ts';

interface Paging {
  limit: number;
  offset: number;
}

/** A conversation about a registration in the list of one of its sides. */
export interface ListedConversation {
  perspective: Perspective;
  registrationId: number;
  eventTitle: string;
  class: string;
  athleteName: string;
  organizerName: string;
  unread: number;
  lastMessage: MessageView | null;
}

/** A chat with the federation as administrators list it. */
export interface ListedChat {
  userId: number;
  userName: string;
  unread: number;
  lastMessage: MessageView;
}

/** The same in the list of the account itself. */
export type OwnChat = Pick<ListedChat, 'unread'> & { lastMessage: MessageView | null };

/** A conversation as one of its sides sees it. */
interface ListedSide {
  id: number;
  perspective: Perspective;
  registrationId: number;
  unread: number;
  lastMessageId: number | null;
}

/** Counts are exact up to here. */
const mostCounted = 10_000;

/** Unread ones first, then by the last message, the newest first; conversations without a message come last. */
const unread = { athlete: sql.ref<number>('athlete_unread'), counterpart: sql.ref<number>('counterpart_unread') };

/**
 * Lists an account's conversations, as athlete and as organizer, in one statement.
 * Reads each side in index order (`conversations_athlete_index`, `conversations_organizer_index`) until the page is full, then the rest of
 * each row by id. Keep it below eight tables: above that, PostgreSQL joins in the written order (`join_collapse_limit`).
 */
export async function listConversations(db: Database, userId: number, { limit, offset }: Paging): Promise<ListedConversation[]> {
  const ofBoth = perspectives.map((perspective) => sidesOf(db, userId, perspective).limit(limit + offset));
  const shown = db
    .selectFrom(sql<ListedSide>`(${sql.join(ofBoth, sql` union all `)})`.as('b'))
    .selectAll('b')
    .orderBy(sql`b.unread > 0`, 'desc')
    .orderBy('b.lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('b.id', 'desc')
    .orderBy('b.perspective')
    .limit(limit)
    .offset(offset);
  const rows = await db
    .selectFrom(shown.as('s'))
    .innerJoin('registrations as r', 'r.id', 's.registrationId')
    .innerJoin('events as e', 'e.id', 'r.eventId')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .innerJoin('profiles as o', 'o.id', 'e.profileId')
    .leftJoin('messages as m', 'm.id', 's.lastMessageId')
    .select(['s.perspective', 's.unread', 's.registrationId', 'e.title as eventTitle', 'r.class', 'p.name as athleteName'])
    .select(['o.name as organizerName', 'm.id', 'm.side', 'm.text', 'm.createdAt', 'm.readAt'])
    .orderBy(sql`s.unread > 0`, 'desc')
    .orderBy('s.lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('s.id', 'desc')
    .orderBy('s.perspective')
    .modifyEnd(customPlan)
    .execute();
  return rows.map((row) => ({ ...row, lastMessage: messageOf(row) }));
}

/**
 * Counts them by the same indexes.
 * @returns `isTotalCapped`: there are more than `total`
 */
export async function countConversations(db: Database, userId: number): Promise<{ total: number; isTotalCapped: boolean }> {
  const counts = perspectives.map((perspective) => {
    const counted = ofSide(db, userId, perspective)
      .select(sql.lit(1).as('one'))
      .limit(sql.lit(mostCounted + 1));
    return sql<number>`(select count(*)::int from (${counted}) as c)`;
  });
  const { total } = await db.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as('total')).executeTakeFirstOrThrow();
  return { total: Math.min(total, mostCounted), isTotalCapped: total > mostCounted };
}

/**
 * Lists and counts chats with the federation: unread ones first, then by the last message, the newest first. Two statements, by
 * `conversations_federation_index`.
 */
export async function listChats(
  db: Database,
  { limit, offset }: Paging,
): Promise<{ chats: ListedChat[]; total: number; isTotalCapped: boolean }> {
  const all = db.selectFrom('conversations').where('kind', '=', sql.lit('federation' as const));
  const shown = all
    .select(['id', 'athleteId', 'counterpartUnread as unread', 'lastMessageId'])
    .orderBy(sql`${unread.counterpart} > 0`, 'desc')
    .orderBy('lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  const [rows, counted] = await Promise.all([
    db
      .selectFrom(shown.as('s'))
      .innerJoin('users as u', 'u.id', 's.athleteId')
      .innerJoin('messages as m', 'm.id', 's.lastMessageId')
      .innerJoin('users as a', 'a.id', 'm.authorId')
      .select(['u.id as userId', 'u.name as userName', 's.unread'])
      .select(['m.id', 'm.side', 'm.text', 'm.createdAt', 'm.readAt', 'a.name as authorName'])
      .orderBy(sql`s.unread > 0`, 'desc')
      .orderBy('s.lastMessageId', (order) => order.desc().nullsLast())
      .orderBy('s.id', 'desc')
      .modifyEnd(customPlan)
      .execute(),
    countUpTo(db, all, mostCounted),
  ]);
  const chats = rows.map(({ userId, userName, unread: waiting, ...lastMessage }) => ({ userId, userName, unread: waiting, lastMessage }));
  return { chats, ...counted };
}

/** Finds an account's chat with the federation; null before its first message. Uses conversations_federation_unique. */
export async function findOwnChat(db: Database, userId: number): Promise<OwnChat | null> {
  const row = await db
    .selectFrom('conversations as c')
    .leftJoin('messages as m', 'm.id', 'c.lastMessageId')
    .select(['c.athleteUnread as unread', 'm.id', 'm.side', 'm.text', 'm.createdAt', 'm.readAt'])
    .where('c.athleteId', '=', userId)
    .where('c.kind', '=', sql.lit('federation' as const))
    .executeTakeFirst();
  return row === undefined ? null : { unread: row.unread, lastMessage: messageOf(row) };
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
    .select(['id', 'registrationId', 'lastMessageId', own.as('unread'), sql.lit(perspective).as('perspective')])
    .orderBy(sql`${own} > 0`, 'desc')
    .orderBy('lastMessageId', (order) => order.desc().nullsLast())
    .orderBy('id', 'desc');
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** Returns the last message, if any, without its author's name. */
function messageOf(row: Nullable<Pick<Message, 'id' | 'side' | 'text' | 'createdAt' | 'readAt'>>): MessageView | null {
  const { id, side, text, createdAt, readAt } = row;
  const isThere = id !== null && side !== null && text !== null && createdAt !== null;
  return isThere ? { id, side, text, createdAt, readAt, authorName: null } : null;
}
