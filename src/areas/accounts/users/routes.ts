import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage, ok } from '../../../http/response/reply.ts';
import { cappedListMeta, deleted, idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import { accessMail, secondFactorMail } from '../mails.ts';
import { confirmInPerson } from '../second-factor/confirm-in-person.ts';
import { changeUser } from './change-user.ts';
import { findListedUser, listUsers } from './list-users.ts';
import { removeLostSecondFactor } from './remove-lost-second-factor.ts';
import * as wire from './wire.ts';

const tag = 'Administration';

/** Administrators' routes for accounts. */
export const userRoutes: Route[] = [
  defineRoute({
    name: 'listUsers',
    method: 'GET',
    path: '/admin/users',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the accounts, newest first',
    description:
      'A search matches beginnings of words: `aig` finds aigerim@example.kz, `gerim` does not. It matches a telephone number with and without its country code. `meta.total` is exact. With `q` it is exact up to 10,000; above that it is 10,000 and `meta.total_is_capped` is true.',
    request: { query: wire.usersQuery },
    response: { data: z.array(wire.listedUserResponse), meta: cappedListMeta },
    handler: async ({ platform, query: filter }) => {
      const { users, total, isTotalCapped } = await query(platform, (db, now) => listUsers(db, filter, now));
      return cappedPage(users.map(wire.presentListedUser), { total, isTotalCapped }, filter);
    },
  }),
  defineRoute({
    name: 'changeUser',
    method: 'PATCH',
    path: '/admin/users/:id',
    access: access.inBrowser(access.administrator('admin:write')),
    tag,
    summary: 'Block or unblock an account, or change its role',
    description:
      'Ends all sessions of the account; the owner receives a mail. The API keys of a blocked account are refused until it is unblocked. An API key loses the scopes that the role of its owner loses. A change without effect does nothing. Administrators cannot change their own account (409 `own_account`), so one administrator always remains. An account whose address is not confirmed cannot become an administrator (409 `email_not_confirmed`).',
    request: { params: idParams, body: wire.userChangeBody, example: { status: 'blocked', password: 'Tulpar-1994-Altai' } },
    response: { data: wire.listedUserResponse },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'own_account', 'email_not_confirmed'],
    handler: async ({ principal, params, body, caller, platform, signal }) => {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const { role, status } = body;
      const mail = await commit(platform, confirmed, async (ctx) => {
        const change = await changeUser(ctx, { userId: params.id, role, status });
        return change && accessMail(platform, change);
      });
      mailAfterAnswer(platform, caller.requestId, 'mailing a change of an account', mail);
      const user = await query(platform, (db, now) => findListedUser(db, params.id, now));
      if (!user) throw new DomainError('not_found');
      return ok(wire.presentListedUser(user));
    },
  }),
  defineRoute({
    name: 'removeLostSecondFactor',
    method: 'DELETE',
    path: '/admin/users/:id/second-factor',
    access: access.inBrowser(access.administrator('admin:write')),
    tag,
    summary: 'Remove the lost second factor of another account',
    description: 'Ends all sessions of the account; the owner receives a mail. An own one answers 409 `own_account`.',
    request: {
      params: idParams,
      body: wire.lostFactorBody,
      example: { reason: 'Телефон потерян, личность подтверждена по видео.', password: 'Tulpar-1994-Altai' },
    },
    response: { data: deleted },
    errors: ['password_confirmation_failed', 'second_factor_required', 'second_factor_failed', 'own_account', 'invalid_state'],
    async handler({ principal, params, body, caller, platform, signal }) {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const mail = await commit(platform, confirmed, async (ctx) => {
        const user = await removeLostSecondFactor(ctx, { userId: params.id, reason: body.reason });
        return secondFactorMail(platform, user, { what: 'removed_by_federation', at: ctx.now });
      });
      mailAfterAnswer(platform, caller.requestId, 'mailing a removed second factor', mail);
      return ok({ deleted: true as const });
    },
  }),
];
