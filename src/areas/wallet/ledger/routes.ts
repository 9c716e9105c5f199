import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage, created, ok } from '../../../http/response/reply.ts';
import { cappedListMeta } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { requirePassword } from '../../accounts/index.ts';
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
    summary: 'The movements of money, newest first',
    description:
      '`meta.total` is exact; with `user_id`, `from` or `to` it is so up to 10,000, and of more it is 10,000 and `meta.total_is_capped` is true.',
    request: { query: ledgerQuery },
    response: { data: z.array(ledgerRowResponse), meta: cappedListMeta },
    handler: async ({ platform, query: filter }) => {
      const { rows, total, isTotalCapped } = await query(platform, (db) => listLedger(db, filter));
      return cappedPage(rows.map(presentLedgerRow), { total, isTotalCapped }, filter);
    },
  }),
  defineRoute({
    name: 'correctLedger',
    method: 'POST',
    path: '/admin/ledger/corrections',
    access: access.inBrowser(access.administrator('admin:write')),
    tag,
    summary: 'Put money into a wallet, or take it out, by hand',
    description:
      "Booked against the federation's adjustments; the wallet's owner is told, with the reason. A correction keeps its key for good: after the 30 days of all keys a repeat answers 200, the same correction and `Idempotent-Replayed: true`. With `incident_id` the incident is settled by the same transaction; one that is settled already is refused with 409 `invalid_state`.",
    request: { headers: correctionHeaders, body: correctionBody },
    response: {
      status: 201,
      location: '/admin/ledger',
      data: ledgerRowResponse,
      otherStatuses: [{ status: 200, description: 'The correction that this key has made before' }],
    },
    links: { listLedger: {}, reverseLedgerEntry: { entry_id: 'id' } },
    errors: ['password_confirmation_failed', 'not_found', 'insufficient_funds', 'invalid_state'],
    handler: async ({ platform, principal, caller, gone, headers, body }) => {
      await requirePassword(platform, principal.user.id, body.password, { ip: caller.ip, gone });
      const { transactionId, isNew } = await commit(platform, caller, (ctx) =>
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
    summary: 'Undo a movement of money by its mirror image',
    description:
      "`entry_id` is the transaction's `id`. One that was reversed before, by whatever way, answers 200 with that reversal. The payment of an application is given back once the application is cancelled or closed, as its refund; of one that lives it is refused with 409 `invalid_state` and `details: {application_id, status}`, since its owner cancels it. A paid invoice stays paid: its timeline tells of the reversal. With `incident_id` the incident is settled by the same transaction.",
    request: { params: entryParams, body: reversalBody },
    response: {
      status: 201,
      location: '/admin/ledger',
      data: ledgerRowResponse,
      otherStatuses: [{ status: 200, description: 'The reversal that there was before' }],
    },
    links: { listLedger: {} },
    errors: ['password_confirmation_failed', 'insufficient_funds', 'invalid_state'],
    handler: async ({ platform, principal, caller, gone, params, body }) => {
      await requirePassword(platform, principal.user.id, body.password, { ip: caller.ip, gone });
      const wanted = { id: params.entry_id, reason: body.reason, incidentId: body.incident_id ?? null };
      const { transactionId, isNew } = await commit(platform, caller, (ctx) => reverseMovement(ctx, wanted));
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
