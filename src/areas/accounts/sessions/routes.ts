import { randomUUID } from 'node:crypto';
import { required } from '../../../config.ts';
import { access, impersonationOf } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/command.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import { afterAnswer } from '../after-answer.ts';
import { captchasFrom, captchasOf, countAttempt, sessionsFrom } from '../attempt-limits.ts';
import { drawCaptcha, pickCaptchaText, issueCaptcha } from '../captcha/issue-captcha.ts';
import { hashCaptchaAnswer, requireCaptcha } from '../captcha/use-captcha.ts';
import { receiveContactMessage } from '../contact/receive-contact-message.ts';
import { contactMail } from '../mails.ts';
import { updateAccount } from '../users/update-account.ts';
import {
  accountBody,
  accountResponse,
  captchaQuery,
  captchaResponse,
  contactBody,
  contactResponse,
  presentAccount,
  presentCaptcha,
  presentSession,
  sessionResponse,
} from '../wire.ts';
import { requireSession, sessionOf } from './session-of.ts';
import { startSession } from './start-session.ts';

const tag = 'Session, captcha, public';

/** Routes for the browser's session, captchas, the contact form and the caller's account. */
export const sessionRoutes: Route[] = [
  defineRoute({
    name: 'getSession',
    method: 'GET',
    path: '/session',
    access: access.session,
    tag,
    summary: 'Start or read the browser session',
    description:
      'Without a session cookie it starts a session and sets the cookie. A session ends after 12 hours without use and after 30 days.',
    response: { data: sessionResponse },
    async handler({ principal, caller, platform, cookies }) {
      const session = sessionOf(principal);
      const user = principal.kind === 'signed_in' ? principal.user : null;
      if (session) return ok(presentSession(session.csrfToken, user, impersonationOf(principal)));
      await countAttempt(platform, sessionsFrom(platform.config, caller.ip));
      const started = await commit(platform, caller, (ctx) => startSession(ctx, { userId: null, former: null }));
      cookies.set(started.token);
      return ok(presentSession(started.csrfToken, null));
    },
  }),
  defineRoute({
    name: 'getCaptcha',
    method: 'GET',
    path: '/captcha',
    access: access.session,
    tag,
    summary: 'Get a new captcha for a form',
    description:
      'A captcha has five characters, is valid for ten minutes, and for one use in this session and this form. A new one replaces the previous one.',
    request: { query: captchaQuery },
    response: { data: captchaResponse },
    errors: ['unauthenticated'],
    async handler({ principal, query, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      // The session first: a browser above its limit does not use up the limit of its address.
      await countAttempt(platform, captchasOf(platform.config, sessionId));
      await countAttempt(platform, captchasFrom(platform.config, caller.ip));
      const id = randomUUID();
      const text = pickCaptchaText();
      const png = await drawCaptcha(text);
      const answerHash = hashCaptchaAnswer(required(platform.config, 'SESSION_SECRET'), id, text);
      const captcha = await commit(platform, caller, (ctx) => issueCaptcha(ctx, { id, sessionId, purpose: query.purpose, answerHash }));
      return ok(presentCaptcha(captcha, png));
    },
  }),
  defineRoute({
    name: 'sendContactMessage',
    method: 'POST',
    path: '/contact',
    access: access.session,
    tag,
    summary: 'Send a message to the federation',
    description: "The message appears in the administrators' queue and is mailed to the administrator's address.",
    request: { body: contactBody },
    response: { status: 201, location: '/contact/:id', data: contactResponse },
    errors: ['captcha_failed'],
    async handler({ principal, body, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      await requireCaptcha(platform, caller, sessionId, 'contact', body);
      const { name, email, message } = body;
      const received = await commit(platform, caller, (ctx) => receiveContactMessage(ctx, { name, email, message }));
      afterAnswer(platform, caller.requestId, 'mailing a contact message', () =>
        platform.mailer.send(contactMail(platform.config, received)),
      );
      // The sender cannot read this address; administrators find the message in their queue.
      return created({ id: received.id, created_at: formatDateTime(received.createdAt) }, `/contact/${received.id}`);
    },
  }),
  defineRoute({
    name: 'getAccount',
    method: 'GET',
    path: '/account',
    access: access.account,
    tag,
    summary: "Get the caller's account, scopes, session or API key",
    response: { data: accountResponse },
    async handler({ principal }) {
      return ok(presentAccount(principal));
    },
  }),
  defineRoute({
    name: 'updateAccount',
    method: 'PATCH',
    path: '/account',
    access: access.scope('notifications:write'),
    tag,
    summary: "Set the language of the account's notifications and mails",
    description:
      'All notifications are shown in this language, also earlier ones. Mails and bot messages use the language at the time of sending. Text that people wrote, such as a note on a decision, is not translated.',
    request: { body: accountBody },
    response: { data: accountResponse },
    async handler({ principal, body, caller, platform }) {
      const language = await commit(
        platform,
        caller,
        async (ctx) => (await updateAccount(ctx, { userId: principal.user.id, ...body })).language,
      );
      return ok(presentAccount({ ...principal, user: { ...principal.user, language } }));
    },
  }),
];
