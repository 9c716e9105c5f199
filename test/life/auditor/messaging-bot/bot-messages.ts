import type { Heard } from '../../phones.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { KnownNotification } from '../mails/mail-records.ts';
import { readNew } from '../notifications/notifications.ts';
import { noteBot } from './bot-updates.ts';

/** A message comes within this time of the machine, also when a worker died with it or the platform failed once or twice. */
const patienceMs = 60_000;
/** Between the look at an account and the message, at most. */
const sendingMs = 5_000;

/** Reads what the bot has said, and asks about each message, and for those that must have come. @throws {Finding} */
export async function askBotMessages(inquiry: Inquiry): Promise<void> {
  await takeHeard(inquiry);
  for (const one of inquiry.model.mails.notifications.values()) if (isOverdue(inquiry, one)) askTold(inquiry, one);
}

/** At the end of a life every message must have come. @throws {Finding} */
export async function askBotMessagesAtTheEnd(inquiry: Inquiry): Promise<void> {
  const { model } = inquiry;
  await inquiry.eventually(async () => {
    noteBot(model, inquiry.now);
    // A process may have told of a fact after the list of its account was read.
    for (const accountId of new Set(model.bot.unexplained.flatMap((heard) => [...readersOf(inquiry, heard)])))
      await readNew(inquiry, accountId);
    await takeHeard(inquiry);
    for (const heard of model.bot.unexplained) askUnexplained(inquiry, heard);
    for (const one of model.mails.notifications.values()) askTold(inquiry, one);
  });
}

async function takeHeard(inquiry: Inquiry): Promise<void> {
  const { bot } = inquiry.model;
  const waiting = bot.unexplained.splice(0);
  const fresh = await inquiry.phones.look();
  for (const heard of fresh) askPrivacy(inquiry, heard);
  for (const heard of fresh.filter((one) => factIn(inquiry, one) === null)) countAnswer(inquiry, heard);
  for (const heard of [...waiting, ...fresh.filter((one) => factIn(inquiry, one) !== null)]) askFact(inquiry, heard);
}

/** The title of a message about a fact, which is title and link alone (BOT-4); null for an answer. */
function factIn({ model }: Inquiry, { text }: Heard): string | null {
  const [title = '', link, ...rest] = text.split('\n');
  return link === model.origin && rest.length === 0 ? title : null;
}

/** No message holds a name, a number or a note (BOT-4). */
function askPrivacy({ model, same }: Inquiry, heard: Heard): void {
  const shown = [...model.secrets.privateIn(heard.text), ...(heard.text.match(/\b\d{12}\b/g) ?? [])];
  same(`a message of the bot holds no names, numbers or notes: ${heard.text} (BOT-4)`, [], shown);
}

/** Each message of a person is answered once, also when the platform repeats it (BOT-3). */
function countAnswer({ model }: Inquiry, heard: Heard): void {
  const answers = model.bot.answersOf(heard.chatId);
  answers.came += 1;
  if (answers.came > answers.most)
    throw new Finding(`chat ${heard.chatId} is answered once for each message (BOT-3)`, answers.most, `${answers.came}: ${lineOf(heard)}`);
}

/** Accounts that may have had the chat when a message was sent there. */
function readersOf(inquiry: Inquiry, { chatId, at }: Heard): number[] {
  const [from, until] = spanOf(inquiry, at);
  const { accounts, bot } = inquiry.model;
  return [...accounts.keys()].filter((id) => bot.chats.between(id, from, until).has(chatId));
}

function spanOf(inquiry: Inquiry, at: number): [from: number, until: number] {
  const until = inquiry.registryTimeAt(at);
  return [Math.min(until, inquiry.registryTimeAt(at - sendingMs)), until];
}

/** A message goes to a chat while it is linked with an active account (BOT-2, ACC-11), which is told of it. @throws {Finding} */
function askFact(inquiry: Inquiry, heard: Heard): void {
  const { bot } = inquiry.model;
  const [from, until] = spanOf(inquiry, heard.at);
  const linked = readersOf(inquiry, heard);
  if (linked.length === 0)
    throw new Finding(`chat ${heard.chatId} is linked with no account and gets no message (BOT-1, BOT-2, BOT-6)`, 'none', lineOf(heard));
  if (!linked.some((id) => bot.active.between(id, from, until).has(true)))
    throw new Finding(`no message goes to the chat of a blocked account, ${linked.join()} (NOT-3, ACC-11)`, 'none', lineOf(heard));
  const found = wantedBy(inquiry, heard).find((one) => !bot.told.has(one.id) && one.title === factIn(inquiry, heard));
  if (found) bot.told.set(found.id, heard);
  // The list of the account may not have shown it yet.
  else bot.unexplained.push(heard);
}

