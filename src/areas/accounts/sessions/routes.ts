import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access, impersonationOf } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok, page } from '../../../http/response/reply.ts';
import { deleted, idParams, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { authorizeReading } from '../../audit/index.ts';
import { countAttempt, sessionsFrom } from '../attempt-limits.ts';
import { presentSession, presentWaitingSession, sessionResponse } from '../wire.ts';
import { requireSession, sessionOf } from './browser-session.ts';
import { endOtherSessions } from './end-other-sessions.ts';
import { endSession } from './end-session.ts';
import { listSessions } from './list-sessions.ts';
import { startSession } from './start-session.ts';
import { listedSessionResponse, presentListedSession, presentUserSession, sessionParams, userSessionResponse } from './wire.ts';

const tag = 'Accounts';

/** Routes for the browser's session and the lists of an account's sessions (ACC-26, ADM-7). */
export const sessionRoutes: Route[] = [
  defineRoute({
    name: 'getSession',
    method: 'GET',
    path: '/session',
    access: access.beforeSecondFactor(access.session),
    renewsSession: true,
    tag: 'Session, captcha, public',
    summary: 'Start or read the browser session',
    description:
      'Without a session cookie it starts a session and sets the cookie. A session ends after 12 hours without use and after 30 days.',
    response: { data: sessionResponse },
    async handler({ principal, caller, platform, cookies }) {
      const session = sessionOf(principal);
      const user = principal.kind === 'signed_in' ? principal.user : null;
      if (session && session.waitingUserId !== null) return ok(presentWaitingSession(session.csrfToken));
      if (session) return ok(presentSession(session.csrfToken, user, impersonationOf(principal)));
      await countAttempt(platform, sessionsFrom(platform.config, caller.ip));
      const started = await commit(platform, caller, (ctx) => startSession(ctx, { userId: null, former: null }));
      cookies.set(started.token);
      return ok(presentSession(started.csrfToken, null));
    },
  }),
  defineRoute({
    name: 'listSessions',
    method: 'GET',
    path: '/account/sessions',
    access: access.inPerson(access.browser),
    tag,
    summary: 'List the browser sessions of the account',
    description: 'Newest first; without expired ones.',
    request: { query: pagingQuery },
    response: { data: z.array(listedSessionResponse), meta: listMeta },
    links: { endOtherSessions: {} },
    async handler({ principal, query: paging, platform }) {
      const { id: currentId } = requireSession(principal);
      const { rows, total } = await query(platform, (db) => listSessions(db, principal.user.id, paging));
      return page(
        rows.map((session) => presentListedSession(session, currentId)),
        total,
        paging,
      );
    },
  }),
  defineRoute({
    name: 'endSession',
    method: 'DELETE',
    path: '/account/sessions/:id',
    access: access.inPerson(access.browser),
    tag,
    summary: 'End a browser session of the account',
    description: 'Its live streams end within five seconds. The current session may end itself, which signs the browser out.',
    request: { params: sessionParams },
    response: { data: deleted },
    async handler({ principal, params: { id }, caller, platform, cookies }) {
      const { id: currentId } = requireSession(principal);
      await commit(platform, caller, (ctx) => endSession(ctx, { userId: principal.user.id, currentId, id }));
      if (id === currentId) cookies.clear();
      return ok({ deleted: true as const });
    },
  }),
  defineRoute({
    name: 'endOtherSessions',
    method: 'DELETE',
    path: '/account/sessions',
    access: access.inPerson(access.browser),
    tag,
    summary: 'End all browser sessions of the account but this one',
    description: 'Their live streams end within five seconds. API keys stay valid.',
    response: { data: deleted },
    async handler({ principal, caller, platform }) {
      const { id: currentId } = requireSession(principal);
      await commit(platform, caller, (ctx) => endOtherSessions(ctx, { userId: principal.user.id, currentId }));
      return ok({ deleted: true as const });
    },
  }),
  defineRoute({
    name: 'listUserSessions',
    method: 'GET',
    path: '/admin/users/:id/sessions',
    access: access.administrator('admin:read'),
    tag: 'Administration',
    summary: 'List the browser sessions of an account',
    description: 'Newest first; without expired ones. The read of another account is audited.',
    request: { params: idParams, query: pagingQuery },
    response: { data: z.array(userSessionResponse), meta: listMeta },
    handler: ({ principal, caller, params: { id }, query: paging, platform }) =>
      query(platform, async (db, now) => {
        const user = await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst();
        if (user === undefined) throw new DomainError('not_found');
        await authorizeReading({ principal, caller, db, now }, { kind: 'user', id }, id, 'sessions');
        const { rows, total } = await listSessions(db, id, paging);
        return page(rows.map(presentUserSession), total, paging);
      }),
  }),
];
