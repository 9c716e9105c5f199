import type { Json } from './client.ts';
import { DemoFailure } from './failures.ts';

/** Time limit for a message of the bot. */
const timeoutMs = 60_000;
const pauseMs = 200;

/** A telephone of the platform's simulator. */
export interface Phone {
  id: number;
  /** Its page. */
  url: string;
}

/** Opens the bot's link on a new telephone and presses Start. @throws {DemoFailure} */
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

/** Waits for the first matching message of the bot. @throws {DemoFailure} */
export async function readPhone(simulatorUrl: string, id: number, matches: (text: string) => boolean): Promise<string> {
  for (const endsAt = Date.now() + timeoutMs; Date.now() < endsAt; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
    const chat = (await (await fetch(`${simulatorUrl}/control/chats/${id}`)).json()) as { messages: Json[] };
    const found = chat.messages.map(({ from, text }) => (from === 'bot' ? String(text) : '')).find(matches);
    if (found !== undefined) return found;
  }
  throw new DemoFailure('the bot sent no message to the telephone');
}
