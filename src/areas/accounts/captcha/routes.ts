import { randomUUID } from 'node:crypto';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/commands/command.ts';
import { secretsIn } from '../../../platform/secrets/secret-list.ts';
import { required } from '../../../registry/config.ts';
import { captchasFrom, captchasOf, countAttempt } from '../attempt-limits.ts';
import { requireSession } from '../sessions/browser-session.ts';
import { drawCaptcha, issueCaptcha, pickCaptchaText } from './issue-captcha.ts';
import { hashCaptchaAnswer } from './use-captcha.ts';
import * as wire from './wire.ts';

export const captchaRoutes: Route[] = [
  defineRoute({
    name: 'getCaptcha',
    method: 'GET',
    path: '/captcha',
    access: access.session,
    tag: 'Session, captcha, public',
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
];
