import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { idParams } from '../../http/schemas.ts';
import { query as runQuery } from '../../platform/command.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { requirePassword } from '../accounts/index.ts';
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
    summary: 'What would go with a profile to another account',
    description:
      'Counts what would move, says what would stay, and lists all that the transfer would be refused with; an unknown profile or account is 404. ' +
      'Nothing is held: what the transfer finds counts.',
    request: { params: idParams, query: previewQuery },
    response: { data: previewResponse },
    handler: ({ platform, principal, caller, params, query }) =>
      runQuery(platform, async (db, now) => {
        const profile = await findProfile(db, params.id);
        if (profile === null) throw new DomainError('not_found');
        await authorizeReading({ principal, caller, db, now }, { kind: 'profile', id: profile.id }, profile.ownerId, 'owner_preview');
        const target = await findAccount(db, query.target_user_id);
        if (target === null) throw new DomainError('not_found', { field: 'target_user_id' });
        return ok(presentPreview(await countMoved(db, platform.extensions, profile), await findConflicts(db, profile, target)));
      }),
  }),
  defineRoute({
    name: 'transferProfile',
    method: 'PUT',
    path: '/admin/profiles/:id/owner',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Give a profile to another account, with all that stands on it',
    description:
      'Moves the profile with its documents, applications, certificates, competitions, agreements, registrations and the files of all these, whole or not at all. ' +
      'A file that another profile of the old owner uses too is copied; files that nothing uses stay. Wallets, payments, invoices, issued snapshots and histories stay as they are: a later refund goes to the wallet that paid. ' +
      'Public sharing of documents of international licences is closed until the new owner consents. Both owners are notified. ' +
      "The administrator's password confirms it, by session and by key alike. Refused with 409 before anything is changed; an unknown profile or account is 404. " +
      'With an `Idempotency-Key` a repeat answers how the profile stands; without one it is refused as `owner_changed`. `moved` counts what went with the last transfer.',
    request: { params: idParams, body: transferBody },
    response: { data: transferResponse },
    errors: ['not_found', 'password_confirmation_failed', 'owner_changed', ...conflictCodes, 'service_unavailable', 'workflow_unavailable'],
    handler: async ({ platform, principal, caller, params, body, gone }) => {
      await requirePassword(platform, principal.user.id, body.password, { ip: caller.ip, gone });
      const { current_user_id: currentUserId, target_user_id: targetUserId, reason } = body;
      await runQuery(platform, async (db) => {
        if ((await findProfile(db, params.id)) === null) throw new DomainError('not_found');
        if ((await findAccount(db, targetUserId)) === null) throw new DomainError('not_found', { field: 'target_user_id' });
      });
      const args = { currentUserId, targetUserId };
      await sendCommand(platform, ownershipTransferProcess, params.id, 'transfer', {
        caller,
        args,
        words: { reason },
      });
      const transfer = await runQuery(platform, (db) => findTransfer(db, params.id, caller.requestId));
      if (transfer === null) throw new Error(`profile ${params.id} was transferred without a trace`);
      return ok(presentTransfer(transfer));
    },
  }),
];
