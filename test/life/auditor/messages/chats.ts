import { administratorsOf } from '../accounts/account-records.ts';
import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { federationName } from './streamed.ts';

/** A message between an account and the federation. */
export interface ChatMessage {
  id: number;
  side: 'athlete' | 'federation';
  text: string;
  isRead: boolean;
}

const longest = 3000;
const [writing, reading] = ['POST /chat/messages', 'POST /chat/read'];
const [answering, marking] = ['POST /admin/chats/{user_id}/messages', 'POST /admin/chats/{user_id}/read'];

/** Chats of accounts with the federation, by `docs/rules/messages.md`. */
export const chatsArea: Area = {
  records: ['chat'],
  notifies: ['chat'],

  judge(model, asked) {
    const { operation, params } = asked;
    if (operation === writing) return judgeText(asked);
    if (operation === reading) return 'accept';
    if (operation !== answering && operation !== marking) return null;
    const text = operation === answering ? judgeText(asked) : 'accept';
    const account = model.accounts.get(Number(params['user_id']));
    if (text !== 'accept') return text;
    if (!account) return refuse('not_found');
    // Not to a blocked account (MSG-7).
    return operation === answering && account.status === 'blocked' ? refuse('invalid_state') : 'accept';
  },

  saw(model, exchange) {
    switch (exchange.operation) {
      case writing:
        return write(model, exchange, exchange.by.accountId, 'athlete');
      case answering:
        return write(model, exchange, Number(exchange.params['user_id']), 'federation');
      case reading:
        return mark(model, exchange, exchange.by.accountId, 'athlete');
      case marking:
        return mark(model, exchange, Number(exchange.params['user_id']), 'federation');
      default:
        return [];
    }
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'chat')) await askChat(inquiry, id);
  },

  async askAll(inquiry) {
    for (const id of inquiry.model.chats.keys()) await askChat(inquiry, id);
  },
};

/** 1 to 3000 code points, not blank (MSG-1). */
function judgeText({ body }: Asked): Judgement {
  const { message } = body as { message: string };
  return message.trim() === '' || [...message].length > longest ? refuse('validation_failed') : 'accept';
}

function chatOf({ chats }: Model, accountId: number): ChatMessage[] {
  const messages = chats.get(accountId) ?? [];
  chats.set(accountId, messages);
  return messages;
}

function write(model: Model, exchange: Exchange, accountId: number, side: ChatMessage['side']): Touched[] {
  const { id } = exchange.data;
  const text = (exchange.body as { message: string }).message.normalize('NFC');
  chatOf(model, accountId).push({ id, side, text, isRead: false });
  const to = side === 'federation' ? [accountId] : administratorsOf(model);
  model.sentMessages.push({ id, text, side, to, registrationId: null });
  model.noted(exchange, 'chat.message_sent', 'chat', accountId);
  // Only the federation's messages are told (MSG-8).
  if (side === 'federation') model.expectNotified(accountId, 'chat.reply', id);
  return [{ kind: 'chat', id: accountId }];
}

/** Marks what the other side wrote, up to a message that was seen; for all administrators at once (MSG-4). */
function mark(model: Model, exchange: Exchange, accountId: number, side: ChatMessage['side']): Touched[] {
  const { up_to_id: last = Number.POSITIVE_INFINITY } = (exchange.body ?? {}) as { up_to_id?: number };
  const seen = chatOf(model, accountId).filter((message) => message.side !== side && !message.isRead && message.id <= last);
  for (const message of seen) message.isRead = true;
  const isAudited = side === 'federation' || exchange.by.administratorId !== null;
  if (seen.length > 0 && isAudited) model.noted(exchange, 'chat.marked_read', 'chat', accountId);
  return [{ kind: 'chat', id: accountId }];
}

