import { setTimeout } from 'node:timers/promises';
import type { Deliveries } from './deliveries.ts';
import type { Chat, Phonebook } from './phonebook.ts';

const answerDeadlineMs = 1_500;
const pollMs = 25;

export type Telephones = ReturnType<typeof createTelephones>;

/**
 * Actions of people on their telephones; each sends an update to the bot.
 * @param changed stores the phonebook
 */
export function createTelephones(phonebook: Phonebook, deliveries: Deliveries, botName: string, changed: () => Promise<void>) {
  async function send(chat: Chat, content: Record<string, unknown>): Promise<void> {
    const update = { update_id: phonebook.takeUpdateId(), ...content };
    // Store first, so that no update reuses a number.
    await changed();
    deliveries.send(chat.id, update);
  }

  async function open(name: string, language: string): Promise<Chat> {
    const chat = phonebook.open(name, language);
    await changed();
    return chat;
  }

  /** Sends a message to the bot, unless it is blocked. @returns whether it was sent */
  async function write(chat: Chat, text: string): Promise<boolean> {
    if (chat.isBlocked) return false;
    phonebook.say(chat, 'person', text);
    await send(chat, {
      message: { message_id: chat.messages.length, date: seconds(), chat: chatOf(chat), from: personOf(chat), text },
    });
    return true;
  }

  async function setBlocked(chat: Chat, isBlocked: boolean): Promise<void> {
    if (chat.isBlocked === isBlocked) return;
    chat.isBlocked = isBlocked;
    phonebook.say(chat, 'phone', isBlocked ? 'blocked' : 'unblocked');
    const bot = { id: 1, is_bot: true, first_name: botName, username: botName };
    const [before, after] = isBlocked ? ['member', 'kicked'] : ['kicked', 'member'];
    await send(chat, {
      my_chat_member: {
        chat: chatOf(chat),
        from: personOf(chat),
        date: seconds(),
        old_chat_member: { status: before, user: bot, until_date: 0 },
        new_chat_member: { status: after, user: bot, until_date: 0 },
      },
    });
  }

  /** Opens a link with a token, like the platform: unblocks the bot and sends `/start`. */
  async function start(chat: Chat, token: string | null): Promise<void> {
    await setBlocked(chat, false);
    await write(chat, token === null ? '/start' : `/start ${token}`);
  }

  /** Waits for the bot's answer, with a limit, so that the next page shows it. */
  async function awaitAnswer(chat: Chat): Promise<void> {
    const deadline = Date.now() + answerDeadlineMs;
    while (chat.messages.at(-1)?.from === 'person' && Date.now() < deadline) await setTimeout(pollMs);
  }

  return { open, write, setBlocked, start, awaitAnswer };
}

function chatOf({ id, name }: Chat) {
  return { id, type: 'private', first_name: name };
}

function personOf({ id, name, language }: Chat) {
  return { id, is_bot: false, first_name: name, language_code: language };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
