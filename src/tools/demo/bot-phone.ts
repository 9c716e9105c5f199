import type { Json } from './client.ts';
import { DemoFailure } from './failures.ts';

/** The worker sends the bot's messages; after this time the message was not sent. */
const patienceMs = 60_000;
const pauseMs = 200;

/** A telephone of the platform's simulator. */
export interface Phone {
  id: number;
  /** Its page. */
  url: string;
}

/** Opens the bot's link on a new telephone and presses Start, by the form that a person would use. @throws {DemoFailure} */
export async function openBotLink(simulatorUrl: string, link: string, owner: string): Promise<Phone> {
  const response = await fetch(`${simulatorUrl}/open`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ link, phone: 'new', name: owner, language: 'ru' }),
  });
  const page = response.headers.get('location');
  if (page === null) throw new DemoFailure(`the simulator of the bot platform answered ${response.status}: ${await response.text()}`);
  return { id: Number(page.split('/').at(-1)), url: new URL(page, simulatorUrl).href };
}

/** The first message of the bot that fits, once it is there. @throws {DemoFailure} */
export async function readPhone(simulatorUrl: string, id: number, fits: (text: string) => boolean): Promise<string> {
  for (const endsAt = Date.now() + patienceMs; Date.now() < endsAt; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
    const chat = (await (await fetch(`${simulatorUrl}/control/chats/${id}`)).json()) as { messages: Json[] };
    const found = chat.messages.map(({ from, text }) => (from === 'bot' ? String(text) : '')).find(fits);
    if (found !== undefined) return found;
  }
  throw new DemoFailure('the bot has not written to the telephone');
}
