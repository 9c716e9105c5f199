import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { accepted, ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { DomainError } from '../../../errors.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { dayMs } from '../../../platform/time/date-time.ts';
import { bindToSession, confirmInPerson } from '../../accounts/index.ts';
import { agreementsEndAt, countRecords, findBlockers, findErasure } from './queries.ts';
import { requestErasure, requestErasureOf } from './request-erasure.ts';
import { erasureBody, erasureOfBody, erasureResponse, type ErasureView, presentErasure } from './wire.ts';
import { withdrawErasure } from './withdraw-erasure.ts';

const tag = 'Own data';
const administration = 'Administration';

export const accountErasureRoutes: Route[] = [
  defineRoute({
    name: 'getErasure',
    method: 'GET',
    path: '/account/erasure',
    access: access.inPerson(access.browser),
    tag,
    summary: 'See what the erasure of your account does, and its state',
    response: { data: erasureResponse },
    async handler({ platform, principal }) {
      return ok(presentErasure(await viewErasure(platform, principal.user.id)));
    },
  }),
  defineRoute({
    name: 'requestErasure',
    method: 'POST',
    path: '/account/erasure',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Request the erasure of your account',
    description:
      'The account waits for `ERASURE_WAIT_DAYS` (14), with a notification at the start and three days before the end; until then the request can be withdrawn. Then everything about the person goes, and the account is closed for good. 409 `erasure_blocked` names what prevents it, with a step for each; what comes up later makes it wait, and it is tried again each day.',
    request: { body: erasureBody, example: { password: 'Tulpar-1994-Altai' } },
    response: { status: 202, location: '/account/erasure', data: erasureResponse },
    errors: ['password_confirmation_failed', 'second_factor_required', 'second_factor_failed', 'invalid_state', 'erasure_blocked'],
    async handler({ platform, principal, caller, body, signal }) {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const userId = principal.user.id;
      await commit(platform, confirmed, (ctx) => requestErasure(ctx, { userId, waitMs: waitOf(platform) }));
      return accepted(presentErasure(await viewErasure(platform, userId)), '/account/erasure');
    },
  }),
  defineRoute({
    name: 'withdrawErasure',
    method: 'DELETE',
    path: '/account/erasure',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Withdraw the erasure of your account',
    description: 'Until the instant at which it is due.',
    response: { data: erasureResponse },
    errors: ['not_found', 'invalid_state'],
    async handler({ platform, principal, caller }) {
      const userId = principal.user.id;
      await commit(platform, bindToSession(caller, principal), (ctx) => withdrawErasure(ctx, userId));
      return ok(presentErasure(await viewErasure(platform, userId)));
    },
  }),
  defineRoute({
    name: 'getErasureOf',
    method: 'GET',
    path: '/admin/users/:id/erasure',
    access: access.administrator('admin:read'),
    tag: administration,
    summary: 'See what the erasure of an account does, and its state',
    request: { params: idParams },
    response: { data: erasureResponse },
    async handler({ platform, params }) {
      return ok(presentErasure(await viewErasure(platform, params.id)));
    },
  }),
  defineRoute({
    name: 'requestErasureOf',
    method: 'POST',
    path: '/admin/users/:id/erasure',
    access: access.inBrowser(access.administrator('admin:write')),
    tag: administration,
    summary: 'Start the erasure of an account for a request on paper',
    description:
      'As `POST /account/erasure`: the wait stays, and the owner is notified and may withdraw it. Administrators request their own (409 `target_is_administrator`).',
    request: {
      params: idParams,
      body: erasureOfBody,
      example: { reason: 'Заявление от 12.11.2026, личность проверена по удостоверению.', password: 'Tulpar-1994-Altai' },
    },
    response: { status: 202, location: '/admin/users/:id/erasure', data: erasureResponse },
    errors: [
      'password_confirmation_failed',
      'second_factor_required',
      'second_factor_failed',
      'own_account',
      'target_is_administrator',
      'invalid_state',
      'erasure_blocked',
    ],
    async handler({ platform, principal, caller, params, body, signal }) {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const { id: userId } = params;
      const request = { userId, waitMs: waitOf(platform), reason: body.reason };
      await commit(platform, confirmed, (ctx) => requestErasureOf(ctx, request));
      return accepted(presentErasure(await viewErasure(platform, userId)), `/admin/users/${userId}/erasure`);
    },
  }),
  defineRoute({
    name: 'withdrawErasureOf',
    method: 'DELETE',
    path: '/admin/users/:id/erasure',
    access: access.inBrowser(access.administrator('admin:write')),
    tag: administration,
    summary: 'Withdraw the erasure of an account',
    description: 'Until the instant at which it is due. The owner is notified.',
    request: { params: idParams },
    response: { data: erasureResponse },
    errors: ['invalid_state'],
    async handler({ platform, caller, params }) {
      await commit(platform, caller, (ctx) => withdrawErasure(ctx, params.id));
      return ok(presentErasure(await viewErasure(platform, params.id)));
    },
  }),
];

function waitOf({ config }: Platform): number {
  return config.ERASURE_WAIT_DAYS * dayMs;
}

/** @throws {DomainError} not_found */
async function viewErasure(platform: Platform, userId: number): Promise<ErasureView> {
  const { extensions, config } = platform;
  return query(platform, async (db) => {
    const user = await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
    if (!user) throw new DomainError('not_found');
    const erasure = await findErasure(db, userId);
    const counts = await countRecords(db, extensions, userId);
    const blockedBy = await findBlockers(db, extensions, userId);
    const agreementsUntil = await agreementsEndAt(db, userId, config.RETENTION_AGREEMENTS_YEARS);
    return { erasure, counts, blockedBy, agreementsUntil };
  });
}
