import { z } from 'zod';
import { access, impersonationOf } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { deleted, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import { countAttempt, rememberAddress, sessionsFrom } from '../attempt-limits.ts';
import { requireCaptcha } from '../captcha/use-captcha.ts';
import { confirmationMail, newNetworkMail } from '../mails.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import * as wire from '../wire.ts';
import { readUserAgent, requireSession, sessionOf } from './browser-session.ts';
import { endOtherSessions } from './end-other-sessions.ts';
import { endSession } from './end-session.ts';
import { listSessions } from './list-sessions.ts';
import { checkCredentials, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { registerAccount } from './register-account.ts';
import { startSession } from './start-session.ts';
import { listedSessionResponse, presentListedSession, sessionParams } from './wire.ts';

const tag = 'Accounts';

/** Routes for the browser's session, registration, login and logout, and the list of an account's sessions (ACC-26). */
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
    response: { data: wire.sessionResponse },
    async handler({ principal, caller, platform, cookies }) {
      const session = sessionOf(principal);
      const user = principal.kind === 'signed_in' ? principal.user : null;
      if (session && session.waitingUserId !== null) return ok(wire.presentWaitingSession(session.csrfToken));
      if (session) return ok(wire.presentSession(session.csrfToken, user, impersonationOf(principal)));
      await countAttempt(platform, sessionsFrom(platform.config, caller.ip));
      const started = await commit(platform, caller, (ctx) => startSession(ctx, { userId: null, former: null }));
      cookies.set(started.token);
      return ok(wire.presentSession(started.csrfToken, null));
    },
  }),
  defineRoute({
    name: 'registerAccount',
    method: 'POST',
    path: '/auth/register',
    access: access.session,
    renewsSession: true,
    tag,
    summary: 'Register an account',
    description:
      'Signs the browser in: the session id and the CSRF token are renewed. The address receives a mail with a link that confirms it within 24 hours; until then the account works and gets no other mails.',
    request: {
      body: wire.registerBody,
      example: {
        email: 'aigerim@example.kz',
        password: 'Tulpar-1994-Altai',
        name: 'Айгерім Серікбаева',
        phone: '+7 701 123 45 67',
        captcha_id: '0b5d7a9e-4c1f-4e83-a6d2-9f3b8c7e1d50',
        captcha_answer: 'K7MPX',
      },
    },
    response: { status: 201, location: '/account', data: wire.sessionResponse },
    links: { getAccount: {} },
    errors: ['captcha_failed', 'email_taken'],
    async handler({ principal, body, caller, platform, cookies, header, signal }) {
      const { id: former } = requireSession(principal);
      await requireCaptcha(platform, caller, former, 'register', body);
      const passwordHash = await hashPassword(body.password, { ip: caller.ip, signal });
      const { email, name, phone = null } = body;
      const registration = { email, passwordHash, name, phone, former, userAgent: readUserAgent(header) };
      const { user, session, link } = await commit(platform, caller, (ctx) => registerAccount(ctx, registration));
      await rememberAddress(platform, email, caller.ip);
      mailAfterAnswer(platform, caller.requestId, 'mailing a confirmation link', confirmationMail(platform, link));
      cookies.set(session.token);
      return created(wire.presentSession(session.csrfToken, user), '/account');
    },
  }),
  defineRoute({
    name: 'logIn',
    method: 'POST',
    path: '/auth/login',
    access: access.session,
    renewsSession: true,
    tag,
    summary: 'Sign in',
    description:
      'The session id and the CSRF token are renewed; an impersonation in the session ends. An unknown e-mail and a wrong password get the same answer in the same time. Attempts are limited by address, by account and by both. Attempts from other addresses do not block an address from which the account signed in before. A login from a network that the account did not use for 30 days is mailed to the owner. Where the account has a second factor, the answer has `second_factor_required: true` and no user: until `POST /auth/second-factor` the session can only read itself and log out (403 `second_factor_required`), and it ends after five minutes.',
    request: { body: wire.loginBody, example: { email: 'aigerim@example.kz', password: 'Tulpar-1994-Altai' } },
    response: { data: wire.sessionResponse },
    links: { completeLogin: {} },
    errors: ['invalid_credentials', 'account_blocked'],
    async handler({ principal, body, caller, platform, cookies, header, signal }) {
      const { id: former } = requireSession(principal);
      const proven = await checkCredentials(platform, { email: body.email, password: body.password, ip: caller.ip, signal });
      const { user, session, mail } = await commit(platform, caller, async (ctx) => {
        const loggedIn = await logIn(ctx, { proven, former, userAgent: readUserAgent(header) });
        const { isFromNewNetwork } = proven;
        return { ...loggedIn, mail: isFromNewNetwork ? newNetworkMail(platform, loggedIn.user, ctx) : null };
      });
      mailAfterAnswer(platform, caller.requestId, 'mailing a login from a new network', mail);
      cookies.set(session.token);
      return ok(user.secondFactor ? wire.presentWaitingSession(session.csrfToken) : wire.presentSession(session.csrfToken, user));
    },
  }),
  defineRoute({
    name: 'logOut',
    method: 'POST',
    path: '/auth/logout',
    access: access.beforeSecondFactor(access.session),
    renewsSession: true,
    tag,
    summary: 'Sign out',
    description: 'The session id and the CSRF token are renewed. During an impersonation the administrator is signed out, not the user.',
    response: { data: wire.sessionResponse },
    async handler({ principal, caller, platform, cookies }) {
      const former = requireSession(principal);
      const session = await commit(platform, caller, (ctx) => logOut(ctx, former));
      cookies.set(session.token);
      return ok(wire.presentSession(session.csrfToken, null));
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
];
