import { formatDateTime } from '../../platform/time/date-time.ts';
import type { MessagesCalendar } from './calendar.ts';
import { type DemoClient, DemoFailure, statusOf } from './client.ts';
import type { PersonName } from './papers.ts';
import { becomeAthlete, confirmAddress, type DemoAthlete, signInAdministrator } from './people.ts';
import { moveClock, sweep } from './sandbox.ts';
import type { DemoRun } from './surroundings.ts';

/** Time limit for an event of the stream and for a message of the bot. */
const timeoutMs = 60_000;

const athleteName: PersonName = { last: 'Оспанова', first: 'Дана', middle: 'Ерланқызы' };
const question = 'Добрый день! Когда начнётся регистрация на этап в Алматы?';
const answer = 'Здравствуйте! Регистрация откроется в понедельник в 10:00.';

interface Conversation extends DemoRun<MessagesCalendar> {
  administrator: DemoClient;
  athlete: DemoAthlete;
  /** The athlete's stream. */
  stream: LiveStream;
}

/**
 * Shows a question to the federation with its answer, both live; the link with the bot on a simulated telephone; and a reminder of a
 * certificate's end by stream, mail and bot. Uses only the HTTP API. @throws {DemoFailure}
 */
export async function walkMessages(run: DemoRun<MessagesCalendar>): Promise<void> {
  const { surroundings, calendar, now, narrator } = run;
  narrator.begin('An athlete with a certificate and an administrator open the registry');
  const administrator = await signInAdministrator(surroundings);
  const athlete = await becomeAthlete(surroundings, administrator, athleteName, calendar, now);
  await confirmAddress(surroundings, athlete);
  narrator.fact('the athlete confirms the address by the link of a mail; without that, no notification is mailed');
  narrator.fact(`certificate ${athlete.number}; both browsers open a live stream (GET /notifications/stream)`);
  const stream = await LiveStream.open(athlete.client);
  try {
    const conversation = { ...run, administrator, athlete, stream };
    await ask(conversation);
    await chooseLanguage(conversation);
    const phoneId = await linkBot(conversation);
    await remind(conversation, phoneId);
  } finally {
    stream.close();
  }
}

async function ask({ narrator, administrator, athlete, stream }: Conversation): Promise<void> {
  narrator.begin('The athlete asks the federation a question');
  const office = await LiveStream.open(administrator);
  try {
    const { data: asked } = await athlete.client.POST('/chat/messages', { body: { message: question } });
    const isQuestion = ({ data }: LiveEvent) => data.message?.id === asked.id;
    const { data } = await office.next('the question', isQuestion);
    narrator.fact(`the administrator's stream shows it at once: "${data.message?.message}"`);
    const userId = data.dialog?.user_id ?? 0;
    const { data: answered } = await administrator.POST('/admin/chats/{user_id}/messages', {
      params: { path: { user_id: userId } },
      body: { message: answer },
    });
    await administrator.POST('/admin/chats/{user_id}/read', { params: { path: { user_id: userId } } });

    narrator.begin('The federation answers, and the athlete sees it live');
    const seen = await stream.next('the answer', ({ data: { message } }) => message?.id === answered.id);
    narrator.fact(`event ${seen.id}, message: "${seen.data.message?.message}"`);
    const notified = await stream.next('the notification', (event) => event.event === 'notification' && event.data.type === 'chat.reply');
    narrator.fact(`event ${notified.id}, notification: "${notified.data.title}"`);
    narrator.fact(`unread: ${(await athlete.client.GET('/chat/unread')).data.unread}`);
    await athlete.client.POST('/chat/read');
    narrator.fact(`read, unread now: ${(await athlete.client.GET('/chat/unread')).data.unread}`);
  } finally {
    office.close();
  }
}

async function chooseLanguage({ narrator, athlete }: Conversation): Promise<void> {
  narrator.begin('Notifications are in the language of the account');
  for (const language of ['en', 'kk', 'ru'] as const) {
    await athlete.client.PATCH('/account', { body: { language } });
    const [latest] = (await athlete.client.GET('/notifications')).data;
    narrator.fact(`${language}: ${latest?.title} – ${latest?.text}`);
  }
}

