import { Router } from '@koa/router';
import type Koa from 'koa';
import { z } from 'zod';
import { hasValidSignature } from '../../../platform/bank/bank.ts';
import { createSimulatorApp, hang, isSame, readFormBody, readJsonBody } from '../simulator.ts';
import { type BankRecord, type Book, controlSchema } from './book.ts';
import type { Callbacks } from './callbacks.ts';
import { overviewPage, paymentPage, problemPage, resultPage } from './pages.ts';

const hangMs = 30_000;
const queryFreshnessMs = 10 * 60_000;

const numberSchema = z.string().regex(/^[0-9]{1,20}$/);
const amountSchema = z
  .string()
  .regex(/^[0-9]{1,15}$/)
  .transform(Number);
const currencySchema = z.string().regex(/^[A-Z]{3}$/);
const webAddressSchema = z.url({ protocol: /^https?$/ }).max(2048);

const formSchema = z.object({
  terminal: z.string(),
  invoice: numberSchema,
  amount: amountSchema,
  currency: currencySchema,
  callback_url: webAddressSchema.optional(),
  return_url: webAddressSchema.optional(),
});
const statusQuerySchema = z.object({
  terminal: z.string(),
  amount: amountSchema,
  currency: currencySchema,
  ts: z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number),
});
const decisionSchema = z.object({ ticket: z.string(), decision: z.enum(['pay', 'refuse']) });

type BankAppOptions = {
  terminal: string;
  secret: string;
  /** the shop's secret before a change, accepted until the bank ends it */
  formerSecret?: string | undefined;
  book: Book;
  callbacks: Callbacks;
  /** resolves when the record is on disk */
  save: (record: BankRecord) => Promise<void>;
  /** aborts when the server closes, to end hanging status queries */
  closing: AbortSignal;
};

/** Creates the bank's routes. */
export function createBankApp(options: BankAppOptions): Koa {
  const { terminal, secret, formerSecret, book, callbacks, save, closing } = options;
  const router = new Router();
  const isSigned = (fields: Readonly<Record<string, string>>): boolean =>
    [secret, ...(formerSecret === undefined ? [] : [formerSecret])].some((one) => hasValidSignature(fields, one));

  const settled = async (record: BankRecord): Promise<void> => {
    // Store first, because the bank must keep its answers across a restart.
    await save(record);
    callbacks.schedule(record);
  };

  router.get('/', (ctx) => {
    ctx.body = overviewPage(book.recent(50).map((record) => ({ record, state: book.state(record) })));
  });

  router.post('/pay', async (ctx) => {
    const fields = await readFormBody(ctx);
    const form = formSchema.safeParse(fields);
    if (!isSigned(fields) || !form.success || form.data.terminal !== terminal) {
      ctx.status = form.success ? 401 : 422;
      ctx.body = problemPage(
        'Форма не принята · Форма қабылданбады · The form is not accepted',
        'Подпись или поля формы неверны. · Форманың қолтаңбасы немесе өрістері қате. · The signature or a field of the form is wrong.',
      );
      return;
    }
    const { invoice, amount, currency, callback_url: callbackUrl, return_url: returnUrl } = form.data;
    const record = book.open(invoice);
    Object.assign(record, {
      amountMinor: amount,
      currency,
      formSeen: true,
      callbackUrl: callbackUrl ?? null,
      returnUrl: returnUrl ?? null,
    });
    book.note(record, 'form', 'the payer opened the payment page');
    await save(record);
    const state = book.state(record);
    ctx.body = record.settlement && state !== 'pending' ? resultPage(record, state) : paymentPage(record);
  });

  router.post('/pay/:number', async (ctx) => {
    const decision = decisionSchema.safeParse(await readFormBody(ctx));
    const record = book.find(ctx.params['number'] ?? '');
    if (!record || !decision.success || !isSame(decision.data.ticket, record.ticket)) {
      ctx.status = 404;
      ctx.body = problemPage(
        'Счёт не найден · Шот табылмады · No such invoice',
        'Откройте форму оплаты заново. · Төлем формасын қайта ашыңыз. · Open the payment form again.',
      );
      return;
    }
    if (book.decide(record, decision.data.decision)) await settled(record);
    ctx.body = resultPage(record, book.state(record));
  });

  router.get('/status/:number', async (ctx) => {
    const number = ctx.params['number'] ?? '';
    const query = singleValues(ctx.query);
    const statusQuery = statusQuerySchema.safeParse(query);
    // Check the signature first, so that anonymous callers learn nothing.
    if (!isSigned({ ...query, invoice: number })) return refuse(ctx, 401, 'signature_invalid', 'the signature is wrong');
    if (!statusQuery.success || !numberSchema.safeParse(number).success)
      return refuse(ctx, 422, 'question_invalid', 'the query is malformed');
    if (statusQuery.data.terminal !== terminal) return refuse(ctx, 401, 'terminal_unknown', 'the terminal is unknown');
    if (Math.abs(Date.now() - statusQuery.data.ts) > queryFreshnessMs) return refuse(ctx, 401, 'question_stale', 'the query is too old');

    const record = book.open(number);
    if (!record.formSeen) {
      // A test may decide an invoice without its form; then only the status query has its amount.
      record.amountMinor = statusQuery.data.amount;
      record.currency = statusQuery.data.currency;
    }
    const fault = book.takeFault(record);
    book.note(record, 'question', fault ? `not answered: ${fault.kind}` : `answered: ${book.state(record)}`);
    if (fault) await save(record);
    if (fault?.kind === 'error') return refuse(ctx, 500, 'bank_error', 'a requested error');
    if (fault?.kind === 'timeout') {
      await hang(ctx.req, fault.delayMs ?? hangMs, closing);
      ctx.respond = false;
      ctx.req.socket.destroy();
      return;
    }
    ctx.body = book.answer(record);
  });

  router.post('/control/:number', async (ctx) => {
    const number = ctx.params['number'] ?? '';
    if (!numberSchema.safeParse(number).success) return refuse(ctx, 422, 'validation_failed', 'an invoice number has 1 to 20 digits');
    const control = controlSchema.safeParse(await readJsonBody(ctx));
    if (!control.success) {
      const fields = control.error.issues.map((issue) => ({ path: issue.path.join('.'), code: issue.code, message: issue.message }));
      return refuse(ctx, 422, 'validation_failed', 'the control is malformed', { fields });
    }
    const record = book.open(number);
    book.control(record, control.data);
    await settled(record);
    ctx.body = book.describe(record);
  });

  router.get('/control/:number', (ctx) => {
    const record = book.find(ctx.params['number'] ?? '');
    if (!record) return refuse(ctx, 404, 'not_found', 'the bank does not know this invoice');
    ctx.body = book.describe(record);
  });

  const app = createSimulatorApp('bank simulator', (ctx, status, message) => refuse(ctx, status, codeOf(status), message));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

function refuse(ctx: Pick<Koa.Context, 'status' | 'body'>, status: number, code: string, message: string, details?: unknown): void {
  ctx.status = status;
  ctx.body = { error: { code, message, ...(details === undefined ? {} : { details }) } };
}

function codeOf(status: number): string {
  if (status >= 500) return 'internal_error';
  return status === 404 ? 'not_found' : 'request_invalid';
}

function singleValues(query: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}
