import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit } from '../../../platform/commands/command.ts';
import { updateAccount } from './update-account.ts';
import * as wire from './wire.ts';

const tag = 'Session, captcha, public';

/** Routes for the caller's own account. */
export const accountRoutes: Route[] = [
  defineRoute({
    name: 'getAccount',
    method: 'GET',
    path: '/account',
    access: access.account,
    tag,
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
    tag,
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
