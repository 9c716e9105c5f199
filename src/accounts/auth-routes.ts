import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { accepted, created, ok } from '../http/reply.ts';
import { read, runCommand } from '../platform/command.ts';
import { afterAnswer } from './after-answer.ts';
import { changePassword } from './change-password.ts';
import { requirePassword } from './confirm-password.ts';
import { recoveryLetter } from './letters.ts';
import { checkCredentials, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { hashPassword } from './password-hash.ts';
import { presentSession } from './presenter.ts';
import { registerAccount } from './register-account.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { findOpenReset, resetPassword } from './reset-password.ts';
import { acceptedOut, forgotBody, loginBody, passwordBody, registerBody, resetBody, resetOut, sessionOut } from './schemas.ts';
import { requireSession } from './session-of.ts';
import { requireCaptcha } from './use-captcha.ts';

const tag = 'Accounts';

/** Opening an account, signing in and out, passwords (decisions.md §2). */
export const authRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/auth/register',
    access: access.session,
    tag,
    summary: 'Open an account',
    description: 'Signs the browser in: its session is renewed, its CSRF token stays good.',
    request: { body: registerBody },
    response: { status: 201, data: sessionOut },
    errors: ['captcha_failed', 'email_taken'],
    async handler({ principal, body, caller, platform, cookies }) {
      const { id: former, csrfToken } = requireSession(principal);
      await requireCaptcha(platform, caller, {
        sessionId: former,
        purpose: 'register',
        captchaId: body.captcha_id,
        answer: body.captcha_answer,
      });
      const passwordHash = await hashPassword(body.password);
      const registration = { email: body.email, passwordHash, name: body.name, phone: body.phone ?? null, former, csrfToken };
      const { user, session } = await runCommand(platform, caller, (ctx) => registerAccount(ctx, registration));
      cookies.set(session.token);
      return created(presentSession(session.csrfToken, user));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/login',
    access: access.session,
    tag,
    summary: 'Sign in',
    description: 'The session and the CSRF token are renewed. An unknown e-mail and a wrong password get the same answer in the same time.',
    request: { body: loginBody },
    response: { data: sessionOut },
    errors: ['invalid_credentials', 'account_blocked'],
    async handler({ principal, body, caller, platform, cookies }) {
      const { id: former } = requireSession(principal);
      const proven = await checkCredentials(platform, { email: body.email, password: body.password, ip: caller.ip });
      const { user, session } = await runCommand(platform, caller, (ctx) => logIn(ctx, { proven, former }));
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, user));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/logout',
    access: access.session,
    tag,
    summary: 'Sign out',
    description: 'The session and the CSRF token are renewed.',
    response: { data: sessionOut },
    async handler({ principal, caller, platform, cookies }) {
      const former = requireSession(principal);
      const session = await runCommand(platform, caller, (ctx) => logOut(ctx, former));
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, null));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/forgot',
    access: access.session,
    tag,
    summary: 'Ask for a new password',
    description:
      'If there is such an account, a link that works once, for 30 minutes, is mailed to it. The answer is the same if there is none.',
    request: { body: forgotBody },
    response: { status: 202, data: acceptedOut },
    errors: ['captcha_failed'],
    async handler({ principal, body, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      await requireCaptcha(platform, caller, { sessionId, purpose: 'forgot', captchaId: body.captcha_id, answer: body.captcha_answer });
      afterAnswer(platform, caller.requestId, 'mailing a recovery link', async () => {
        const link = await runCommand(platform, caller, (ctx) => requestPasswordReset(ctx, body.email));
        if (link) await platform.mailer.send(recoveryLetter(platform.config, link));
      });
      return accepted({ accepted: true as const });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/reset',
    access: access.session,
    tag,
    summary: 'Set a new password by the link of the letter',
    description: 'Ends every session of the account.',
    request: { body: resetBody },
    response: { data: resetOut },
    errors: ['token_invalid'],
    async handler({ body, caller, platform }) {
      const { token } = body;
      // Looked up before the hashing, so that guesses cost us nothing; what counts is the look under the lock.
      await read(platform, (em, now) => findOpenReset(em, token, now));
      const passwordHash = await hashPassword(body.password);
      await runCommand(platform, caller, (ctx) => resetPassword(ctx, { token, passwordHash }));
      return ok({ password_changed: true as const });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/password',
    access: access.browser,
    tag,
    summary: 'Change the password',
    description: 'Ends every other session of the account; this one and its CSRF token are renewed.',
    request: { body: passwordBody },
    response: { data: sessionOut },
    errors: ['password_confirmation_failed'],
    async handler({ principal, body, caller, platform, cookies }) {
      const { user } = principal;
      await requirePassword(platform, user.id, body.current_password);
      const passwordHash = await hashPassword(body.password);
      const session = await runCommand(platform, caller, (ctx) => changePassword(ctx, { userId: user.id, passwordHash }));
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, user));
    },
  }),
];
