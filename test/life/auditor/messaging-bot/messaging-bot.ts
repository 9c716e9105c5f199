import { createRandom } from '../../../support/random.ts';
import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { askBotMessages, askBotMessagesAtTheEnd } from './bot-messages.ts';
import { noteBot, takeMessage } from './bot-updates.ts';

const [making, ending, receiving] = ['POST /messaging-bot', 'DELETE /messaging-bot', 'POST /messaging-bot/webhook'];
const linkMs = 10 * 60_000;
/** An answer may come to its client only after a process has started again. */
const toleranceMs = 120_000;

/** The caller that shows the secret of the webhook; the auditor does not see headers. */
export const botPlatformName = 'the bot platform';

/** An update as the platform sends it. */
interface Update {
  update_id: number;
  message: { chat: { id: number; type: string }; from: { language_code: string }; text: string };
}

/** Before each request everything stands as it was left. */
export const botClock: Area = {
  judge(model, _asked, now) {
    noteBot(model, now);
    return null;
  },
};

/** The bot: links, its webhook and its messages, by `docs/rules/messaging-bot.md`. It sees a request after the areas of accounts. */
export const botArea: Area = {
  records: ['messaging_bot'],
  notifies: ['bot'],

  judge: (model, asked) => judgeBot(model, asked),

  saw(model, exchange) {
    const touched = seeBot(model, exchange);
    noteBot(model, exchange.at);
    return touched;
  },

  async ask(inquiry, touched) {
    noteBot(inquiry.model, inquiry.now);
    const { bot } = inquiry.model;
    const asked = new Set([...touchedIds(touched, 'bot'), ...bot.touched, ...oneMore(inquiry)]);
    bot.touched.clear();
    for (const id of asked) await inquiry.eventually(() => askLink(inquiry, id));
    await askBotMessages(inquiry);
  },

  async askAll(inquiry) {
    for (const id of inquiry.model.accounts.keys()) await inquiry.eventually(() => askLink(inquiry, id));
    await askBotMessagesAtTheEnd(inquiry);
  },
};

function judgeBot({ bot }: Model, { operation, by }: Asked): Judgement | null {
  switch (operation) {
    case making:
      if (by.accountId === 0) return refuse('unauthenticated');
      return bot.links.get(by.accountId)?.kind === 'connected' ? refuse('messaging_bot_connected') : 'accept';
    case ending:
      return by.accountId === 0 ? refuse('unauthenticated') : 'accept';
    case receiving:
      return by.name === botPlatformName ? 'accept' : refuse('unauthenticated');
    default:
      return null;
  }
}

function seeBot(model: Model, exchange: Exchange): Touched[] {
  const { operation, body, by } = exchange;
  switch (operation) {
    case making:
      return issue(model, exchange);
    case ending:
      return endOwn(model, exchange);
    case receiving:
      return receive(model, body as Update, exchange.at);
    case 'POST /auth/password':
    case 'POST /auth/reset': {
      const link = operation === 'POST /auth/reset' ? model.links.get((body as { token: string }).token) : by;
      return endByPassword(model, link?.accountId ?? 0);
    }
    case 'PUT /notifications/preferences':
      for (const { type, bot } of (body as { preferences: { type: string; bot: boolean }[] }).preferences)
        model.bot.chosen.set(`${by.accountId} ${type}`, bot);
      return [];
    // Blocking keeps the link, which is of no use meanwhile.
    case 'PATCH /admin/users/{id}':
      return [{ kind: 'bot', id: Number(exchange.params['id']) }];
    default:
      return [];
  }
}

