import { z } from 'zod';
import { isDomainError } from '../errors.ts';
import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { body } from '../http/reply.ts';
import { read, runCommand } from '../platform/command.ts';
import { hashPassword } from './password-hash.ts';
import { renderResetDone, renderResetForm, renderResetRefused, resetPagePolicy } from './reset-page.ts';
import { findOpenReset, resetPassword } from './reset-password.ts';
import { resetBody } from './schemas.ts';

const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': resetPagePolicy };
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
    handler: ({ platform, query: { token = '' } }) =>
      orRefused(async () => {
        await read(platform, (em, now) => findOpenReset(em, token, now));
        return body(renderResetForm(token, null), headers);
      }),
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
    request: { body: z.string() },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, body: form }) =>
      orRefused(async () => {
        const fields = Object.fromEntries(new URLSearchParams(form));
        const token = fields['token'] ?? '';
        await read(platform, (em, now) => findOpenReset(em, token, now));
        const parsed = resetBody.safeParse(fields);
        if (!parsed.success)
          return body(renderResetForm(token, parsed.error.issues.map(({ message }) => message).join('; ')), headers, 422);
        const passwordHash = await hashPassword(parsed.data.password);
        await runCommand(platform, caller, (ctx) => resetPassword(ctx, { token, passwordHash }));
        return body(renderResetDone(), headers);
      }),
  }),
];

async function orRefused<Answer>(work: () => Promise<Answer>): Promise<Answer | ReturnType<typeof body>> {
  try {
    return await work();
  } catch (error) {
    if (isDomainError(error) && error.code === 'token_invalid') return body(renderResetRefused(), headers, 422);
    throw error;
  }
}
