import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { accepted, ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/commands/command.ts';
import { afterAnswer } from '../after-answer.ts';
import { countAttempt, recordAttempt, resetsFrom, resetsOf } from '../attempt-limits.ts';
import { requireCaptcha } from '../captcha/use-captcha.ts';
import { passwordMail, recoveryMail } from '../mails.ts';
import { hashPassword } from '../password-hash.ts';
import { confirmInPerson } from '../second-factor/confirm-in-person.ts';
import { readUserAgent, requireSession } from '../sessions/browser-session.ts';
import { acceptedResponse, presentSession, sessionResponse } from '../wire.ts';
import { changePassword, mailPasswordChange } from './change-password.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { useRecoveryLink } from './reset-password.ts';
import * as wire from './wire.ts';

const tag = 'Accounts';

/** Routes for recovery and change of a password. */
export const passwordRoutes: Route[] = [
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
    response: { data: sessionResponse },
    errors: ['password_confirmation_failed', 'second_factor_failed'],
    async handler({ principal, body, caller, platform, cookies, header, signal }) {
      const { user } = principal;
      const { id: currentId } = requireSession(principal);
      const asker = { ip: caller.ip, signal };
      // Not bound to the session, which the command ends: it checks the session itself.
      await confirmInPerson(platform, { principal, caller, signal }, { password: body.current_password, code: body.code });
      const passwordHash = await hashPassword(body.password, { ...asker, knownAs: String(user.id) });
      const ofRequest = { userId: user.id, currentId, userAgent: readUserAgent(header) };
      const wanted = { ...ofRequest, passwordHash, keepsPrograms: body.keep_api_keys };
      const { session, mail } = await commit(platform, caller, async (ctx) => {
        const changed = await changePassword(ctx, wanted);
        return { session: changed.session, mail: passwordMail(platform, changed.change, 'password') };
      });
      mailPasswordChange(platform, caller, mail);
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, user));
    },
  }),
];
