import type { Model } from '../model.ts';

/** A message of a private chat, as the platform sends it. */
export interface BotMessage {
  chatId: number;
  text: string;
  /** Of the person's program. */
  language: string;
}

type Language = 'ru' | 'kk' | 'en';

/** Notes for each account its chat, its language, whether it is active, and what it wants by bot. */
export function noteBot({ bot, accounts }: Model, now: Date): void {
  bot.chats.note(
    accounts.keys().map((id) => {
      const link = bot.links.get(id);
      return [id, link?.kind === 'connected' ? link.chatId : 0];
    }),
    now,
  );
  bot.active.note(
    accounts.values().map(({ id, status }) => [id, status === 'active']),
    now,
  );
  bot.languages.note(
    accounts.values().map(({ id, language }) => [id, language?.name ?? 'ru']),
    now,
  );
  bot.wanted.note(bot.chosen, now);
}

/**
 * Takes over what a message in a private chat changes: it uses a link or ends one (BOT-1, BOT-2, BOT-4).
 * @returns the language of its answer
 */
export function takeMessage(model: Model, { chatId, text, language }: BotMessage, now: Date): Language {
  model.bot.answersOf(chatId).most += 1;
  const [, token] = /^\/start (\S+)$/.exec(text) ?? [];
  const former = activeAccountOf(model, chatId);
  if (token !== undefined) {
    const connected = connect(model, chatId, token, now);
    return languageOf(model, connected ?? former, language);
  }
  if (former !== null && text === '/stop') end(model, former, [former]);
  return languageOf(model, former, language);
}

/** A person who blocks the bot loses the link, and is told so once (BOT-5). */
export function takeBlock(model: Model, chatId: number): void {
  const accountId = model.bot.accountOf(chatId);
  if (accountId === null) return;
  // The platform's word ends it, or a message that it refuses.
  end(model, accountId, [accountId, null]);
  model.expectNotified(accountId, 'bot.disconnected', accountId);
}

/** @returns the account that the chat now has; null for a link that is wrong, used, replaced, over, or of a blocked account */
function connect(model: Model, chatId: number, token: string, now: Date): number | null {
  const { bot } = model;
  const found = bot.links.entries().find(([, link]) => link.kind === 'pending' && link.token === token && now.getTime() < link.expiresAt);
  const [accountId] = found ?? [];
  if (accountId === undefined || model.accounts.get(accountId)?.status !== 'active') return null;
  const former = bot.accountOf(chatId);
  if (former !== null) {
    end(model, former, [accountId]);
    model.expectNotified(former, 'bot.disconnected', former);
  }
  bot.links.set(accountId, { kind: 'connected', chatId });
  model.happenedByBot('messaging_bot.connected', accountId, [accountId]);
  return accountId;
}

function end(model: Model, accountId: number, actors: readonly (number | null)[]): void {
  model.bot.links.delete(accountId);
  model.happenedByBot('messaging_bot.disconnected', accountId, actors);
}

/** A blocked account gets no answers of its own. */
function activeAccountOf({ bot, accounts }: Model, chatId: number): number | null {
  const accountId = bot.accountOf(chatId);
  return accountId !== null && accounts.get(accountId)?.status === 'active' ? accountId : null;
}

function languageOf({ accounts }: Model, accountId: number | null, ofProgram: string): Language {
  if (accountId !== null) return accounts.get(accountId)?.language?.name ?? 'ru';
  const [tag = ''] = ofProgram.toLowerCase().split('-');
  return tag === 'kk' || tag === 'en' ? tag : 'ru';
}
