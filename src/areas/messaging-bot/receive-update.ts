import { type Language, languages } from '../../http/language.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type BotCommand, readMessage } from './commands.ts';
import { connectChat, findLinkedAccount, inNameOf, type LinkedAccount } from './connect-chat.ts';
import { endLinks } from './end-link.ts';

/** What came from a chat with one person. */
export interface ChatUpdate {
  /** The platform's number of it, by which a repeat is known. */
  id: number;
  chatId: number;
  /** The language of the person's program, such as `kk` or `en-US`; null where it was not told. */
  languageCode: string | null;
  what: { kind: 'message'; text: string } | { kind: 'blocked' };
}

/** What is to be answered in a chat. */
export interface ChatAnswer {
  chatId: number;
  language: Language;
  /** `link_refused`: the link is wrong, used or too old; `unlinked`: the chat is linked with no account. */
  what: { kind: 'connected' | 'link_refused' | 'unlinked' | 'stopped' } | { kind: 'command'; command: BotCommand; userId: number };
}

/**
 * Takes an update of the bot platform, once: that it was seen is written in the transaction of its effect. So of two deliveries at once the second
 * waits and finds it, and what failed was not seen and may come again.
 * @returns what to answer; null for one seen before, and where nobody listens
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
    // One that comes late knows nothing of a newer link. Where the platform has begun its numbers anew, a message that cannot be sent ends the link.
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
