import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { accepted, created, ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/command.ts';
import { afterAnswer } from '../after-answer.ts';
import { countAttempt, resetsFrom, resetsOf, recordAttempt } from '../attempt-limits.ts';
import { requireCaptcha } from '../captcha/use-captcha.ts';
import { passwordMail, recoveryMail } from '../mails.ts';
import { changePassword, mailPasswordChange } from '../passwords/change-password.ts';
import { requirePassword } from '../passwords/confirm-password.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import { requestPasswordReset } from '../passwords/request-password-reset.ts';
import { useRecoveryLink } from '../passwords/reset-password.ts';
import {
  acceptedResponse,
  forgotBody,
  loginBody,
  passwordBody,
  presentSession,
  registerBody,
  resetBody,
  resetResponse,
  sessionResponse,
} from '../wire.ts';
import { rememberAddress } from './known-address.ts';
import { checkCredentials, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { registerAccount } from './register-account.ts';
import { requireSession } from './session-of.ts';

const tag = 'Accounts';

/** Routes for registration, login, logout and passwords. */
export const authRoutes: Route[] = [
  defineRoute({
    name: 'registerAccount',
    method: 'POST',
    path: '/auth/register',
    access: access.session,
    tag,
    summary: 'Register an account',
    description: 'Signs the browser in: the session id and the CSRF token are renewed.',
    request: { body: registerBody },
    response: { status: 201, location: '/account', data: sessionResponse },
    links: { getAccount: {} },
    errors: ['captcha_failed', 'email_taken'],
    async handler({ principal, body, caller, platform, cookies, gone }) {
      const { id: former } = requireSession(principal);
      await requireCaptcha(platform, caller, former, 'register', body);
      const passwordHash = await hashPassword(body.password, { ip: caller.ip, gone });
      const registration = { email: body.email, passwordHash, name: body.name, phone: body.phone ?? null, former };
      const { user, session } = await commit(platform, caller, (ctx) => registerAccount(ctx, registration));
      await rememberAddress(platform, body.email, caller.ip);
      cookies.set(session.token);
      return created(presentSession(session.csrfToken, user), '/account');
    },
  }),
  defineRoute({
    name: 'logIn',
    method: 'POST',
    path: '/auth/login',
    access: access.session,
    tag,
    summary: 'Sign in',
    description:
      'The session id and the CSRF token are renewed; an impersonation in the session ends. An unknown e-mail and a wrong password get the same answer in the same time. Attempts are limited by address, by account and by both. Attempts from other addresses do not block an address from which the account signed in before.',
    request: { body: loginBody },
    response: { data: sessionResponse },
    errors: ['invalid_credentials', 'account_blocked'],
    async handler({ principal, body, caller, platform, cookies, gone }) {
      const { id: former } = requireSession(principal);
      const proven = await checkCredentials(platform, { email: body.email, password: body.password, ip: caller.ip, gone });
      const { user, session } = await commit(platform, caller, (ctx) => logIn(ctx, { proven, former }));
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, user));
    },
  }),
  defineRoute({
    name: 'logOut',
    method: 'POST',
    path: '/auth/logout',
    access: access.session,
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
  defineRoute({
    name: 'requestPasswordReset',
    method: 'POST',
    path: '/auth/forgot',
    access: access.session,
    tag,
    summary: 'Request a recovery link for a new password',
    description:
      'If the account exists, it receives a mail with a link that works once within 30 minutes. The answer is the same for an unknown account and for an account that has reached its limit of mails an hour; the last link then stays valid.',
    request: { body: forgotBody },
    response: { status: 202, data: acceptedResponse },
    errors: ['captcha_failed'],
    async handler({ principal, body, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      await countAttempt(platform, resetsFrom(platform.config, caller.ip));
      await requireCaptcha(platform, caller, sessionId, 'forgot', body);
      afterAnswer(platform, caller.requestId, 'mailing a recovery link', async () => {
        const ofAccount = resetsOf(platform.config, body.email);
        if ((await recordAttempt(platform, ofAccount)).count > ofAccount.limit) return;
        const link = await commit(platform, caller, (ctx) => requestPasswordReset(ctx, body.email));
        if (link) await platform.mailer.send(recoveryMail(platform.config, link));
      });
      return accepted({ accepted: true as const });
    },
  }),
  defineRoute({
    name: 'resetPassword',
    method: 'POST',
    path: '/auth/reset',
    access: access.inPerson(access.session),
    tag,
    summary: 'Set a new password with a recovery link',
    description:
      'Ends every session of the account and, without `keep_api_keys`, revokes its API keys. The owner receives a mail that also names the kept keys.',
    request: { body: resetBody },
    response: { data: resetResponse },
    errors: ['token_invalid'],
    async handler({ body, caller, platform, gone }) {
      await useRecoveryLink(platform, caller, body, gone);
      return ok({ password_changed: true as const });
    },
  }),
  defineRoute({
    name: 'changePassword',
    method: 'POST',
    path: '/auth/password',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Change the password',
    description:
      'Ends every other session of the account and, without `keep_api_keys`, revokes its API keys. The owner receives a mail that also names the kept keys. The id and the CSRF token of this session are renewed.',
    request: { body: passwordBody },
    response: { data: sessionResponse },
    errors: ['password_confirmation_failed'],
    async handler({ principal, body, caller, platform, cookies, gone }) {
      const { user } = principal;
      const asker = { ip: caller.ip, gone };
      await requirePassword(platform, user.id, body.current_password, asker);
      const passwordHash = await hashPassword(body.password, { ...asker, knownAs: String(user.id) });
      const wanted = { userId: user.id, passwordHash, keepApiKeys: body.keep_api_keys };
      const { session, mail } = await commit(platform, caller, async (ctx) => {
        const changed = await changePassword(ctx, wanted);
        return { session: changed.session, mail: passwordMail(platform.config, changed.change, 'password') };
      });
      mailPasswordChange(platform, caller, mail);
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, user));
    },
  }),
];
