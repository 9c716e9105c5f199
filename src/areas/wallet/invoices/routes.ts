import { z } from 'zod';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { access, mayReadOthers, type SignedIn } from '../../../http/access/access.ts';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { idParams, listMeta, timelineResponse } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Caller } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { refusalOf } from '../../../platform/logging/security-log.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { authorizeReading, type Reading } from '../../audit/index.ts';
import type { Invoice } from '../entities.ts';
import { findInvoice, findInvoiceByNumber, listInvoices, listOperations, listRecentInvoices, readBalance } from '../queries.ts';
import * as wire from '../wire.ts';
import { askBank, type LoadedInvoice, loadInvoice, requireBank } from './ask-bank.ts';
import { createInvoice } from './create-invoice.ts';
import { noteBankHint } from './note-bank-hint.ts';
import { hintedQueryAt } from './payment-query-schedule.ts';
import { findCallbackNumber, paymentReturnPath } from './payment-return-routes.ts';
import { invoiceProcess } from './process.ts';
import { isFinal } from './states.ts';
import { buildInvoiceTimeline } from './timeline.ts';

const tag = 'Applications and money';

/** Routes of the wallet, its invoices and the bank's callback. */
export const walletRoutes: Route[] = [
  defineRoute({
    name: 'getWallet',
    method: 'GET',
    path: '/wallet',
    access: access.scope('wallet:read'),
    tag,
    summary: 'Get the wallet: balance, newest invoices, operations',
    request: { query: wire.walletQuery },
    response: { data: wire.walletResponse, meta: wire.walletMeta },
    handler: ({ platform, principal, query: paging }) =>
      query(platform, async (db, now) => {
        const ownerId = principal.user.id;
        const { operations, total } = await listOperations(db, ownerId, paging);
        const invoices = await listRecentInvoices(db, ownerId, now);
        return ok(
          {
            balance_minor: await readBalance(db, ownerId),
            currency: 'KZT' as const,
            invoices: invoices.rows.map((invoice) => wire.presentInvoice(invoice, now)),
            operations: operations.map(wire.presentOperation),
          },
          { total, page: paging.page, limit: paging.limit, invoices_total: invoices.total },
        );
      }),
  }),
  defineRoute({
    name: 'listInvoices',
    method: 'GET',
    path: '/invoices',
    access: access.scope('wallet:read'),
    tag,
    summary: 'List own invoices, newest first',
    request: { query: wire.invoicesQuery },
    response: { data: z.array(wire.invoiceResponse), meta: listMeta },
    handler: ({ platform, principal, query: filter }) =>
      query(platform, async (db, now) => {
        const { rows, total } = await listInvoices(db, now, { ...filter, ownerId: principal.user.id });
        return page(
          rows.map((invoice) => wire.presentInvoice(invoice, now)),
          total,
          filter,
        );
      }),
  }),
  defineRoute({
    name: 'createInvoice',
    method: 'POST',
    path: '/invoices',
    access: access.scope('wallet:write'),
    tag,
    summary: 'Create an invoice to top up the wallet',
    description:
      'The key of an invoice does not expire: also after 30 days a repeat answers 200 with the same invoice and `Idempotent-Replayed: true`. The invoice can be paid for 24 hours. Money that arrives within seven more days is credited and marked as `late`. An owner may have at most 20 open invoices: another one answers 409 `too_many_open_invoices` with `details: {open, limit}`.',
    request: { headers: wire.invoiceHeaders, body: wire.invoiceBody, example: { amount: '8650.00' } },
    response: {
      status: 201,
      location: '/invoices/:id',
      data: wire.invoiceResponse,
      otherStatuses: [{ status: 200, description: 'The invoice that an earlier request created with this key' }],
    },
    links: { getInvoice: { id: 'id' }, checkoutInvoice: { id: 'id' }, verifyInvoice: { id: 'id' }, getInvoiceTimeline: { id: 'id' } },
    errors: ['too_many_open_invoices'],
    handler: async ({ platform, caller, principal, headers, idempotencyKey, body }) => {
      const input = { ownerId: principal.user.id, amountMinor: body.amount, idempotencyKey: idempotencyKey ?? headers['idempotency-key'] };
      const { shown, isNew } = await commit(platform, caller, async (ctx) => {
        const { invoice, isNew: isMade } = await createInvoice(ctx, input);
        return { shown: wire.presentInvoice(invoice, ctx.now), isNew: isMade };
      });
      return isNew ? created(shown, `/invoices/${shown.id}`) : ok(shown, {}, { 'Idempotent-Replayed': 'true' });
    },
  }),
  defineRoute({
    name: 'getInvoice',
    method: 'GET',
    path: '/invoices/:id',
    access: access.scope('wallet:read'),
    tag,
    summary: 'Get an invoice',
    request: { params: idParams },
    response: { data: wire.invoiceRecordResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { invoice, now } = await loadReadable(platform, { principal, caller }, params.id);
      const shown = wire.presentInvoice(invoice, now);
      if (!mayReadOthers(principal)) return ok(shown);
      return ok({ ...shown, owner_id: invoice.ownerId, process: await describeProcess(platform, invoiceProcess, invoice, now) });
    },
  }),
  defineRoute({
    name: 'getInvoiceTimeline',
    method: 'GET',
    path: '/invoices/:id/timeline',
    access: access.scope('wallet:read'),
    tag,
    summary: 'List the events of an invoice, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { invoice } = await loadReadable(platform, { principal, caller }, params.id, 'timeline');
      return ok(await query(platform, (db, now) => buildInvoiceTimeline(db, invoice, now)));
    },
  }),
  defineRoute({
    name: 'checkoutInvoice',
    method: 'POST',
    path: '/invoices/:id/checkout',
    access: access.scope('wallet:write'),
    tag,
    summary: "Issue the bank's payment form",
    description: "Post the fields to `action` from the payer's browser. A repeated call issues the form again while the invoice is open.",
    request: { params: idParams },
    response: { data: wire.checkoutResponse },
    errors: ['invoice_not_open', 'bank_unavailable', 'workflow_unavailable'],
    handler: async ({ platform, caller, principal, params }) => {
      await loadOwn(platform, principal, params.id);
      requireBank(platform);
      await sendCommand(platform, invoiceProcess, params.id, 'checkout', { caller, args: {} });
      const { invoice, now } = await loadOwn(platform, principal, params.id);
      return ok({ ...checkoutForm(platform, invoice), invoice: wire.presentInvoice(invoice, now) });
    },
  }),
  defineRoute({
    name: 'verifyInvoice',
    method: 'POST',
    path: '/invoices/:id/verify',
    access: access.scope('wallet:write'),
    tag,
    summary: 'Query the bank about an invoice now',
    description:
      'The registry queries the bank about an invoice at most once in 5 seconds. During this pause the call waits; one query then answers all waiting calls.',
    request: { params: idParams },
    response: { data: wire.invoiceResponse },
    errors: ['bank_unavailable', 'workflow_unavailable'],
    handler: async ({ platform, caller, principal, params }) => {
      const seen = await loadOwn(platform, principal, params.id);
      // Final: no bank response can change it, and its process is over.
      if (isFinal(seen.invoice.status)) return ok(wire.presentInvoice(seen.invoice, seen.now));
      const { invoice, now } = await askBank(platform, seen, caller);
      return ok(wire.presentInvoice(invoice, now));
    },
  }),
  defineRoute({
    name: 'receiveBankCallback',
    method: 'POST',
    path: '/bank/callback',
    access: access.public,
    tag,
    summary: 'Receive a callback of the bank',
    description:
      'A callback is only a hint: the registry accepts any body, does not trust it, and queries the bank itself. The answer is the same for known and unknown invoices. The registry queries the bank about an invoice at most once in 5 seconds; a callback in this pause causes a query at its end. A callback does not affect paid and mismatched invoices, nor those whose `expires_at` is more than seven days ago. Callbacks have their own rate limits: by address and in total. A callback above a limit is dropped without harm, because the registry queries the bank regularly.',
    request: { query: z.looseObject({}), body: z.string() },
    bodyKind: 'raw',
    countedAs: 'callback',
    response: { data: wire.receivedResponse },
    handler: async ({ platform, caller, body, query: fields }) => {
      const number = findCallbackNumber(body, fields);
      if (number !== null) await takeHint(platform, caller, number);
      return ok({ received: true as const });
    },
  }),
];

