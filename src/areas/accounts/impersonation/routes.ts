import { DomainError } from '../../../errors.ts';
import { access, impersonationOf } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/command.ts';
import { requirePassword } from '../passwords/confirm-password.ts';
import { requireSession } from '../sessions/session-of.ts';
import { impersonationBody, presentSession, sessionResponse } from '../wire.ts';
import { impersonate } from './impersonate.ts';
import { stopImpersonation } from './stop-impersonation.ts';

const tag = 'Administration';

/** Routes that begin and end an impersonation (ACC-13). */
export const impersonationRoutes: Route[] = [
  defineRoute({
    name: 'impersonate',
    method: 'POST',
    path: '/admin/impersonate',
    access: access.inBrowser(access.administrator('admin:write')),
    tag,
    summary: 'Open the account of a user in this browser',
    description:
      "For an hour, with the rights of that user and none of one's own. The session and the CSRF token are renewed. " +
      "Ends with `POST /auth/impersonation/stop`, after its hour, with the role of the administrator, and when either account is blocked: the session is then the administrator's own again. Whatever is done meanwhile stands in the audit with both ids. " +
      'The administration, passwords, API keys, the link to the bot and the consent to show documents answer 403 `forbidden_while_impersonating`.',
    request: { body: impersonationBody },
    response: { data: sessionResponse },
    errors: ['password_confirmation_failed', 'not_found', 'cannot_impersonate'],
    async handler({ principal, body, caller, platform, cookies, gone }) {
      const { user: administrator } = principal;
      const { id: former } = requireSession(principal);
      await requirePassword(platform, administrator.id, body.password, { ip: caller.ip, gone });
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
    access: access.impersonator,
    tag,
    summary: "Go back to the administrator's own account",
    description:
      'The session and the CSRF token are renewed. When nobody is impersonated in this session, or the impersonation is over already: 409 `invalid_state`, and nothing changes.',
    response: { data: sessionResponse },
    errors: ['invalid_state'],
    async handler({ principal, caller, platform, cookies }) {
      const impersonation = impersonationOf(principal);
      if (impersonation === null) throw new DomainError('invalid_state', undefined, 'Nobody is impersonated in this session.');
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
