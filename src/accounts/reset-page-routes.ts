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
import { read, runCommand } from '../platform/command.ts';
import { hashPassword } from './password-hash.ts';
import { renderResetDone, renderResetForm, renderResetRefused } from './reset-page.ts';
import type { PasswordProblem } from './reset-page.ts';
import { findOpenReset, resetPassword } from './reset-password.ts';
import { resetBody } from './schemas.ts';

const tag = 'Accounts';

/**
 * Where the link of the recovery letter leads, for people without a cabinet at hand. The token in the form is the proof, no
 * cookie is looked at, so there is nothing for a foreign page to abuse.
 */
export const resetPageRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/reset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'The form behind the link of the recovery letter',
    request: { query: z.looseObject({ token: z.string().max(200).optional() }) },
    response: { content: ['text/html'] },
    handler: ({ platform, query: { token = '', lang }, header }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      const address = new URLSearchParams({ token }).toString();
      return orRefused(language, address, async () => {
        await read(platform, (em, now) => findOpenReset(em, token, now));
        return body(renderResetForm(language, token, null, address), pageHeaders(language, true));
      });
    },
  }),
  defineRoute({
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
    handler: ({ platform, caller, query, header, body: form }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      return orRefused(language, null, async () => {
        const fields = new URLSearchParams(form);
        const token = fields.get('token') ?? '';
        await read(platform, (em, now) => findOpenReset(em, token, now));
        const parsed = resetBody.safeParse({ token, password: fields.get('password') ?? '' });
        if (!parsed.success) return body(renderResetForm(language, token, problemOf(parsed.error), null), pageHeaders(language, true), 422);
        const passwordHash = await hashPassword(parsed.data.password);
        await runCommand(platform, caller, (ctx) => resetPassword(ctx, { token, passwordHash }));
        return body(renderResetDone(language), pageHeaders(language));
      });
    },
  }),
];

function problemOf({ issues }: z.ZodError): PasswordProblem {
  return issues.every(({ code }) => code === 'custom') ? 'common' : 'length';
}

/** @param query of the page's own address; null where it cannot be asked for again */
async function orRefused(language: Language, query: string | null, work: () => Promise<Reply<never>>): Promise<Reply<never>> {
  try {
    return await work();
  } catch (error) {
    if (isDomainError(error) && error.code === 'token_invalid')
      return body(renderResetRefused(language, query), pageHeaders(language), 422);
    throw error;
  }
}
