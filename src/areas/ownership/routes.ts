import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { idParams } from '../../http/schemas.ts';
import { query as runQuery } from '../../platform/commands/command.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { confirmInPerson } from '../accounts/index.ts';
import { authorizeReading } from '../audit/index.ts';
import { findProfile } from '../profiles/index.ts';
import { conflictCodes, findConflicts, countMoved, findAccount, findTransfer } from './queries.ts';
import { ownershipTransferProcess } from './process.ts';
import { presentPreview, presentTransfer, previewQuery, previewResponse, transferBody, transferResponse } from './wire.ts';

const tag = 'Administration';

/** Administrators transfer a profile to another account; the password confirms it (OWN-7). */
export const ownershipRoutes: Route[] = [
  defineRoute({
    name: 'previewOwnershipTransfer',
    method: 'GET',
    path: '/admin/profiles/:id/owner/preview',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Preview the transfer of a profile to another account',
    description:
      'Counts the records that would move, and lists the parts that stay and all conflicts. An unknown profile or account answers 404. ' +
      'The preview locks no record: the transfer checks again.',
    request: { params: idParams, query: previewQuery },
    response: { data: previewResponse },
    handler: ({ platform, principal, caller, params, query }) =>
      runQuery(platform, async (db, now) => {
        const profile = await findProfile(db, params.id);
        if (profile === null) throw new DomainError('not_found');
        await authorizeReading({ principal, caller, db, now }, { kind: 'profile', id: profile.id }, profile.ownerId, 'owner_preview');
        const target = await findAccount(db, query.target_user_id);
        if (target === null) throw new DomainError('not_found', { field: 'target_user_id' });
        return ok(
          presentPreview(await countMoved(db, platform.extensions, profile), await findConflicts(db, platform.extensions, profile, target)),
        );
      }),
  }),
  defineRoute({
    name: 'transferProfile',
    method: 'PUT',
    path: '/admin/profiles/:id/owner',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Transfer a profile and its records to another account',
    description:
      'Moves the profile with its documents, applications, certificates, competitions, agreements, registrations and their files, all or none. ' +
      'A file that another profile of the old owner also uses is copied; unused files stay. Wallets, payments, invoices, issued snapshots and histories do not change: a later refund goes to the wallet that paid. ' +
      'Documents of international licences are not shared publicly until the new owner consents. Both owners are notified. ' +
      "The administrator's password confirms it, also for an API key. A conflict answers 409 before any change, an unknown profile or account 404. " +
      'A repeat with the same `Idempotency-Key` answers the current state; without one it is refused as `owner_changed`. `moved` counts the records of the last transfer.',
    request: {
      params: idParams,
      body: transferBody,
      example: {
        current_user_id: 4,
        target_user_id: 9,
        reason: 'Спортсмен сменил тренера, заявление от 1 марта.',
        password: 'Tulpar-1994-Altai',
      },
    },
    response: { data: transferResponse },
    errors: [
      'not_found',
      'password_confirmation_failed',
      'second_factor_failed',
      'owner_changed',
      ...conflictCodes,
      'service_unavailable',
      'workflow_unavailable',
    ],
    handler: async ({ platform, principal, caller, params, body, signal }) => {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const { current_user_id: currentUserId, target_user_id: targetUserId, reason } = body;
      await runQuery(platform, async (db) => {
        if ((await findProfile(db, params.id)) === null) throw new DomainError('not_found');
        if ((await findAccount(db, targetUserId)) === null) throw new DomainError('not_found', { field: 'target_user_id' });
      });
      const args = { currentUserId, targetUserId };
      await sendCommand(platform, ownershipTransferProcess, params.id, 'transfer', { caller: confirmed, args, privateInput: { reason } });
      const transfer = await runQuery(platform, (db) => findTransfer(db, params.id, caller.requestId));
      if (transfer === null) throw new Error(`profile ${params.id} has no row of its transfer`);
      return ok(presentTransfer(transfer));
    },
  }),
];
