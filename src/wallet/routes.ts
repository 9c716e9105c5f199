import { z } from 'zod';
import { checkoutInvoiceUpdate, verifyInvoiceUpdate } from '../../workflows/invoice-reconciliation.contract.ts';
import { describeProcess } from '../administration/describe-process.ts';
import { baseUrl } from '../config.ts';
import { DomainError } from '../errors.ts';
import { access, isAdministrator } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import { apiPrefix } from '../http/api-prefix.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { created, ok } from '../http/reply.ts';
import { idParams, listMeta, timelineShape } from '../http/schemas.ts';
import { read, runCommand } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { processRef } from '../platform/process-ref.ts';
import { findCallbackNumber } from './callback-number.ts';
import { createInvoice } from './create-invoice.ts';
import type { Invoice } from './entities.ts';
import { paymentReturnPath } from './payment-return-routes.ts';
import { canPayInvoice, canReadInvoice } from './policy.ts';
import { presentInvoice, presentOperation } from './presenter.ts';
import { viewOfInvoice } from './process-view.ts';
import { findInvoice, findInvoiceByNumber, listOperations, listRecentInvoices, readBalance } from './queries.ts';
import {
  checkoutShape,
  invoiceBody,
  invoiceHeaders,
  invoiceRecordShape,
  invoiceShape,
  receivedShape,
  walletQuery,
  walletShape,
} from './schemas.ts';
import { isFinal } from './states.ts';
import { tellInvoiceTimeline } from './timeline.ts';

const tag = 'Applications and money';

