import QRCode from 'qrcode';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { deleted } from '../../../http/schemas.ts';
import { commit } from '../../../platform/commands/command.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import { rememberSignIn } from '../attempt-limits.ts';
import { newNetworkMail, secondFactorMail } from '../mails.ts';
import { requireConfirmedAddress } from '../policy.ts';
import { bindToSession, requireSession } from '../sessions/browser-session.ts';
import { confirmationBody, presentSession, sessionResponse } from '../wire.ts';
import { makeSecret, otpauthUrl } from './codes.ts';
import { completeLogin } from './complete-login.ts';
import { confirmInPerson } from './confirm-in-person.ts';
import { confirmSecondFactor } from './confirm-second-factor.ts';
import { removeSecondFactor } from './remove-second-factor.ts';
import { requestSecondFactor } from './request-second-factor.ts';
import { countingTry, sealSecret } from './second-factor.ts';
import * as wire from './wire.ts';

const tag = 'Accounts';

/** Routes for the second factor of an account (ACC-27 to ACC-31). */
export const secondFactorRoutes: Route[] = [
  defineRoute({
    name: 'requestSecondFactor',
    method: 'POST',
    path: '/account/second-factor',
    access: access.beforeSecondFactor(access.inPerson(access.browser)),
    tag,
    summary: 'Make the secret of a second factor',
    description:
      'Needs a confirmed address. The secret waits to be confirmed with its first code; a newer one replaces it. An account that has a second factor keeps it until then, and needs its code here too. TOTP by RFC 6238: SHA-1, six digits, 30 seconds.',
    request: { body: confirmationBody, example: { password: 'Tulpar-1994-Altai' } },
    response: { data: wire.secondFactorResponse },
    links: { confirmSecondFactor: {} },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'email_not_confirmed'],
    async handler({ principal, body, caller, platform, signal }) {
      const { config } = platform;
      requireConfirmedAddress(principal.user);
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const secret = makeSecret();
      const url = otpauthUrl(secret, { issuer: new URL(baseUrl(config)).host, email: principal.user.email });
      const shown = { secret, otpauth_url: url, qr: await QRCode.toDataURL(url) };
      const sealed = sealSecret(config, principal.user.id, secret);
      // Returned from the commit, so that a repeat of the request shows the same secret.
      return ok(
        await commit(platform, confirmed, async (ctx) => {
          await requestSecondFactor(ctx, { userId: principal.user.id, sealed });
          return shown;
        }),
      );
    },
  }),
  defineRoute({
    name: 'confirmSecondFactor',
    method: 'POST',
    path: '/account/second-factor/confirm',
    access: access.beforeSecondFactor(access.inPerson(access.browser)),
    tag,
    summary: 'Put the second factor into force with its first code',
    description:
      'From now on a login needs a code, and so does each request that asks for the password. The recovery codes are shown once. The owner receives a mail. Ten tries in 15 minutes.',
    request: { body: wire.confirmCodeBody, example: { code: '492817' } },
    response: { data: wire.recoveryCodesResponse },
    errors: ['second_factor_failed', 'invalid_state', 'email_not_confirmed'],
    async handler({ principal, body, caller, platform }) {
      const { config } = platform;
      const { id: userId } = principal.user;
      // The waiting secret may be of a person whose access has ended (ACC-18).
      const bound = bindToSession(caller, principal);
      const { recoveryCodes, mail } = await countingTry(platform, userId, () =>
        commit(platform, bound, async (ctx) => {
          const confirmed = await confirmSecondFactor(ctx, { config, userId, code: body.code });
          const added = { what: 'added', at: ctx.now } as const;
          return { recoveryCodes: confirmed.recoveryCodes, mail: secondFactorMail(platform, confirmed.user, added) };
        }),
      );
      mailAfterAnswer(platform, caller.requestId, 'mailing a new second factor', mail);
      return ok({ recovery_codes: recoveryCodes });
    },
  }),
  defineRoute({
    name: 'removeSecondFactor',
    method: 'DELETE',
    path: '/account/second-factor',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Remove the second factor of the account',
    description: 'Its recovery codes end too. The owner receives a mail.',
    request: { body: confirmationBody, example: { password: 'Tulpar-1994-Altai', code: '492817' } },
    response: { data: deleted },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'invalid_state'],
    async handler({ principal, body, caller, platform, signal }) {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const mail = await commit(platform, confirmed, async (ctx) => {
        const user = await removeSecondFactor(ctx, principal.user.id);
        return secondFactorMail(platform, user, { what: 'removed', at: ctx.now });
      });
      mailAfterAnswer(platform, caller.requestId, 'mailing a removed second factor', mail);
      return ok({ deleted: true as const });
    },
  }),
  defineRoute({
    name: 'completeLogin',
    method: 'POST',
    path: '/auth/second-factor',
    access: access.beforeSecondFactor(access.session),
    renewsSession: true,
    tag,
    summary: 'Complete a login with a code or a recovery code',
    description:
      'After a login that answered `second_factor_required: true`, within five minutes. The session id and the CSRF token are renewed again. Ten tries in 15 minutes. A used recovery code is mailed to the owner. A session that waits for no code answers 409 `invalid_state`. 503 `second_factor_unavailable`: the registry cannot read the secret; a recovery code works, and the federation removes the second factor.',
    request: { body: wire.codeLoginBody, example: { code: '492817' } },
    response: { data: sessionResponse },
    errors: ['second_factor_failed', 'account_blocked', 'invalid_state'],
    async handler({ principal, body, caller, platform, cookies }) {
      const { config } = platform;
      const { id: former, waitingUserId: userId } = requireSession(principal);
      if (userId === null) throw new DomainError('invalid_state', undefined, 'This session waits for no code.');
      const proof = body.code === undefined ? { recoveryCode: body.recovery_code ?? '' } : { code: body.code };
      const { user, session, recoveryCodesLeft, at } = await countingTry(platform, userId, () =>
        commit(platform, caller, async (ctx) => ({ ...(await completeLogin(ctx, { config, userId, proof, former })), at: ctx.now })),
      );
      const isFromNewNetwork = await rememberSignIn(platform, user.email, caller.ip);
      const networkMail = isFromNewNetwork ? newNetworkMail(platform, user, { now: at, ip: caller.ip }) : null;
      mailAfterAnswer(platform, caller.requestId, 'mailing a login from a new network', networkMail);
      if (recoveryCodesLeft !== null) {
        const used = secondFactorMail(platform, user, { what: 'recovery_code_used', at, left: recoveryCodesLeft });
        mailAfterAnswer(platform, caller.requestId, 'mailing the use of a recovery code', used);
      }
      cookies.set(session.token);
      return ok(presentSession(session.csrfToken, user));
    },
  }),
];
