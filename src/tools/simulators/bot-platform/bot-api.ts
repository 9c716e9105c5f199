import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { hang, isSame, readJsonBody } from '../simulator.ts';
import type { Faults } from './faults.ts';
import type { Phonebook } from './phonebook.ts';

const hangMs = 30_000;

const sendMessageBody = z.looseObject({ chat_id: z.int(), text: z.string() });
const setWebhookBody = z.looseObject({
  url: z.url({ protocol: /^https?$/ }).or(z.literal('')),
  secret_token: z
    .string()
    .regex(/^[\w-]{1,256}$/)
    .default(''),
  allowed_updates: z.array(z.string()).default([]),
});
const setCommandsBody = z.looseObject({
  commands: z.array(z.object({ command: z.string().regex(/^[a-z0-9_]{1,32}$/), description: z.string().min(1).max(256) })).max(100),
  language_code: z.string().max(10).default(''),
});

export interface BotApiOptions {
  token: string;
  username: string;
  phonebook: Phonebook;
  faults: Faults;
  /** Resolves when the memory is on disk. */
  changed: () => Promise<void>;
  /** Aborts when the server closes. */
  closing: AbortSignal;
}

/** A refusal in the platform's form. */
class Refusal extends Error {
  readonly code: number;
  readonly parameters: Record<string, unknown> | undefined;
  constructor(code: number, description: string, parameters?: Record<string, unknown>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

/** The methods that the bot calls, at `/bot<token>/<method>`. */
export function addBotApi(router: Router, { token, username, phonebook, faults, changed, closing }: BotApiOptions): void {
  const me = { id: 1, is_bot: true, first_name: username, username };
  const methods: Record<string, (body: unknown) => unknown> = {
    getMe: () => me,
    async setWebhook(body) {
      const { url, secret_token: secret, allowed_updates: updates } = parse(setWebhookBody, body);
      phonebook.memory.webhook = url === '' ? null : { url, secret, updates };
      await changed();
      return true;
    },
    async deleteWebhook() {
      phonebook.memory.webhook = null;
      await changed();
      return true;
    },
    getWebhookInfo: () => ({ url: phonebook.memory.webhook?.url ?? '', has_custom_certificate: false, pending_update_count: 0 }),
    async setMyCommands(body) {
      const { commands, language_code: language } = parse(setCommandsBody, body);
      phonebook.memory.commands[language] = commands;
      await changed();
      return true;
    },
    async sendMessage(body) {
      const { chat_id: id, text } = parse(sendMessageBody, body);
      const chat = phonebook.find(id);
      if (!chat) throw new Refusal(400, 'Bad Request: chat not found');
      if (chat.isBlocked) throw new Refusal(403, 'Forbidden: bot was blocked by the user');
      if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty');
      if (text.length > 4096) throw new Refusal(400, 'Bad Request: message is too long');
      phonebook.say(chat, 'bot', text);
      await changed();
      return { message_id: chat.messages.length, date: Math.floor(Date.now() / 1000), chat: { id, type: 'private' }, text };
    },
  };

  router.all('/bot:token/:method', async (ctx) => {
    // The state at the start of the call: a hanging call gets no answer after the outage.
    const { outage } = faults;
    if (outage === 'hang') await hang(ctx.req, hangMs, closing);
    if (outage === 'hang' || outage === 'refuse_connection') {
      ctx.respond = false;
      ctx.req.socket.destroy();
      return;
    }
    if (outage === 'error') {
      ctx.status = 502;
      ctx.type = 'html';
      ctx.body = '<html><body>502 Bad Gateway</body></html>';
      return;
    }
    try {
      if (!isSame(ctx.params['token'] ?? '', token)) throw new Refusal(401, 'Unauthorized');
      const wait = faults.takeTooMany();
      if (wait !== null) throw new Refusal(429, `Too Many Requests: retry after ${wait}`, { retry_after: wait });
      const name = ctx.params['method'] ?? '';
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!method) throw new Refusal(404, 'Not Found: method not found');
      ctx.body = { ok: true, result: await method(await readBody(ctx)) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      ctx.status = error.code;
      ctx.body = {
        ok: false,
        error_code: error.code,
        description: error.message,
        ...(error.parameters && { parameters: error.parameters }),
      };
    }
  });
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal(400, `Bad Request: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  return parsed.data;
}

async function readBody(ctx: Context): Promise<unknown> {
  return ctx.method === 'GET' || ctx.request.length === undefined ? {} : readJsonBody(ctx);
}