/** Both sides read the same messages and count what the other side wrote; no other account reads any of them (MSG-2). */
async function askChat(inquiry: Inquiry, accountId: number): Promise<void> {
  const { model, asAdministrator, same, people } = inquiry;
  const messages = chatOf(model, accountId);
  if (messages.length > 100) return;
  const shown = (side: ChatMessage['side']) =>
    messages.map((one) => ({ id: one.id, message: one.text, side: one.side, mine: one.side === side, isRead: one.isRead })).toReversed();
  const unread = (side: ChatMessage['side']) => messages.filter((one) => one.side !== side && !one.isRead).length;
  const call = { params: { user_id: accountId }, query: '?limit=100' };
  const ofFederation = (await asAdministrator('GET /admin/chats/{user_id}', call)).data;
  same(
    `administrators read the chat of account ${accountId}, newest first (MSG-1, MSG-2)`,
    shown('federation'),
    rowsOf(ofFederation.messages),
  );
  same(`administrators count what account ${accountId} wrote (MSG-4)`, unread('federation'), ofFederation.unread);
  const listed = (await inquiry.listed<{ user_id: number; unread: number }>('GET /admin/chats')).find((one) => one.user_id === accountId);
  same(`the list of chats counts what account ${accountId} wrote (MSG-4)`, unread('federation'), listed?.unread ?? 0);
  const owner = inquiry.personOf(accountId);
  if (owner && inquiry.isActive(owner) && !inquiry.isSignedOut(owner)) {
    const own = (await inquiry.as(owner, 'GET /chat', { query: '?limit=100' })).data;
    same(`account ${accountId} reads its chat, newest first (MSG-1, MSG-2)`, shown('athlete'), rowsOf(own.messages));
    const [counter, dialogs] = [
      await inquiry.as(owner, 'GET /chat/unread'),
      await inquiry.as(owner, 'GET /messenger', { query: '?limit=100' }),
    ];
    const row = (dialogs.data as { kind: string; unread: number }[]).find(({ kind }) => kind === 'administration');
    const counted = { chat: own.unread, counter: counter.data.unread, dialogs: row?.unread };
    const waiting = unread('athlete');
    same(
      `account ${accountId} counts what the federation wrote, in each place alike (MSG-4)`,
      { chat: waiting, counter: waiting, dialogs: waiting },
      counted,
    );
    // Who answered is not told.
    const named = (own.messages as Row[]).flatMap(({ author }) => (author.side === 'federation' ? [author.name] : []));
    const name = federationName[model.accounts.get(accountId)?.language?.name ?? 'ru'];
    same(
      `account ${accountId} does not see which administrator wrote (MSG-9)`,
      named.map(() => name),
      named,
    );
    const signed = (ofFederation.messages as Row[]).filter(
      ({ author }) => author.side === 'federation' && /^(Федерация|Federation)$/.test(author.name),
    );
    same(`administrators see which of them wrote to account ${accountId} (MSG-9)`, [], signed);
  }
  const stranger = people.find((one) => one.accountId !== accountId && isReader(inquiry, one.accountId) && !inquiry.isSignedOut(one));
  if (!stranger) return;
  const { data } = await inquiry.as(stranger, 'GET /chat', { query: '?limit=100' });
  const others = (data.messages as { id: number }[]).filter(({ id }) => messages.some((one) => one.id === id));
  same(`${stranger.name} reads nothing of the chat of account ${accountId} (MSG-2)`, [], others);
  const { status } = await inquiry.as(stranger, 'GET /admin/chats/{user_id}', call);
  same(`${stranger.name} has no door to the chats of others (MSG-2)`, 403, status);
}

function isReader({ model }: Inquiry, accountId: number): boolean {
  const account = model.accounts.get(accountId);
  return account?.status === 'active' && account.role === 'user';
}

interface Row {
  id: number;
  message: string;
  author: { side: string; name: string };
  mine: boolean;
  read_at: string | null;
}

function rowsOf(rows: Row[]) {
  return rows.map(({ id, message, author, mine, read_at: readAt }) => ({ id, message, side: author.side, mine, isRead: readAt !== null }));
}
