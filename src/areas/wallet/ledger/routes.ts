import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage, created, ok } from '../../../http/response/reply.ts';
import { cappedListMeta } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { confirmInPerson } from '../../accounts/index.ts';
import { auditRead } from '../../audit/index.ts';
import { correctionBody, correctionHeaders, entryParams, ledgerQuery, ledgerRowResponse, presentLedgerRow, reversalBody } from '../wire.ts';
import { correctLedger } from './correct-ledger.ts';
import { findLedgerRow, listLedger } from './list-ledger.ts';
import { reverseMovement } from './reverse-movement.ts';

const tag = 'Administration';

/** The administrators' ledger routes: list, correct (WAL-10) and reverse (WAL-11). Money moves only with a password in a browser. */
export const ledgerRoutes: Route[] = [
  defineRoute({
    name: 'listLedger',
    method: 'GET',
    path: '/admin/ledger',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the ledger transactions, newest first',
    description:
      '`meta.total` is exact. A read with `user_id` is audited. With `user_id`, `from` or `to` it is exact up to 10,000; above that it is 10,000 and `meta.total_is_capped` is true.',
    request: { query: ledgerQuery },
    response: { data: z.array(ledgerRowResponse), meta: cappedListMeta },
    handler: async ({ platform, caller, query: filter }) => {
      const { rows, total, isTotalCapped } = await query(platform, async (db, now) => {
        const { user_id: userId } = filter;
        if (userId !== undefined) await auditRead({ ...caller, db, now }, 'ledger.read', { kind: 'user', id: userId });
        return listLedger(db, filter);
      });
      return cappedPage(rows.map(presentLedgerRow), { total, isTotalCapped }, filter);
    },
  }),
  defineRoute({
    name: 'correctLedger',
    method: 'POST',
    path: '/admin/ledger/corrections',
    access: access.inBrowser(access.administrator('admin:write')),
    tag,
    summary: 'Correct a wallet manually',
    description:
      "Credits or debits a wallet against the federation's adjustments account and notifies the owner with the reason. The key of a correction does not expire: also after 30 days a repeat answers 200 with the same correction and `Idempotent-Replayed: true`. With `incident_id` the same transaction resolves the incident; an incident that is already resolved answers 409 `invalid_state`.",
    request: {
      headers: correctionHeaders,
      body: correctionBody,
      example: {
        user_id: 4,
        amount: '8650.00',
        direction: 'credit',
        reason: 'Платёж пришёл без номера счёта.',
        password: 'Tulpar-1994-Altai',
      },
    },
    response: {
      status: 201,
      location: '/admin/ledger',
      data: ledgerRowResponse,
      otherStatuses: [{ status: 200, description: 'The correction that an earlier request made with this key' }],
    },
    links: { listLedger: {}, reverseLedgerEntry: { entry_id: 'id' } },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'not_found', 'insufficient_funds', 'invalid_state'],
    handler: async ({ platform, principal, caller, signal, headers, body }) => {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const { transactionId, isNew } = await commit(platform, confirmed, (ctx) =>
        correctLedger(ctx, {
          userId: body.user_id,
          amountMinor: body.amount,
          direction: body.direction,
          reason: body.reason,
          incidentId: body.incident_id ?? null,
          idempotencyKey: headers['idempotency-key'],
        }),
      );
      const shown = await show(platform, transactionId);
      return isNew ? created(shown, '/admin/ledger') : ok(shown, {}, { 'Idempotent-Replayed': 'true' });
    },
  }),
  defineRoute({
    name: 'reverseLedgerEntry',
    method: 'POST',
    path: '/admin/ledger/:entry_id/reverse',
    access: access.inBrowser(access.administrator('admin:write')),
    tag,
    summary: 'Reverse a ledger transaction',
    description:
      "`entry_id` is the transaction's `id`. A transaction that was reversed before answers 200 with the existing reversal. The payment of a cancelled or closed application is reversed as its refund. The payment of an active application answers 409 `invalid_state` with `details: {application_id, status}`: cancel the application first. A paid invoice stays paid; its timeline shows the reversal. With `incident_id` the same transaction resolves the incident.",
    request: { params: entryParams, body: reversalBody, example: { reason: 'Проводка сделана дважды.', password: 'Tulpar-1994-Altai' } },
    response: {
      status: 201,
      location: '/admin/ledger',
      data: ledgerRowResponse,
      otherStatuses: [{ status: 200, description: 'The existing reversal' }],
    },
    links: { listLedger: {} },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'insufficient_funds', 'invalid_state'],
    handler: async ({ platform, principal, caller, signal, params, body }) => {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const wanted = { id: params.entry_id, reason: body.reason, incidentId: body.incident_id ?? null };
      const { transactionId, isNew } = await commit(platform, confirmed, (ctx) => reverseMovement(ctx, wanted));
      const shown = await show(platform, transactionId);
      return isNew ? created(shown, '/admin/ledger') : ok(shown);
    },
  }),
];

async function show(platform: Platform, transactionId: number) {
  const row = await query(platform, (db) => findLedgerRow(db, transactionId));
  if (!row) throw new DomainError('not_found');
  return presentLedgerRow(row);
}
