import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access, impersonationOf } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { id } from '../../../http/schemas.ts';
import { commit } from '../../../platform/commands/command.ts';
import { confirmInPerson } from '../second-factor/confirm-in-person.ts';
import { requireSession } from '../sessions/browser-session.ts';
import { confirmation, presentSession, sessionResponse } from '../wire.ts';
import { impersonate } from './impersonate.ts';
import { stopImpersonation } from './stop-impersonation.ts';

const tag = 'Administration';

const impersonationBody = z.strictObject({ user_id: id, ...confirmation }).meta({ id: 'NewImpersonation' });

/** Routes that begin and end an impersonation (ACC-13). */
export const impersonationRoutes: Route[] = [
  defineRoute({
    name: 'impersonate',
    method: 'POST',
    path: '/admin/impersonate',
    access: access.inBrowser(access.administrator('admin:write')),
    renewsSession: true,
    tag,
    summary: 'Impersonate a user in this browser session',
    description:
      'Lasts one hour. The session has only the rights of that user. The session id and the CSRF token are renewed. The impersonation ends with `POST /auth/impersonation/stop`, after one hour, when the administrator loses the role, and when either account is blocked. The session then belongs to the administrator again. The audit records each action with both ids. ' +
      'Administration, passwords, API keys, the bot link and the consent to share documents answer 403 `forbidden_while_impersonating`.',
    request: { body: impersonationBody, example: { user_id: 4, password: 'Tulpar-1994-Altai' } },
    response: { data: sessionResponse },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'not_found', 'cannot_impersonate'],
    async handler({ principal, body, caller, platform, cookies, signal }) {
      const { user: administrator } = principal;
      const { id: former } = requireSession(principal);
      // Not bound to the session, which the command ends: it checks the session itself.
      await confirmInPerson(platform, { principal, caller, signal }, body);
      const wanted = { administratorId: administrator.id, userId: body.user_id, former };
      const { token, shown } = await commit(platform, caller, async (ctx) => {
        const { session, user, startedAt, expiresAt } = await impersonate(ctx, wanted);
        return { token: session.token, shown: presentSession(session.csrfToken, user, { administrator, startedAt, expiresAt }) };
      });
      cookies.set(token);
      return ok(shown);
    },
  }),
  defineRoute({
    name: 'stopImpersonation',
    method: 'POST',
    path: '/auth/impersonation/stop',
    access: access.beforeSecondFactor(access.impersonator),
    renewsSession: true,
    tag,
    summary: 'End an impersonation',
    description:
      "The session returns to the administrator's own account. The session id and the CSRF token are renewed. A session without an impersonation answers 409 `invalid_state`.",
    response: { data: sessionResponse },
    errors: ['invalid_state'],
    async handler({ principal, caller, platform, cookies }) {
      const impersonation = impersonationOf(principal);
      if (impersonation === null) throw new DomainError('invalid_state', undefined, 'This session has no impersonation.');
      const wanted = { administratorId: impersonation.administrator.id, former: requireSession(principal).id };
      const { token, shown } = await commit(platform, caller, async (ctx) => {
        const { session, administrator } = await stopImpersonation(ctx, wanted);
        return { token: session.token, shown: presentSession(session.csrfToken, administrator, null) };
      });
      cookies.set(token);
      return ok(shown);
    },
  }),
];
