import { Router } from '@koa/router';
import type Koa from 'koa';
import { z } from 'zod';
import { createSimulatorApp, parseFields, readFormBody, readJsonBody, refuseOtherSites } from '../simulator.ts';
import { addBotApi, type BotApiOptions } from './bot-api.ts';
import type { Deliveries } from './deliveries.ts';
import { controlSchema } from './faults.ts';
import { chatPage, openPage, phonesPage, problemPage } from './pages.ts';
import type { Chat } from './phonebook.ts';
import type { Telephones } from './telephones.ts';

const tokenSchema = z.string().regex(/^[\w-]{1,64}$/);
const textSchema = z.string().min(1).max(4096);
const telephoneSchema = z.object({
  name: z.string().trim().min(1).max(64).default('Телефон'),
  language: z
    .string()
    .regex(/^[A-Za-z-]{2,10}$/)
    .default('ru'),
});

interface PlatformAppOptions extends BotApiOptions {
  deliveries: Deliveries;
  telephones: Telephones;
}

/** Creates the platform's routes: the bot's methods, pages of the telephones, and controls for tests. */
export function createPlatformApp(options: PlatformAppOptions): Koa {
  const { username, phonebook, faults, deliveries, telephones } = options;
  const router = new Router();
  addBotApi(router, options);

  const chatOf = (ctx: Koa.Context & { params: Record<string, string | undefined> }): Chat => {
    const chat = phonebook.find(Number(ctx.params['id']));
    if (!chat) ctx.throw(404, 'no such telephone');
    return chat;
  };
  /** Waits for the bot, then shows the chat. */
  const show = async (ctx: Koa.Context, chat: Chat): Promise<void> => {
    await telephones.awaitAnswer(chat);
    ctx.status = 303;
    ctx.redirect(`/phones/${chat.id}`);
  };
  const write = async (ctx: Koa.Context, chat: Chat, body: unknown): Promise<void> => {
    const { text } = parseFields(ctx, z.strictObject({ text: textSchema }), body);
    if (!(await telephones.write(chat, text))) ctx.throw(409, 'the bot is blocked on this telephone');
  };

  router.get('/', (ctx) => {
    ctx.body = phonesPage(username, phonebook.memory.chats);
  });
  router.post('/phones', async (ctx) => {
    const { name, language } = parseFields(ctx, telephoneSchema, await readFormBody(ctx));
    await show(ctx, await telephones.open(name, language));
  });
  router.get('/phones/:id', (ctx) => {
    const chat = chatOf(ctx);
    ctx.body = chatPage(username, chat, phonebook.commandsFor(chat));
  });
  router.post('/phones/:id/messages', async (ctx) => {
    const chat = chatOf(ctx);
    await write(ctx, chat, await readFormBody(ctx));
    await show(ctx, chat);
  });
  router.post('/phones/:id/:act', async (ctx) => {
    const chat = chatOf(ctx);
    const act = parseFields(ctx, z.enum(['start', 'block', 'unblock']), ctx.params['act']);
    if (act === 'start') await telephones.start(chat, null);
    else await telephones.setBlocked(chat, act === 'block');
    await show(ctx, chat);
  });
  router.post('/open', async (ctx) => {
    const fields = await readFormBody(ctx);
    const token = tokenSchema.safeParse(tokenIn(fields['link'] ?? ''));
    if (!token.success) ctx.throw(422, 'not a link of the bot or its token');
    const chosen = fields['phone'] === 'new' ? undefined : phonebook.find(Number(fields['phone']));
    const wished = chosen ? null : parseFields(ctx, telephoneSchema, fields);
    const chat = chosen ?? (await telephones.open(wished?.name ?? '', wished?.language ?? ''));
    await telephones.start(chat, token.data ?? null);
    await show(ctx, chat);
  });

  router.get('/control', (ctx) => {
    const { webhook, commands, chats } = phonebook.memory;
    ctx.body = {
      webhook: webhook && { url: webhook.url, updates: webhook.updates },
      commands,
      chats,
      ...faults.describe(),
      waiting: deliveries.waiting,
      deliveries: deliveries.history,
    };
  });
  router.post('/control', async (ctx) => {
    faults.control(parseFields(ctx, controlSchema, await readJsonBody(ctx)));
    ctx.body = faults.describe();
  });
  router.post('/control/chats', async (ctx) => {
    const { name, language } = parseFields(ctx, telephoneSchema, await readJsonBody(ctx));
    ctx.status = 201;
    ctx.body = await telephones.open(name, language);
  });
  router.get('/control/chats/:id', (ctx) => {
    ctx.body = chatOf(ctx);
  });
  router.post('/control/chats/:id/messages', async (ctx) => {
    const chat = chatOf(ctx);
    await write(ctx, chat, await readJsonBody(ctx));
    ctx.body = chat;
  });
  router.post('/control/chats/:id/:act', async (ctx) => {
    const chat = chatOf(ctx);
    await telephones.setBlocked(chat, parseFields(ctx, z.enum(['block', 'unblock']), ctx.params['act']) === 'block');
    ctx.body = chat;
  });
  // Opens a link of the bot, like the messenger's site.
  router.get(`/${username}`, (ctx) => {
    const token = tokenSchema.safeParse(ctx.query['start']);
    ctx.body = openPage(username, phonebook.memory.chats, token.data ?? '');
  });

  const app = createSimulatorApp('bot platform simulator', refuse);
  app.use(refuseOtherSites);
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/** Reads the token of `https://t.me/registry_bot?start=…`, or the token alone. */
function tokenIn(link: string): string {
  const given = link.trim();
  return URL.canParse(given) ? (new URL(given).searchParams.get('start') ?? '') : given;
}

/** Answers browsers with a page, programs with JSON. */
function refuse(ctx: Koa.Context, status: number, message: string): void {
  ctx.status = status;
  ctx.body = ctx.path.startsWith('/control') || ctx.path.startsWith('/bot') ? { error: { message } } : problemPage(message);
}
