import { randomUUID } from 'node:crypto';
import { required } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { access, type BrowserSession, impersonationOf, type Principal } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { accepted, created, ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/commands/command.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { secretsIn } from '../../../platform/secrets/secret-list.ts';
import { afterAnswer, mailAfterAnswer } from '../after-answer.ts';
import {
  captchasFrom,
  captchasOf,
  countAttempt,
  recordAttempt,
  rememberAddress,
  resetsFrom,
  resetsOf,
  sessionsFrom,
} from '../attempt-limits.ts';
import { drawCaptcha, pickCaptchaText, issueCaptcha } from '../captcha/issue-captcha.ts';
import { hashCaptchaAnswer, requireCaptcha } from '../captcha/use-captcha.ts';
import { receiveContactMessage } from '../contact/receive-contact-message.ts';
import { confirmationMail, contactMail, newNetworkMail, passwordMail, recoveryMail } from '../mails.ts';
import { changePassword, mailPasswordChange } from '../passwords/change-password.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import { requestPasswordReset } from '../passwords/request-password-reset.ts';
import { useRecoveryLink } from '../passwords/reset-password.ts';
import { confirmInPerson } from '../second-factor/confirm-in-person.ts';
import { updateAccount } from '../users/update-account.ts';
import * as wire from '../wire.ts';
import { checkCredentials, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { registerAccount } from './register-account.ts';
import { startSession } from './start-session.ts';

const sessionTag = 'Session, captcha, public';

/** Routes for the browser's session, captchas, the contact form and the caller's account. */
export const sessionRoutes: Route[] = [
  defineRoute({
    name: 'getSession',
    method: 'GET',
    path: '/session',
    access: access.beforeSecondFactor(access.session),
    renewsSession: true,
    tag: sessionTag,
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
    name: 'getCaptcha',
    method: 'GET',
    path: '/captcha',
    access: access.session,
    tag: sessionTag,
    summary: 'Get a new captcha for a form',
    description:
      'A captcha has five characters, is valid for ten minutes, and for one use in this session and this form. A new one replaces the previous one.',
    request: { query: wire.captchaQuery },
    response: { data: wire.captchaResponse },
    errors: ['unauthenticated'],
    async handler({ principal, query, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      // The session first: a browser above its limit does not use up the limit of its address.
      await countAttempt(platform, captchasOf(platform.config, sessionId));
      await countAttempt(platform, captchasFrom(platform.config, caller.ip));
      const id = randomUUID();
      const text = pickCaptchaText();
      const png = await drawCaptcha(text);
      const answerHash = hashCaptchaAnswer(secretsIn(required(platform.config, 'SESSION_SECRET'))[0], id, text);
      const captcha = await commit(platform, caller, (ctx) => issueCaptcha(ctx, { id, sessionId, purpose: query.purpose, answerHash }));
      return ok(wire.presentCaptcha(captcha, png));
    },
  }),
  defineRoute({
    name: 'sendContactMessage',
    method: 'POST',
    path: '/contact',
    access: access.session,
    tag: sessionTag,
    summary: 'Send a message to the federation',
    description: "The message appears in the administrators' queue and is mailed to the administrator's address.",
    request: {
      body: wire.contactBody,
      example: {
        name: 'Данияр Ахметов',
        email: 'daniyar@example.kz',
        message: 'Как получить лицензию судьи?',
        captcha_id: '0b5d7a9e-4c1f-4e83-a6d2-9f3b8c7e1d50',
        captcha_answer: 'K7MPX',
      },
    },
    response: { status: 201, location: '/contact/:id', data: wire.contactResponse },
    errors: ['captcha_failed'],
    async handler({ principal, body, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      await requireCaptcha(platform, caller, sessionId, 'contact', body);
      const { name, email, message } = body;
      const received = await commit(platform, caller, (ctx) => receiveContactMessage(ctx, { name, email, message }));
      afterAnswer(platform, caller.requestId, 'mailing a contact message', () => platform.mailer.send(contactMail(platform, received)));
      // The sender cannot read this address; administrators find the message in their queue.
      return created({ id: received.id, created_at: formatDateTime(received.createdAt) }, `/contact/${received.id}`);
    },
  }),
  defineRoute({
    name: 'getAccount',
    method: 'GET',
    path: '/account',
    access: access.account,
    tag: sessionTag,
    summary: "Get the caller's account, scopes, session or API key",
    response: { data: wire.accountResponse },
    async handler({ principal }) {
      return ok(wire.presentAccount(principal));
    },
  }),
  defineRoute({
    name: 'updateAccount',
    method: 'PATCH',
    path: '/account',
    access: access.scope('notifications:write'),
    tag: sessionTag,
    summary: "Set the language of the account's notifications and mails",
    description:
      'All notifications are shown in this language, also earlier ones. Mails and bot messages use the language at the time of sending. Text that people wrote, such as a note on a decision, is not translated.',
    request: { body: wire.accountBody, example: { language: 'kk' } },
    response: { data: wire.accountResponse },
    async handler({ principal, body, caller, platform }) {
      const language = await commit(
        platform,
        caller,
        async (ctx) => (await updateAccount(ctx, { userId: principal.user.id, ...body })).language,
      );
      return ok(wire.presentAccount({ ...principal, user: { ...principal.user, language } }));
    },
  }),
];

/** Returns the browser session of a request; null for a request without one. */
export function sessionOf(principal: Principal): BrowserSession | null {
  if (principal.kind === 'anonymous_session') return principal.session;
  return principal.kind === 'signed_in' && principal.by.kind === 'session' ? principal.by.session : null;
}

/** Returns the browser session of a request. @throws {DomainError} unauthenticated, for a request without one */
export function requireSession(principal: Principal): BrowserSession {
  const session = sessionOf(principal);
  if (!session) throw new DomainError('unauthenticated', undefined, 'Call GET /session first: there is no browser session.');
  return session;
}

const tag = 'Accounts';

/** Routes for registration, login, logout and passwords. */
export const authRoutes: Route[] = [
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
    name: 'requestPasswordReset',
    method: 'POST',
    path: '/auth/forgot',
    access: access.session,
    tag,
    summary: 'Request a recovery link for a new password',
    description:
      'If the account exists, it receives a mail with a link that works once within 30 minutes. The answer is the same for an unknown account and for an account that has reached its limit of mails an hour; the last link then stays valid.',
    request: {
      body: wire.forgotBody,
      example: { email: 'aigerim@example.kz', captcha_id: '0b5d7a9e-4c1f-4e83-a6d2-9f3b8c7e1d50', captcha_answer: 'K7MPX' },
    },
    response: { status: 202, data: wire.acceptedResponse },
    errors: ['captcha_failed'],
    async handler({ principal, body, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      await countAttempt(platform, resetsFrom(platform.config, caller.ip));
      await requireCaptcha(platform, caller, sessionId, 'forgot', body);
      afterAnswer(platform, caller.requestId, 'mailing a recovery link', async () => {
        const ofAccount = resetsOf(platform.config, body.email);
        if ((await recordAttempt(platform, ofAccount)).count > ofAccount.limit) return;
        const link = await commit(platform, caller, (ctx) => requestPasswordReset(ctx, body.email));
        if (link) await platform.mailer.send(recoveryMail(platform, link));
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
      'Ends every session of the account, its link with the bot and its API keys, and disables its webhooks. The owner receives a mail that counts what was ended.',
    request: { body: wire.resetBody, example: { token: 'Vb3kQ9xYt7LmZp2RwN5cAgHs8DfJ4uEo', password: 'Qyran-1998-Burabai' } },
    response: { data: wire.resetResponse },
    errors: ['token_invalid'],
    async handler({ body, caller, platform, signal }) {
      await useRecoveryLink(platform, caller, body, signal);
      return ok({ password_changed: true as const });
    },
  }),
  defineRoute({
    name: 'changePassword',
    method: 'POST',
    path: '/auth/password',
    access: access.inPerson(access.browser),
    renewsSession: true,
    tag,
    summary: 'Change the password',
    description:
      'Ends every other session of the account and its link with the bot. Without `keep_api_keys` it also revokes the API keys and disables the webhooks. The owner receives a mail that counts what was ended. The id and the CSRF token of this session are renewed.',
    request: { body: wire.passwordBody, example: { current_password: 'Tulpar-1994-Altai', password: 'Qyran-1998-Burabai' } },
    response: { data: wire.sessionResponse },
    errors: ['password_confirmation_failed', 'second_factor_failed'],
    async handler({ principal, body, caller, platform, cookies, header, signal }) {
      const { user } = principal;
      const asker = { ip: caller.ip, signal };
      await confirmInPerson(platform, { principal, caller, signal }, { password: body.current_password, code: body.code });
      const passwordHash = await hashPassword(body.password, { ...asker, knownAs: String(user.id) });
      const wanted = { userId: user.id, passwordHash, keepsPrograms: body.keep_api_keys, userAgent: readUserAgent(header) };
      const { session, mail } = await commit(platform, caller, async (ctx) => {
        const changed = await changePassword(ctx, wanted);
        return { session: changed.session, mail: passwordMail(platform, changed.change, 'password') };
      });
      mailPasswordChange(platform, caller, mail);
      cookies.set(session.token);
      return ok(wire.presentSession(session.csrfToken, user));
    },
  }),
];

const longestUserAgent = 200;

/** Reads the browser's name for the list of sessions (ACC-26): at most 200 characters, without control characters; null without one. */
function readUserAgent(header: (name: string) => string | undefined): string | null {
  const name = (header('user-agent') ?? '').replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return name === '' ? null : name.slice(0, longestUserAgent);
}