/** @throws {DomainError} not_found */
function loadReadable(
  platform: Platform,
  reader: Pick<Reading, 'principal' | 'caller'>,
  id: number,
  part?: string,
): Promise<LoadedInvoice> {
  return query(platform, async (db, now) => {
    const invoice = await findInvoice(db, id);
    if (!invoice) throw new DomainError('not_found');
    await authorizeReading({ ...reader, db, now }, { kind: 'invoice', id }, invoice.ownerId, part);
    return { invoice, now };
  });
}

/** Loads an invoice that the caller may pay and verify: an own one (WAL-15). @throws {DomainError} not_found */
async function loadOwn(platform: Platform, principal: SignedIn, id: number): Promise<LoadedInvoice> {
  const loaded = await loadInvoice(platform, id);
  if (loaded.invoice.ownerId !== principal.user.id) throw refusalOf('not_found', { kind: 'invoice', id });
  return loaded;
}

/** The callback is public, so a read filters calls that change nothing before a transaction starts (WAL-5). */
async function takeHint(platform: Platform, caller: Caller, number: string): Promise<void> {
  const { invoice, now } = await query(platform, async (db, instant) => ({ invoice: await findInvoiceByNumber(db, number), now: instant }));
  if (invoice && hintedQueryAt(invoice, now) !== null) await commit(platform, caller, (ctx) => noteBankHint(ctx, invoice.id));
}

function checkoutForm(platform: Platform, { number, amountMinor, currency }: Readonly<Invoice>) {
  const site = baseUrl(platform.config);
  return platform.bank.checkout({
    number,
    amountMinor,
    currency,
    callbackUrl: platform.config.BANK_CALLBACK_URL ?? `${site}${apiPrefix}/bank/callback`,
    returnUrl: `${site}${paymentReturnPath}`,
  });
}
