import { sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import { type Conversation, ConversationEntity, type Message } from './entities.ts';
import { type Perspective, perspectives, type Side, type SideNames } from './sides.ts';

/** A message with its author's account name, which only administrators see; null for all other readers. */
export interface MessageView extends Pick<Message, 'id' | 'side' | 'text' | 'createdAt' | 'readAt'> {
  authorName: string | null;
}

/** A conversation with the names of its sides. */
interface ConversationView
  extends
    SideNames,
    Pick<
      Conversation,
      'id' | 'kind' | 'registrationId' | 'athleteId' | 'organizerId' | 'messageCount' | 'athleteUnread' | 'counterpartUnread'
    > {}

/** Selects conversations `c` with the names of athlete and organization, or of the account in a chat. By primary keys. */
export function withNames(db: Database) {
  return db
    .selectFrom('conversations as c')
    .innerJoin('users as u', 'u.id', 'c.athleteId')
    .leftJoin('registrations as r', 'r.id', 'c.registrationId')
    .leftJoin('events as e', 'e.id', 'r.eventId')
    .leftJoin('profiles as p', 'p.id', 'r.profileId')
    .leftJoin('profiles as o', 'o.id', 'e.profileId')
    .select(['o.name as organizerName', sql<string>`coalesce(${sql.ref('p.name')}, ${sql.ref('u.name')})`.as('athleteName')]);
}

function conversations(db: Database) {
  return withNames(db).select([
    'c.id',
    'c.kind',
    'c.registrationId',
    'c.athleteId',
    'c.organizerId',
    'c.messageCount',
    'c.athleteUnread',
    'c.counterpartUnread',
  ]);
}

/** Finds the conversation about a registration; null for a draft (MSG-3). Uses conversations_registration_unique. */
export async function findConversation(db: Database, registrationId: number): Promise<ConversationView | null> {
  return (await conversations(db).where('c.registrationId', '=', registrationId).executeTakeFirst()) ?? null;
}

/** Finds an account's chat with the federation; null before its first message. Uses conversations_federation_unique. */
export async function findChat(db: Database, userId: number): Promise<ConversationView | null> {
  return (
    (await conversations(db)
      .where('c.athleteId', '=', userId)
      .where('c.kind', '=', sql.lit('federation' as const))
      .executeTakeFirst()) ?? null
  );
}

export async function findConversationById(db: Database, id: number): Promise<ConversationView | null> {
  return (await conversations(db).where('c.id', '=', id).executeTakeFirst()) ?? null;
}

/** Reads messages of a conversation, the newest first; marks nothing (MSG-4). Uses messages_conversation_index. */
export async function readMessages(
  db: Database,
  conversation: Pick<Conversation, 'id'> | null,
  { page, limit }: { page: number; limit: number },
): Promise<MessageView[]> {
  if (conversation === null) return [];
  return selectMessages(db)
    .where('m.conversationId', '=', conversation.id)
    .orderBy('m.id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
}

export async function findMessage(db: Database, id: number): Promise<MessageView | null> {
  return (await selectMessages(db).where('m.id', '=', id).executeTakeFirst()) ?? null;
}

function selectMessages(db: Database) {
  return db
    .selectFrom('messages as m')
    .innerJoin('users as a', 'a.id', 'm.authorId')
    .select(['m.id', 'm.side', 'm.text', 'm.createdAt', 'm.readAt', 'a.name as authorName']);
}

/** Counts the federation's messages that the account has not read. */
export async function countUnread(db: Database, userId: number): Promise<number> {
  const chat = await db
    .selectFrom('conversations')
    .select('athleteUnread')
    .where('athleteId', '=', userId)
    .where('kind', '=', sql.lit('federation' as const))
    .executeTakeFirst();
  return chat?.athleteUnread ?? 0;
}

/** Finds an account's name; null when it does not exist. */
export async function findUserName(db: Database, userId: number): Promise<string | null> {
  return (await db.selectFrom('users').select('name').where('id', '=', userId).executeTakeFirst())?.name ?? null;
}

/** Returns how many messages one side has not read. */
export function unreadOf(counters: Pick<Conversation, 'athleteUnread' | 'counterpartUnread'>, side: Side): number {
  return side === 'athlete' ? counters.athleteUnread : counters.counterpartUnread;
}

/**
 * Locks the conversation about a registration for the caller's side. Waits for a transfer in progress, because it changes the owner
 * of this row (MSG-6).
 * @throws {DomainError} not_found
 */
export async function lockConversation(
  ctx: CommandContext,
  registrationId: number,
  perspective: Perspective,
): Promise<Locked<Conversation>> {
  const conversation = await lockForChange(ctx.em, ConversationEntity, { registrationId });
  return requireParty(conversation, perspective, actingUserId(ctx.actor));
}

/** Locks an account's chat with the federation; null before its first message. */
export function lockChat(ctx: CommandContext, userId: number): Promise<Locked<Conversation> | null> {
  return lockForChange(ctx.em, ConversationEntity, { athleteId: userId, kind: 'federation' });
}

/** Locks a chat for writing and creates it for the first message. Of two parallel requests one inserts the row; the other waits. */
export async function openChat(ctx: CommandContext, userId: number): Promise<Locked<Conversation>> {
  const found = await lockChat(ctx, userId);
  if (found !== null) return found;
  await ctx.db
    .insertInto('conversations')
    .values({ kind: 'federation', athleteId: userId, createdAt: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const opened = await lockChat(ctx, userId);
  if (opened === null) throw new Error(`the chat of account ${userId} was not found in its own transaction`);
  return opened;
}

/** @throws {DomainError} not_found for an unknown perspective */
export function requirePerspective(word: string): Perspective {
  const perspective = perspectives.find((known) => known === word);
  if (perspective === undefined) throw new DomainError('not_found');
  return perspective;
}

/**
 * Admits only the athlete and the organizer of a registration, each to their own side; administrators get 404 as well (MSG-2).
 * @throws {DomainError} not_found, also for a draft (MSG-3)
 */
export function requireParty<Found extends Pick<Conversation, 'registrationId' | 'athleteId' | 'organizerId'>>(
  conversation: Found | null,
  perspective: Perspective,
  userId: number | null,
): Found {
  if (conversation === null) throw new DomainError('not_found');
  const { registrationId, athleteId, organizerId } = conversation;
  if (userId === null || (perspective === 'athlete' ? athleteId : organizerId) !== userId)
    throw refusalOf('not_found', { kind: 'registration', id: registrationId ?? 0 });
  return conversation;
}