/** The notifications that a message may tell, whatever their titles: of an account that had the chat and wanted them by bot then. */
function wantedBy(inquiry: Inquiry, heard: Heard): KnownNotification[] {
  const { bot, mails } = inquiry.model;
  const [from, until] = spanOf(inquiry, heard.at);
  const readers = readersOf(inquiry, heard);
  return [...mails.notifications.values()].filter(
    ({ accountId, type, createdAt }) =>
      readers.includes(accountId) && createdAt <= until + sendingMs && bot.wanted.between(`${accountId} ${type}`, from, until).has(true),
  );
}

/** Every list has been read: a message without a notification is a finding, but for one that a killed worker or another language explains. */
function askUnexplained(inquiry: Inquiry, heard: Heard): void {
  const { bot } = inquiry.model;
  const until = inquiry.registryTimeAt(heard.at);
  if (!readersOf(inquiry, heard).every((id) => isReadable(inquiry, id))) return;
  const wanted = wantedBy(inquiry, heard);
  const isRepeated = wanted.some((one) => one.title === factIn(inquiry, heard) && wasKilled(inquiry, one, heard));
  const translated = wanted.find((one) => !bot.told.has(one.id) && mayBeTranslated(inquiry, one, until));
  if (translated) bot.told.set(translated.id, heard);
  else if (!isRepeated)
    throw new Finding(
      'a message of the bot tells a notification that its account wants so, once (NOT-1, NOT-3)',
      'no message',
      lineOf(heard),
    );
}

/** A worker that died with a message sends it again (NOT-4). */
function wasKilled({ killedAt }: Inquiry, { learntAt }: KnownNotification, { at }: Heard): boolean {
  return killedAt.some((died) => died > learntAt - patienceMs && died < at + patienceMs);
}

/** The account has chosen another language between a message and the reading of its notification, so that their titles differ. */
function mayBeTranslated(inquiry: Inquiry, { accountId, createdAt, learntAt }: KnownNotification, until: number): boolean {
  return inquiry.model.bot.languages.between(accountId, createdAt, Math.max(until, inquiry.registryTimeAt(learntAt))).size > 1;
}

function isOverdue({ disturbedAt, phones }: Inquiry, { learntAt }: KnownNotification): boolean {
  return Date.now() - Math.max(learntAt, disturbedAt, phones.restoredAt) > patienceMs;
}

/** The message of a notification has come, where its account has had one chat and has wanted it all the time since (NOT-3, NOT-4). */
function askTold(inquiry: Inquiry, one: KnownNotification): void {
  const { bot, mails } = inquiry.model;
  if (bot.settled.has(one.id)) return;
  const { id, accountId, type, title, createdAt } = one;
  const chats = bot.chats.between(accountId, createdAt, inquiry.now.getTime());
  // A message of one title may have been counted for a notification that need not have come, also of an account that had the chat before.
  const isTakenFor = (other: KnownNotification) =>
    other.title === title && chats.has(bot.told.get(other.id)?.chatId ?? 0) && !isCertain(inquiry, other);
  if (isCertain(inquiry, one) && !bot.told.has(id) && !mails.notifications.values().some(isTakenFor))
    throw new Finding(`notification ${id} ${type} of account ${accountId} is told by bot (NOT-3, NOT-4)`, `a message: ${title}`, 'none');
  bot.settled.add(id);
}

function isCertain({ model: { bot }, now }: Inquiry, { accountId, type, createdAt }: KnownNotification): boolean {
  const until = now.getTime();
  const chats = bot.chats.between(accountId, createdAt, until);
  const isWanted = !bot.wanted.between(`${accountId} ${type}`, createdAt, until).has(false);
  const isActive = !bot.active.between(accountId, createdAt, until).has(false);
  return chats.size === 1 && !chats.has(0) && isWanted && isActive && bot.languages.between(accountId, createdAt, until).size === 1;
}

/** Whether an account can read its notifications. */
function isReadable(inquiry: Inquiry, accountId: number): boolean {
  const person = inquiry.personOf(accountId);
  return person !== undefined && inquiry.isActive(person) && !inquiry.isSignedOut(person);
}

const lineOf = ({ chatId, text, at }: Heard) => `${new Date(at).toISOString()} in chat ${chatId}: ${text}`;