/** The wallet, its invoices and the bank's callback (service.md "Applications and money", decisions.md §5). */
export const walletRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/wallet',
    access: access.scope('wallet:read'),
    tag,
    summary: 'Balance, newest invoices and the history of operations',
    request: { query: walletQuery },
    response: { data: walletShape, meta: listMeta },
    handler: ({ platform, principal, query }) =>
      read(platform, async (em, now) => {
        const ownerId = principal.user.id;
        const { operations, total } = await listOperations(em, ownerId, query);
        const invoices = await listRecentInvoices(em, ownerId);
        return ok(
          {
            balance_minor: await readBalance(em, ownerId),
            currency: 'KZT' as const,
            invoices: invoices.map((invoice) => presentInvoice(invoice, now)),
            operations: operations.map(presentOperation),
          },
          { total, page: query.page, limit: query.limit },
        );
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/invoices',
    access: access.scope('wallet:write'),
    tag,
    summary: 'Make an invoice to top up the wallet',
    description:
      'A repeat with the same key and amount answers 200, the same invoice and `Idempotent-Replayed: true`. The invoice can be paid for 24 hours; money that comes within seven days more is credited too, and flagged.',
    request: { headers: invoiceHeaders, body: invoiceBody },
    response: {
      status: 201,
      data: invoiceShape,
      otherStatuses: [{ status: 200, description: 'The invoice that this key has made before' }],
    },
    errors: ['idempotency_key_conflict'],
    handler: async ({ platform, caller, principal, headers, body }) => {
      const input = { ownerId: principal.user.id, amountMinor: body.amount, idempotencyKey: headers['idempotency-key'] };
      const { id, isNew } = await runCommand(platform, caller, (ctx) => createInvoice(ctx, input));
      const { invoice, now } = await loadOwn(platform, principal, id);
      return isNew ? created(presentInvoice(invoice, now)) : ok(presentInvoice(invoice, now), {}, { 'Idempotent-Replayed': 'true' });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/invoices/:id',
    access: access.scope('wallet:read'),
    tag,
    summary: 'An invoice',
    request: { params: idParams },
    response: { data: invoiceRecordShape },
    handler: async ({ platform, principal, params }) => {
      const { invoice, now } = await loadReadable(platform, principal, params.id);
      const shown = presentInvoice(invoice, now);
      if (!isAdministrator(principal)) return ok(shown);
      const process = await describeProcess(platform, processRef('invoice', invoice.id), viewOfInvoice(invoice, now), now);
      return ok({ ...shown, process });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/invoices/:id/timeline',
    access: access.scope('wallet:read'),
    tag,
    summary: 'What happened to an invoice, oldest first',
    request: { params: idParams },
    response: { data: timelineShape },
    handler: async ({ platform, principal, params }) => {
      const { invoice } = await loadReadable(platform, principal, params.id);
      return ok(await read(platform, (em, now) => tellInvoiceTimeline(em, invoice, now)));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/invoices/:id/checkout',
    access: access.scope('wallet:write'),
    tag,
    summary: "The bank's payment form",
    description: "Post the fields to `action` from the payer's browser. The form may be had again while the invoice is open.",
    request: { params: idParams },
    response: { data: checkoutShape },
    errors: ['invoice_not_open', 'bank_unavailable', 'workflow_unavailable', 'idempotency_key_conflict'],
    handler: async ({ platform, caller, principal, params, idempotencyKey }) => {
      await loadOwn(platform, principal, params.id);
      requireBank(platform);
      await platform.processes.command(processRef('invoice', params.id), checkoutInvoiceUpdate, {}, { caller, idempotencyKey });
      const { invoice, now } = await loadOwn(platform, principal, params.id);
      return ok({ ...checkoutForm(platform, invoice), invoice: presentInvoice(invoice, now) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/invoices/:id/verify',
    access: access.scope('wallet:write'),
    tag,
    summary: 'Ask the bank now and answer with the invoice as it then stands',
    request: { params: idParams },
    response: { data: invoiceShape },
    errors: ['bank_unavailable', 'workflow_unavailable', 'idempotency_key_conflict'],
    handler: async ({ platform, caller, principal, params, idempotencyKey }) => {
      const seen = await loadOwn(platform, principal, params.id);
      // Settled for good: no word of the bank could change it, and its process is over.
      if (isFinal(seen.invoice.status)) return ok(presentInvoice(seen.invoice, seen.now));
      requireBank(platform);
      await platform.processes.command(processRef('invoice', params.id), verifyInvoiceUpdate, {}, { caller, idempotencyKey });
      const { invoice, now } = await loadOwn(platform, principal, params.id);
      return ok(presentInvoice(invoice, now));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/bank/callback',
    access: access.public,
    tag,
    summary: 'The bank says that something happened to an invoice',
    description:
      'Any body is taken and none is believed: it only makes the registry ask the bank itself. The answer is the same whether or not it named an invoice. Not counted by the limit for public routes, since all of it comes from the one address of the bank.',
    request: { query: z.looseObject({}), body: z.string() },
    bodyKind: 'raw',
    isRateLimited: false,
    response: { data: receivedShape },
    handler: async ({ platform, caller, body, query }) => {
      const number = findCallbackNumber(body, query);
      const invoice = number === null ? null : await read(platform, (em) => findInvoiceByNumber(em, number));
      // Anyone can call here: what is settled for good starts no work.
      if (invoice && !isFinal(invoice.status))
        platform.processes.hintInBackground(processRef('invoice', invoice.id), 'bank-hint', caller.requestId);
      return ok({ received: true as const });
    },
  }),
];

/** @throws {DomainError} not_found */
async function loadReadable(platform: Platform, principal: SignedIn, id: number): Promise<{ invoice: Invoice; now: Date }> {
  const { invoice, now } = await read(platform, async (em, present) => ({ invoice: await findInvoice(em, id), now: present }));
  if (!invoice || !canReadInvoice(principal, invoice)) throw new DomainError('not_found');
  return { invoice, now };
}

/** @throws {DomainError} not_found */
async function loadOwn(platform: Platform, principal: SignedIn, id: number): Promise<{ invoice: Invoice; now: Date }> {
  const loaded = await loadReadable(platform, principal, id);
  if (!canPayInvoice(principal, loaded.invoice)) throw new DomainError('not_found');
  return loaded;
}

/** @throws {DomainError} bank_unavailable */
function requireBank(platform: Platform): void {
  if (!platform.bank.enabled) throw new DomainError('bank_unavailable');
}

function checkoutForm(platform: Platform, { number, amountMinor, currency }: Invoice) {
  const site = baseUrl(platform.config);
  return platform.bank.checkout({
    number,
    amountMinor,
    currency,
    callbackUrl: `${site}${apiPrefix}/bank/callback`,
    returnUrl: `${site}${paymentReturnPath}`,
  });
}
