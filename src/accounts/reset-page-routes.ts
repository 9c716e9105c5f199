import { z } from 'zod';
import { isDomainError } from '../errors.ts';
import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { chooseLanguage } from '../http/language.ts';
import type { Language } from '../http/language.ts';
import { pageHeaders } from '../http/page.ts';
import { body } from '../http/reply.ts';
import type { Reply } from '../http/reply.ts';
import { commit, query } from '../platform/command.ts';
import type { Caller } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { rememberAddress } from './known-address.ts';
import { hashPassword } from './password-hash.ts';
import { renderResetDone, renderResetForm, renderResetRefused } from './reset-page.ts';
import type { PasswordProblem } from './reset-page.ts';
import { findOpenReset, resetPassword } from './reset-password.ts';
import { resetBody } from './schemas.ts';
import { passwordMail } from './mails.ts';
import { tellPasswordChange } from './tell-password-change.ts';

const tag = 'Accounts';

/**
 * Where the link of the recovery mail leads, for people without a cabinet at hand. The token in the form is the proof, no
 * cookie is looked at, so there is nothing for a foreign page to abuse.
 */
export const resetPageRoutes: Route[] = [
  defineRoute({
    name: 'showResetForm',
    method: 'GET',
    path: '/reset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'The form behind the link of the recovery mail',
    request: { query: z.looseObject({ token: z.string().max(200).optional() }) },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, query: { token = '', lang }, header }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      const address = new URLSearchParams({ token }).toString();
      return orRefused({ platform, caller, language, address }, async () => {
        await query(platform, (db, now) => findOpenReset(db, token, now));
        return body(renderResetForm(language, token, null, address), pageHeaders(language, true));
      });
    },
  }),
  defineRoute({
    name: 'sendResetForm',
    method: 'POST',
    path: '/reset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    bodyKind: 'raw',
    tag,
    summary: 'Set a new password by that form',
    request: { query: z.looseObject({}), body: z.string() },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, query: { lang }, header, body: form, gone }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      return orRefused({ platform, caller, language, address: null }, async () => {
        const fields = new URLSearchParams(form);
        const token = fields.get('token') ?? '';
        const { email } = await query(platform, (db, now) => findOpenReset(db, token, now));
        const parsed = resetBody.safeParse({ token, password: fields.get('password') ?? '' });
        if (!parsed.success) return body(renderResetForm(language, token, problemOf(parsed.error), null), pageHeaders(language, true), 422);
        const passwordHash = await hashPassword(parsed.data.password, { ip: caller.ip, gone, knownAs: email });
        const wanted = { token, passwordHash, keepApiKeys: parsed.data.keep_api_keys };
        const change = await commit(platform, caller, (ctx) => resetPassword(ctx, wanted));
        tellPasswordChange(platform, caller, passwordMail(platform.config, change, 'link'));
        await rememberAddress(platform, email, caller.ip);
        return body(renderResetDone(language), pageHeaders(language));
      });
    },
  }),
];

function problemOf({ issues }: z.ZodError): PasswordProblem {
  return issues.every(({ code }) => code === 'custom') ? 'common' : 'length';
}

interface Asking {
  platform: Pick<Platform, 'securityLog'>;
  caller: Caller;
  language: Language;
  /** The query of the page's own address; null where it cannot be asked for again. */
  address: string | null;
}

/** Tells a refused link as a page, and the security log as it tells any other. */
async function orRefused({ platform, caller, language, address }: Asking, work: () => Promise<Reply<never>>): Promise<Reply<never>> {
  try {
    return await work();
  } catch (error) {
    if (isDomainError(error) && error.code === 'token_invalid') {
      const { ip, requestId } = caller;
      const subject = { kind: 'route', id: 'sendResetForm' };
      const nobody = { actorId: null, impersonatedUserId: null };
      platform.securityLog.record({ action: 'reset_link.refused', ...nobody, subject, ip, requestId, data: { code: error.code } });
      return body(renderResetRefused(language, address), pageHeaders(language), 422);
    }
    throw error;
  }
}
