import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/commands/command.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import { rememberAddress } from '../attempt-limits.ts';
import { requireCaptcha } from '../captcha/use-captcha.ts';
import { confirmationMail, newNetworkMail } from '../mails.ts';
import { hashPassword } from '../password-hash.ts';
import { readUserAgent, requireSession } from '../sessions/browser-session.ts';
import { presentSession, presentWaitingSession, sessionResponse } from '../wire.ts';
import { checkCredentials, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { registerAccount } from './register-account.ts';
import { loginBody, registerBody } from './wire.ts';

const tag = 'Accounts';

/** Routes for registration, login and logout. */
export const loginRoutes: Route[] = [
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
      body: registerBody,
      example: {
        email: 'aigerim@example.kz',
        password: 'Tulpar-1994-Altai',
        name: 'Айгерім Серікбаева',
        phone: '+7 701 123 45 67',
        captcha_id: '0b5d7a9e-4c1f-4e83-a6d2-9f3b8c7e1d50',
        captcha_answer: 'K7MPX',
      },
    },
    response: { status: 201, location: '/account', data: sessionResponse },
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
      return created(presentSession(session.csrfToken, user), '/account');
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
    request: { body: loginBody, example: { email: 'aigerim@example.kz', password: 'Tulpar-1994-Altai' } },
    response: { data: sessionResponse },
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
      return ok(user.secondFactor ? presentWaitingSession(session.csrfToken) : presentSession(session.csrfToken, user));
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
    response: { data: sessionResponse },
    async handler({ principal, caller, platform, cookies }) {
      const former = requireSession(principal);
      const session = await commit(platform, caller, (ctx) => logOut(ctx, former));
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, null));
    },
  }),
];
