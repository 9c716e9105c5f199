import { searchAttributes } from '../../../workflows/process.contract.ts';
import { minuteMs } from '../../platform/time/date-time.ts';
import { defineTimer } from '../../platform/workflows/define-process.ts';
import { expireCaptchas, expireEmailConfirmations, expirePasswordResets } from './clear-expired-data.ts';
import { expireImpersonations } from './impersonation/end-impersonations.ts';

/** Ends a captcha ten minutes after it was issued (ACC-5); `holder` is the session's id. */
export const captchaTimer = defineTimer({
  kind: 'captcha',
  summary: () => 'Captcha of a session: ends after its time',
  lifetimeMs: 10 * minuteMs,
  expire: (ctx, holder) => expireCaptchas(ctx, { holder }),
});

/** Ends a recovery link thirty minutes after it was requested (ACC-6); `holder` is the user's id. */
export const passwordResetTimer = defineTimer({
  kind: 'password-reset',
  summary: (id) => `Recovery link of user ${id}: ends after its time`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  lifetimeMs: 30 * minuteMs,
  expire: (ctx, holder) => expirePasswordResets(ctx, { holder: Number(holder) }),
});

/** Ends a confirmation link after 24 hours (ACC-24); `holder` is the user's id. */
export const emailConfirmationTimer = defineTimer({
  kind: 'email-confirmation',
  summary: (id) => `Confirmation link of user ${id}: ends after its time`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  lifetimeMs: 24 * 60 * minuteMs,
  expire: (ctx, holder) => expireEmailConfirmations(ctx, { holder: Number(holder) }),
});

/** Ends an impersonation after an hour (ACC-13); `holder` is the id of the administrator's session. */
export const impersonationTimer = defineTimer({
  kind: 'impersonation',
  summary: () => "Impersonation in an administrator's session: ends after its time",
  lifetimeMs: 60 * minuteMs,
  expire: (ctx, holder) => expireImpersonations(ctx, { holder }),
});
