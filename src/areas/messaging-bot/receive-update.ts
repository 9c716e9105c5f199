import { type Language, languages } from '../../http/language.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { connectChat, findLinkedAccount, inNameOf, type LinkedAccount } from './connect-chat.ts';
import { endLinks } from './end-link.ts';
import { type BotCommand, readMessage } from './texts.ts';

/** An update from a private chat. */
export interface ChatUpdate {
  /** The platform's update number, which identifies a repeat. */
  id: number;
  chatId: number;
  /** Language of the person's app, such as `kk` or `en-US`; null when absent. */
  languageCode: string | null;
  what: { kind: 'message'; text: string } | { kind: 'blocked' };
}

/** The answer to send to a chat. */
export interface ChatAnswer {
  chatId: number;
  language: Language;
  /** `link_refused`: the link is wrong, used or expired; `unlinked`: the chat has no account. */
  what: { kind: 'connected' | 'link_refused' | 'unlinked' | 'stopped' } | { kind: 'command'; command: BotCommand; userId: number };
}

/**
 * Processes an update of the bot platform once (BOT-3). Records it in the transaction of its effect: of two parallel deliveries the
 * second waits and finds it, and a failed one may be repeated.
 * @returns the answer; null for a repeat and for an update without an answer
 */
export async function receiveUpdate(ctx: CommandContext, { id, chatId, languageCode, what }: ChatUpdate): Promise<ChatAnswer | null> {
  const { numInsertedOrUpdatedRows } = await ctx.db
    .insertInto('bot_updates')
    .values({ id, seenAt: new Date() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) return null;
  const account = await findLinkedAccount(ctx.db, chatId);
  if (what.kind === 'blocked') {
    // A late update must not end a newer link. If the platform restarts its numbering, the next refused message ends the link.
    await endLinks(account ? inNameOf(ctx, account) : ctx, { chatId, connectedBefore: id }, 'blocked');
    return null;
  }
  const language = account?.language ?? languageOf(languageCode);
  const said = readMessage(what.text);
  if (said.kind === 'start' && said.token !== null) {
    const connected = await connectChat(ctx, { token: said.token, chatId, updateId: id });
    return connected
      ? { chatId, language: connected.language, what: { kind: 'connected' } }
      : { chatId, language, what: { kind: 'link_refused' } };
  }
  if (!account) return { chatId, language, what: { kind: 'unlinked' } };
  const command = said.kind === 'command' ? said.command : 'help';
  return command === 'stop' ? stop(ctx, chatId, account) : { chatId, language, what: { kind: 'command', command, userId: account.userId } };
}

async function stop(ctx: CommandContext, chatId: number, account: LinkedAccount): Promise<ChatAnswer> {
  await endLinks(inNameOf(ctx, account), { chatId }, 'chat');
  return { chatId, language: account.language, what: { kind: 'stopped' } };
}

function languageOf(code: string | null): Language {
  const tag = code?.toLowerCase().split('-')[0];
  return languages.find((language) => language === tag) ?? 'ru';
}
