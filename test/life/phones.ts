import { setTimeout } from 'node:timers/promises';
import { startTestMessenger, type Telephone, type TestMessenger } from '../support/identities/telephones.ts';

/** A person's telephone with its chat. */
export interface Phone extends Telephone {
  /** Of the person's program. */
  language: string;
  isBlocked: boolean;
}

/** What the bot has said in a chat. */
export interface Heard {
  chatId: number;
  text: string;
  /** By the machine's clock, milliseconds. */
  at: number;
}

interface Said {
  from: string;
  text: string;
  at: string;
}

interface State {
  waiting: number;
  webhook: unknown;
  chats: { id: number; messages: Said[] }[];
}

const [settlePauseMs, settlePatienceMs] = [20, 60_000];
/** So few, that people share them and links end each other. */
const mostPhones = 6;

/** The bot's platform in a life, and the telephones of its people. */
export class Phones {
  readonly all: Phone[] = [];
  /** When the platform was well again last, by the machine's clock. */
  restoredAt = 0;
  isFailing = false;
  readonly #messenger: TestMessenger;
  readonly #lastHeard = new Map<number, Said>();

  private constructor(messenger: TestMessenger) {
    this.#messenger = messenger;
  }

  static async start(): Promise<Phones> {
    return new Phones(await startTestMessenger());
  }

  /** By which the registry finds its bot. */
  get variables(): Record<string, string> {
    return this.#messenger.variables;
  }

  /** A new telephone; null when there are enough. */
  async open(language: string): Promise<Phone | null> {
    if (this.all.length >= mostPhones) return null;
    const phone = { ...(await this.#messenger.telephone(language)), language, isBlocked: false };
    this.all.push(phone);
    return phone;
  }

  /** Each update is delivered so many times at once. */
  deliverTimes(times: number): Promise<void> {
    return this.#messenger.control({ deliver_times: times });
  }

  /** Waits until the registry has taken every update. */
  async settle(): Promise<void> {
    const until = Date.now() + settlePatienceMs;
    while (((await this.#messenger.look()) as State).waiting > 0) {
      if (Date.now() > until) throw new Error('the registry did not take the updates of the bot platform within a minute');
      await setTimeout(settlePauseMs);
    }
  }

  /** The platform answers the bot with these faults for as long as the work takes. @param faults as of `POST /control` */
  async failDuring(faults: Record<string, unknown>, work: () => Promise<void>): Promise<void> {
    await this.#messenger.control(faults);
    this.isFailing = true;
    try {
      await work();
    } finally {
      await this.#messenger.control({ outage: 'none', too_many_requests: { retry_after: 1, times: 0 } });
      this.isFailing = false;
      this.restoredAt = Date.now();
    }
  }

  /** What the bot has said since the last look, oldest first. */
  async look(): Promise<Heard[]> {
    const { chats } = (await this.#messenger.look()) as State;
    return chats.flatMap(({ id, messages }) => {
      const said = messages.filter(({ from }) => from === 'bot');
      const last = this.#lastHeard.get(id);
      // The simulator forgets the oldest messages of a chat, so their number does not tell which are new.
      const fresh = last ? said.slice(said.findLastIndex(({ text, at }) => text === last.text && at === last.at) + 1) : said;
      const newest = said.at(-1);
      if (newest) this.#lastHeard.set(id, newest);
      return fresh.map(({ text, at }) => ({ chatId: id, text, at: Date.parse(at) }));
    });
  }

  close(): Promise<void> {
    return this.#messenger.close();
  }
}
