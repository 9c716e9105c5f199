import { setTimeout } from 'node:timers/promises';
import type { Deliveries } from './deliveries.ts';
import type { Chat, Phonebook } from './phonebook.ts';

const answerDeadlineMs = 1_500;
const pollMs = 25;

/** Actions of people on their telephones; each sends an update to the bot. */
export class Telephones {
  readonly #phonebook: Phonebook;
  readonly #deliveries: Deliveries;
  readonly #changed: () => Promise<void>;
  readonly #botName: string;

  constructor(options: { phonebook: Phonebook; deliveries: Deliveries; botName: string; changed: () => Promise<void> }) {
    this.#phonebook = options.phonebook;
    this.#deliveries = options.deliveries;
    this.#botName = options.botName;
    this.#changed = options.changed;
  }

  async open(name: string, language: string): Promise<Chat> {
    const chat = this.#phonebook.open(name, language);
    await this.#changed();
    return chat;
  }

  /** Sends a message to the bot, unless it is blocked. @returns whether it was sent */
  async write(chat: Chat, text: string): Promise<boolean> {
    if (chat.isBlocked) return false;
    this.#phonebook.say(chat, 'person', text);
    await this.#send(chat, {
      message: { message_id: chat.messages.length, date: seconds(), chat: chatOf(chat), from: personOf(chat), text },
    });
    return true;
  }

  /** Opens a link with a token, like the platform: unblocks the bot and sends `/start`. */
  async start(chat: Chat, token: string | null): Promise<void> {
    await this.setBlocked(chat, false);
    await this.write(chat, token === null ? '/start' : `/start ${token}`);
  }

  async setBlocked(chat: Chat, isBlocked: boolean): Promise<void> {
    if (chat.isBlocked === isBlocked) return;
    chat.isBlocked = isBlocked;
    this.#phonebook.say(chat, 'phone', isBlocked ? 'blocked' : 'unblocked');
    const bot = { id: 1, is_bot: true, first_name: this.#botName, username: this.#botName };
    const [before, after] = isBlocked ? ['member', 'kicked'] : ['kicked', 'member'];
    await this.#send(chat, {
      my_chat_member: {
        chat: chatOf(chat),
        from: personOf(chat),
        date: seconds(),
        old_chat_member: { status: before, user: bot, until_date: 0 },
        new_chat_member: { status: after, user: bot, until_date: 0 },
      },
    });
  }

  /** Waits for the bot's answer, with a limit, so that the next page shows it. */
  async awaitAnswer(chat: Chat): Promise<void> {
    const deadline = Date.now() + answerDeadlineMs;
    while (chat.messages.at(-1)?.from === 'person' && Date.now() < deadline) await setTimeout(pollMs);
  }

  async #send(chat: Chat, content: Record<string, unknown>): Promise<void> {
    const update = { update_id: this.#phonebook.takeUpdateId(), ...content };
    // Store first, so that no update reuses a number.
    await this.#changed();
    this.#deliveries.send(chat.id, update);
  }
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
