import { startBotPlatform } from '../../../src/tools/simulators/bot-platform/server.ts';
import { waitFor } from '../wait-for.ts';

export const botSecret = 'webhook-secret-of-the-tests';
export const botToken = '100200:token-of-the-bot-of-the-tests';
const username = 'registry_test_bot';

interface Said {
  from: 'person' | 'bot' | 'phone';
  text: string;
}

/** The platform of the bot for one test file: its simulator, the variables by which a service finds it, and telephones. */
export interface TestMessenger {
  url: string;
  /** Variables of a service that has this bot. */
  variables: Record<string, string>;
  /** A new person with a phone. */
  telephone(language?: string): Promise<Telephone>;
  /** Body of `POST /control`. */
  control(body: Record<string, unknown>): Promise<void>;
  /** What `GET /control` says. */
  // oxlint-disable-next-line typescript/no-explicit-any
  look(): Promise<any>;
  close(): Promise<void>;
}

/** One person's chat with the bot. */
export interface Telephone {
  chatId: number;
  /** Writes to the bot, and waits for nothing. */
  write(text: string): Promise<void>;
  /** Writes, and waits for what the bot answers to it. */
  ask(text: string): Promise<string>;
  /** All that the bot has said. */
  heard(): Promise<string[]>;
  /** Waits until the bot has said so many things in all; the last of them. */
  awaitHeard(count: number): Promise<string>;
  block(): Promise<void>;
  unblock(): Promise<void>;
}

export async function startTestMessenger(): Promise<TestMessenger> {
  const simulator = await startBotPlatform({ port: 0, token: botToken, username });
  const send = async (path: string, body: unknown) => {
    const response = await fetch(simulator.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the messenger answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const look = async (path = '') => (await fetch(`${simulator.url}/control${path}`)).json();

  async function telephone(language = 'ru'): Promise<Telephone> {
    const { id } = (await send('/control/chats', { language })) as { id: number };
    const heard = async () => {
      const { messages } = (await look(`/chats/${id}`)) as { messages: Said[] };
      return messages.filter(({ from }) => from === 'bot').map(({ text }) => text);
    };
    const write = async (text: string) => void (await send(`/control/chats/${id}/messages`, { text }));
    const awaitHeard = async (count: number) => {
      const texts = await waitFor(heard, ({ length }) => length >= count, `${count} messages of the bot`);
      return texts.at(-1) ?? '';
    };
    return {
      chatId: id,
      write,
      heard,
      awaitHeard,
      async ask(text) {
        const before = (await heard()).length;
        await write(text);
        return awaitHeard(before + 1);
      },
      block: async () => void (await send(`/control/chats/${id}/block`, {})),
      unblock: async () => void (await send(`/control/chats/${id}/unblock`, {})),
    };
  }

  return {
    url: simulator.url,
    variables: { BOT_TOKEN: botToken, BOT_API_URL: simulator.url, BOT_USERNAME: username, BOT_WEBHOOK_SECRET: botSecret },
    telephone,
    control: async (body) => void (await send('/control', body)),
    look,
    close: simulator.close,
  };
}