/** One link for ten minutes, which replaces an older one (BOT-1). */
function issue(model: Model, exchange: Exchange): Touched[] {
  const { data, by, at } = exchange;
  const token = new URL(data.url).searchParams.get('start') ?? '';
  const expiresAt = Date.parse(data.expires_at);
  if (Math.abs(expiresAt - at.getTime() - linkMs) > toleranceMs)
    throw new Finding('a link with the bot lives ten minutes (BOT-1)', new Date(at.getTime() + linkMs).toISOString(), data.expires_at);
  model.bot.links.set(by.accountId, { kind: 'pending', token, expiresAt });
  model.bot.issued.push({ accountId: by.accountId, token });
  model.secrets.add(token, 'account', by.accountId);
  model.noted(exchange, 'messaging_bot.link_issued', 'user', by.accountId);
  model.mayHappen('messaging_bot.link_expired', 'user', by.accountId);
  return [{ kind: 'bot', id: by.accountId }];
}

/** Ends a link of either kind, without a notification: the account has done it itself. */
function endOwn(model: Model, { by, at }: Exchange): Touched[] {
  const link = model.bot.links.get(by.accountId);
  model.bot.links.delete(by.accountId);
  if (link?.kind === 'connected') {
    // The chat is told.
    model.bot.answersOf(link.chatId).most += 1;
    model.happened('messaging_bot.disconnected', 'user', by.accountId);
  } else if (link) withdraw(model, by.accountId, link.expiresAt, at);
  return [{ kind: 'bot', id: by.accountId }];
}

/** A new password ends the link, also a waiting one; of a connected one the account is told (ACC-18, BOT-6). */
function endByPassword(model: Model, accountId: number): Touched[] {
  const link = model.bot.links.get(accountId);
  model.bot.links.delete(accountId);
  if (link?.kind === 'connected') {
    model.happened('messaging_bot.disconnected', 'user', accountId);
    model.expectNotified(accountId, 'bot.disconnected', accountId);
  } else if (link) model.mayHappen('messaging_bot.link_withdrawn', 'user', accountId);
  return [{ kind: 'bot', id: accountId }];
}

/** A link that is over may be gone already. */
function withdraw(model: Model, accountId: number, expiresAt: number, at: Date): void {
  const isCertain = at.getTime() < expiresAt - toleranceMs;
  if (isCertain) model.happened('messaging_bot.link_withdrawn', 'user', accountId);
  else model.mayHappen('messaging_bot.link_withdrawn', 'user', accountId);
}

/** An update counts once (BOT-3), and none of a group does (BOT-2). */
function receive(model: Model, { update_id: id, message }: Update, at: Date): Touched[] {
  const { chat, from, text } = message;
  if (chat.type !== 'private' || model.bot.updates.has(id)) return [];
  model.bot.updates.add(id);
  const before = model.bot.accountOf(chat.id);
  takeMessage(model, { chatId: chat.id, text, language: from.language_code }, at);
  return [before, model.bot.accountOf(chat.id)].flatMap((accountId) => (accountId === null ? [] : [{ kind: 'bot', id: accountId }]));
}

/** One account by chance: a step may have ended the link of another account. */
function oneMore({ model, now }: Inquiry): number[] {
  const ids = [...model.bot.links.keys()];
  return ids.slice(createRandom(Math.floor(now.getTime() / 1000)).between(0, Math.max(0, ids.length - 1))).slice(0, 1);
}

/** The owner sees the link as it is (BOT-1, BOT-2, BOT-5, BOT-6). */
async function askLink(inquiry: Inquiry, id: number): Promise<void> {
  const owner = inquiry.personOf(id);
  if (!owner || !inquiry.isActive(owner) || inquiry.isSignedOut(owner)) return;
  const link = inquiry.model.bot.links.get(id);
  const { status, data } = await inquiry.as(owner, 'GET /messaging-bot');
  const leftMs = link?.kind === 'pending' ? link.expiresAt - inquiry.now.getTime() : null;
  // The clocks of the auditor and of the registry differ by a moment.
  if (leftMs !== null && Math.abs(leftMs) < 5000) return;
  const expected = leftMs === null ? (link?.kind ?? 'disconnected') : leftMs > 0 ? 'pending' : 'disconnected';
  inquiry.same(
    `account ${id} sees its link with the bot (BOT-1, BOT-2, BOT-5, BOT-6)`,
    { status: 200, state: expected },
    { status, state: data?.state },
  );
}