/** @returns the telephone; null without a bot */
async function linkBot({ surroundings, narrator, athlete }: Conversation): Promise<number | null> {
  if ((await statusOf(athlete.client.GET('/messaging-bot'))) === 503) {
    narrator.paragraph(
      'The bot is disabled. Start the registry with BOT_TOKEN=1:demo npm start to see it too, on a telephone of a simulator.',
    );
    return null;
  }
  narrator.begin('The athlete links the bot of the messenger');
  const { url, expires_at: expiresAt } = (await athlete.client.POST('/messaging-bot', { params: { header: athlete.client.header } })).data;
  narrator.fact(`a link that works once, until ${expiresAt}: ${url}`);
  const phone = await openBotLink(surroundings.botSimulatorUrl, url, athleteName.first);
  narrator.open('the telephone', phone.url);
  const { state } = (await athlete.client.GET('/messaging-bot')).data;
  narrator.fact(`pressed Start on the telephone; state: ${state}`);
  await athlete.client.PUT('/notifications/preferences', {
    body: { preferences: [{ type: 'application.expiring', mail: true, bot: true }] },
  });
  narrator.fact('the bot now sends reminders too (PUT /notifications/preferences)');
  return phone.id;
}

async function remind({ surroundings, calendar, narrator, stream }: Conversation, phoneId: number | null): Promise<void> {
  narrator.begin(`The clock moves to ${formatDateTime(calendar.remindedAt)}: sixty days before the certificate ends`);
  await moveClock(surroundings.baseUrl, calendar.remindedAt);
  await sweep(surroundings.baseUrl);
  const isReminder = ({ event, data }: LiveEvent) => event === 'notification' && data.type === 'application.expiring';
  const { data } = await stream.next('the reminder', isReminder);
  narrator.fact(`by the stream: ${data.title} – ${data.text}`);
  narrator.fact(`by mail: the page of the mail server shows it (npm run status), a file under ${surroundings.mailDirectory} has it`);
  if (phoneId === null) return;
  const received = await readPhone(surroundings.botSimulatorUrl, phoneId, (text) => text.includes(data.title ?? ''));
  narrator.fact(`by the bot: ${received.replaceAll('\n', ' ')}`);
}

/** One event of the live stream. */
interface LiveEvent {
  id: string;
  event: string;
  data: {
    /** Of a notification. */
    type?: string;
    title?: string;
    text?: string;
    /** Of the chat. */
    message?: { id: number; message: string };
    dialog?: { user_id: number };
  };
}

/** Reads the live stream of an account, like a browser's `EventSource`. */
class LiveStream {
  private readonly reader: AsyncIterator<LiveEvent>;
  private readonly closing: AbortController;

  private constructor(reader: AsyncIterator<LiveEvent>, closing: AbortController) {
    this.reader = reader;
    this.closing = closing;
  }

  static async open(client: DemoClient): Promise<LiveStream> {
    const closing = new AbortController();
    const { data } = await client.GET('/notifications/stream', { parseAs: 'stream', signal: closing.signal });
    if (data === null) throw new DemoFailure('the live stream has no body');
    return new LiveStream(eventsOf(data), closing);
  }

  /** Waits for the next matching event and skips others. @param what names it in the error @throws {DemoFailure} */
  async next(what: string, matches: (event: LiveEvent) => boolean): Promise<LiveEvent> {
    const timer = setTimeout(() => this.close(), timeoutMs);
    try {
      for (;;) {
        const { done, value } = await this.reader.next();
        if (done) break;
        if (matches(value)) return value;
      }
    } catch (error) {
      if (!this.closing.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    throw new DemoFailure(`the live stream did not send ${what}`);
  }

  close(): void {
    this.closing.abort();
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
      const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
      // Skip comments, which only keep the connection alive.
      if (id !== undefined && event !== undefined && data !== undefined) yield { id, event, data: JSON.parse(data) as LiveEvent['data'] };
    }
  }
}

const pauseMs = 200;

/** A telephone of the platform's simulator. */
interface Phone {
  id: number;
  /** Its page. */
  url: string;
}

/** Opens the bot's link on a new telephone and presses Start. @throws {DemoFailure} */
async function openBotLink(simulatorUrl: string, link: string, owner: string): Promise<Phone> {
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
async function readPhone(simulatorUrl: string, id: number, matches: (text: string) => boolean): Promise<string> {
  for (const endsAt = Date.now() + timeoutMs; Date.now() < endsAt; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
    const chat = (await (await fetch(`${simulatorUrl}/control/chats/${id}`)).json()) as { messages: { from: string; text: string }[] };
    const found = chat.messages.map(({ from, text }) => (from === 'bot' ? text : '')).find(matches);
    if (found !== undefined) return found;
  }
  throw new DemoFailure('the bot sent no message to the telephone');
}
