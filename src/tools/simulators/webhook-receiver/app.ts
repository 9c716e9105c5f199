import { Router } from '@koa/router';
import type Koa from 'koa';
import { z } from 'zod';
import { createSimulatorApp, hang, parseFields, readBytes, readFormBody, readJsonBody, refuseOtherSites } from '../simulator.ts';
import { answers, controlSchema, type Inbox, type Inboxes } from './inboxes.ts';
import { inboxesPage, pagePolicy, problemPage } from './pages.ts';

/** Longer than any caller waits. */
const silenceMs = 24 * 60 * 60_000;

const nameSchema = z.string().regex(/^[\w-]{1,64}$/, 'a name has 1 to 64 letters, digits, _ or -');
const secretsForm = z.object({ secrets: z.string().transform((text) => text.split(/\s+/).filter(Boolean)) });
const answerForm = z.object({ kind: z.enum(answers), seconds: z.coerce.number(), times: z.string() });

/** Creates the receiver's routes: deliveries, the page with its forms, and controls for tests. @param closing aborts when the server closes */
export function createReceiverApp(inboxes: Inboxes, closing: AbortSignal): Koa {
  const router = new Router();
  const open = (ctx: Koa.Context, name: unknown): Inbox => inboxes.open(parseFields(ctx, nameSchema, name));
  const known = (ctx: Koa.Context, name = ''): Inbox => inboxes.find(name) ?? ctx.throw(404, 'no such inbox');

  router.post('/hooks/:name', async (ctx) => {
    const body = await readBytes(ctx);
    const { kind, seconds } = open(ctx, ctx.params['name']).receive(webhookHeaders(ctx), body);
    if (kind === 'slow') await hang(ctx.req, seconds * 1000, closing);
    if (kind === 'silent') {
      await hang(ctx.req, silenceMs, closing);
      ctx.respond = false;
      ctx.req.socket.destroy();
      return;
    }
    if (kind === '503') ctx.set('Retry-After', String(seconds));
    ctx.status = kind === 'slow' ? 200 : Number(kind);
    ctx.body = { answer: kind };
  });

  router.get('/', (ctx) => {
    ctx.set('Content-Security-Policy', pagePolicy);
    ctx.body = inboxesPage(inboxes.describe(), `http://${ctx.host}`);
  });
  const showInbox = (ctx: Koa.Context, { name }: Inbox): void => {
    ctx.status = 303;
    ctx.redirect(`/#${name}`);
  };
  router.post('/inboxes', async (ctx) => {
    showInbox(ctx, open(ctx, (await readFormBody(ctx))['name']));
  });
  router.post('/inboxes/:name/secrets', async (ctx) => {
    const form = parseFields(ctx, secretsForm, await readFormBody(ctx));
    const inbox = open(ctx, ctx.params['name']);
    inbox.control(parseFields(ctx, controlSchema, form));
    showInbox(ctx, inbox);
  });
  router.post('/inboxes/:name/answer', async (ctx) => {
    const { times, ...form } = parseFields(ctx, answerForm, await readFormBody(ctx));
    const inbox = open(ctx, ctx.params['name']);
    inbox.control(parseFields(ctx, controlSchema, { answer: { ...form, times: times === '' ? null : Number(times) } }));
    showInbox(ctx, inbox);
  });
  router.post('/inboxes/:name/clear', (ctx) => {
    const inbox = known(ctx, ctx.params['name']);
    inbox.clear();
    showInbox(ctx, inbox);
  });

  router.get('/control', (ctx) => {
    ctx.body = { inboxes: inboxes.describe() };
  });
  router.get('/control/:name', (ctx) => {
    ctx.body = known(ctx, ctx.params['name']).describe();
  });
  router.post('/control/:name', async (ctx) => {
    const control = parseFields(ctx, controlSchema, await readJsonBody(ctx));
    const inbox = open(ctx, ctx.params['name']);
    inbox.control(control);
    ctx.body = inbox.describe();
  });
  router.delete('/control/:name/deliveries', (ctx) => {
    known(ctx, ctx.params['name']).clear();
    ctx.status = 204;
  });

  const app = createSimulatorApp('webhook receiver', (ctx, status, message) => {
    ctx.status = status;
    ctx.body = /^\/(control|hooks)\b/.test(ctx.path) ? { error: { message } } : problemPage(message);
  });
  app.use(refuseOtherSites);
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

function webhookHeaders(ctx: Koa.Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ctx.headers).flatMap(([name, value]) =>
      (name.startsWith('webhook-') || name === 'content-type') && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
