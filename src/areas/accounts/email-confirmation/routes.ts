import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { accepted, ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/commands/command.ts';
import { unrecorded } from '../../../platform/commands/context.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import { confirmationLinksOf, countAttempt } from '../attempt-limits.ts';
import { confirmationMail } from '../mails.ts';
import { acceptedResponse } from '../wire.ts';
import { confirmEmail } from './confirm-email.ts';
import { requestEmailConfirmation } from './request-email-confirmation.ts';

const tag = 'Accounts';

const confirmEmailBody = z
  .strictObject({ token: z.string().min(1).max(100).describe('Token of the link in the mail') })
  .meta({ id: 'EmailConfirmation' });
const confirmEmailResponse = z.object({ email_confirmed: z.literal(true) });

/** Routes that confirm the address of an account (ACC-24). */
export const emailConfirmationRoutes: Route[] = [
  defineRoute({
    name: 'confirmEmail',
    method: 'POST',
    path: '/auth/confirm-email',
    access: access.inPerson(access.session),
    tag,
    summary: 'Confirm the address of an account with the link of its mail',
    description:
      'The link works once within 24 hours. The session need not be signed in. A recovery link that was used confirms the address too.',
    request: { body: confirmEmailBody, example: { token: 'Vb3kQ9xYt7LmZp2RwN5cAgHs8DfJ4uEo' } },
    response: { data: confirmEmailResponse },
    errors: ['token_invalid'],
    async handler({ body, caller, platform }) {
      await commit(platform, caller, (ctx) => confirmEmail(ctx, body.token));
      return ok({ email_confirmed: true as const });
    },
  }),
  defineRoute({
    name: 'requestEmailConfirmation',
    method: 'POST',
    path: '/account/email-confirmation',
    // An administrator who must set up a second factor may have to confirm the address first (ACC-34).
    access: access.beforeSecondFactor(access.inPerson(access.browser)),
    tag,
    summary: 'Send another link that confirms the address',
    description:
      'The mail replaces the link of an earlier one. An account gets at most three an hour, besides the mail of its registration: 429. A confirmed address answers 409 `invalid_state`.',
    response: { status: 202, data: acceptedResponse },
    errors: ['invalid_state'],
    async handler({ principal, caller, platform }) {
      const { id } = principal.user;
      await countAttempt(platform, confirmationLinksOf(id));
      // The result holds the link's secret, so it is not kept for repeats.
      const link = await commit(platform, unrecorded(caller), (ctx) => requestEmailConfirmation(ctx, id));
      mailAfterAnswer(platform, caller.requestId, 'mailing a confirmation link', confirmationMail(platform, link));
      return accepted({ accepted: true as const });
    },
  }),
];
