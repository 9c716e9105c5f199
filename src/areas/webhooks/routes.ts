import { z } from 'zod';
import { type FieldProblem, validationFailed } from '../../errors.ts';
import { access, type SignedIn } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { deleted, idParams, nextMeta } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Caller } from '../../platform/commands/context.ts';
import { privateAddress } from '../../platform/outgoing/judge-address.ts';
import type { Mail } from '../../platform/mail/mailer.ts';
import type { Platform } from '../../platform/platform.ts';
import { confirmInPerson, mailAfterAnswer, webhookMail } from '../accounts/index.ts';
import { requireInLog } from '../changes/index.ts';
import { countIntervention, interventionLimit } from './count-intervention.ts';
import { createWebhook, webhookLimit } from './create-webhook.ts';
import { deleteWebhook, keptDays } from './delete-webhook.ts';
import { needsPerson, webhookCallerOf } from './policy.ts';
import { findWebhook, listDeliveries, listWebhooks, readBacklog } from './queries.ts';
import { replaceSecret } from './replace-secret.ts';
import { replayWebhook } from './replay-webhook.ts';
import { testWebhook } from './test-webhook.ts';
import { personMissing, updateWebhook } from './update-webhook.ts';
import * as wire from './wire.ts';

const tag = 'Webhooks';
// Not under impersonation: a webhook stays when the administrator has left the account.
const webhookAccess = access.inPerson(access.scope('webhooks:write'));

/** A request of the account's person or program. */
interface Asking {
  principal: SignedIn;
  caller: Caller;
  signal: AbortSignal;
}

/** A private address is also a security event (WHK-7). */
function problemsOfUrl({ outgoing, securityLog }: Platform, { principal, caller }: Asking, url: string | undefined): FieldProblem[] {
  const message = url === undefined ? null : outgoing.findProblem(url);
  if (message === privateAddress)
    securityLog.record({
      action: 'address.refused',
      actorId: principal.user.id,
      impersonatedUserId: null,
      subject: { kind: 'user', id: principal.user.id },
      ip: caller.ip,
      requestId: caller.requestId,
      data: { code: 'validation_failed' },
    });
  return message === null ? [] : [{ path: 'body.url', code: 'not_allowed', message }];
}

interface Confirmed {
  url?: string | undefined;
  password?: string | undefined;
  code?: string | undefined;
}

/**
 * Checks the address, and that the person acts where a change needs it (WHK-9).
 * @returns the caller for the command
 * @throws {DomainError} validation_failed, with all problems; browser_session_required; those of `confirmInPerson`
 */
async function checkRequest(platform: Platform, asking: Asking, { url, password, code }: Confirmed, needsIt: boolean): Promise<Caller> {
  const by = webhookCallerOf(asking.principal);
  const isMissing = needsIt && (by.keyId !== null || password === undefined);
  const problems = problemsOfUrl(platform, asking, url);
  if (problems.length === 0 && isMissing) throw personMissing(by);
  if (isMissing) problems.push({ path: 'body.password', code: 'required', message: 'is required' });
  if (problems.length > 0) throw validationFailed(problems);
  return needsIt && password !== undefined ? confirmInPerson(platform, asking, { password, code }) : asking.caller;
}

/** Tells the owner where their changes go from now on (WHK-9). */
function mailOwner(platform: Platform, caller: Caller, mail: Mail | null): void {
  mailAfterAnswer(platform, caller.requestId, 'mailing of a webhook', mail);
}

/** Routes of webhooks (WHK-1). */
export const webhookRoutes: Route[] = [
  defineRoute({
    name: 'listWebhooks',
    method: 'GET',
    path: '/webhooks',
    access: webhookAccess,
    tag,
    summary: 'List the webhooks of the account',
    description: `The oldest first; at most ${webhookLimit}.`,
    response: { data: z.array(wire.webhookResponse) },
    handler: ({ principal, platform }) =>
      query(platform, async (db, now) =>
        ok((await listWebhooks(db, webhookCallerOf(principal))).map((webhook) => wire.presentWebhook(webhook, now))),
      ),
  }),
  defineRoute({
    name: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    access: webhookAccess,
    tag,
    summary: 'Create a webhook',
    description:
      'Sends each next change to your receiver as `GET /changes` lists it, signed by Standard Webhooks 1.0 with `secret`, which is not shown again. ' +
      'Any 2xx within ten seconds is a delivery. Otherwise it is tried again after 5 seconds, 1, 5 and 30 minutes, 2, 6, 12, 24 and 24 hours, or as `Retry-After` of 429 and 503 says. ' +
      'A record whose changes fail waits by itself; a change that failed ten times is given up. The webhook is disabled when nothing was delivered for five days. 410 disables it at once. ' +
      'Changes of one record arrive in order; of different records at most four at a time. A change may arrive twice: `webhook-id` tells. ' +
      'A browser session sends `password`, and `code` with a second factor. The owner gets a mail. A webhook that a key creates is disabled when the key ends. ' +
      `An account has at most ${webhookLimit} webhooks: 409 \`quota_exceeded\` with the quota \`webhooks\`.`,
    request: {
      body: wire.newWebhookBody,
      example: {
        url: 'https://club.example.kz/hooks/registry',
        types: ['registry.application.*', 'registry.invoice.paid.v1'],
        password: 'Tulpar-1994-Altai',
      },
    },
    response: { status: 201, location: '/webhooks/:id', data: wire.newWebhookResponse },
    links: { getWebhook: { id: 'id' }, testWebhook: { id: 'id' } },
    errors: ['quota_exceeded', 'service_unavailable', 'password_confirmation_failed', 'second_factor_failed'],
    async handler({ principal, body, caller, platform, signal }) {
      const asking = { principal, caller, signal };
      const { userId, seesAll, keyId } = webhookCallerOf(principal);
      const checked = await checkRequest(platform, asking, body, keyId === null);
      const { url, types, description = null } = body;
      const { shown, mail } = await commit(platform, checked, async (ctx) => {
        const { webhook, secret } = await createWebhook(ctx, platform.config, { url, types, description, userId, seesAll, keyId });
        const mail = webhookMail(platform, principal.user, { what: 'created', url, at: ctx.now });
        return { shown: { ...wire.presentWebhook(webhook, ctx.now), secret }, mail };
      });
      mailOwner(platform, caller, mail);
      return created(shown, `/webhooks/${shown.id}`);
    },
  }),
  defineRoute({
    name: 'getWebhook',
    method: 'GET',
    path: '/webhooks/:id',
    access: webhookAccess,
    tag,
    summary: 'Get a webhook',
    request: { params: idParams },
    description:
      'With what waits: a record whose changes the receiver does not take waits by itself, and others go on. A key without `admin:read` cannot use a webhook that gets the changes of all records.',
    response: { data: wire.webhookDetailResponse },
    handler: ({ principal, params, platform }) =>
      query(platform, async (db, now) => {
        const by = webhookCallerOf(principal);
        const webhook = await findWebhook(db, by, params.id);
        return ok({ ...wire.presentWebhook(webhook, now), ...wire.presentBacklog(await readBacklog(db, params.id, by)) });
      }),
  }),
  defineRoute({
    name: 'updateWebhook',
    method: 'PATCH',
    path: '/webhooks/:id',
    access: webhookAccess,
    tag,
    summary: 'Change, disable or enable a webhook',
    description:
      'Enabled again, it continues after the last change that it got, and tries what waits at once. Another `url` in a browser session needs `password`, and `code` with a second factor; the owner gets a mail. ' +
      'So does enabling a webhook that a new password or the end of its key disabled; a key cannot enable it.',
    request: {
      params: idParams,
      body: wire.webhookBody,
      example: { description: 'Сайт клуба «Алатау»', enabled: true, password: 'Tulpar-1994-Altai' },
    },
    response: { data: wire.webhookResponse },
    errors: ['browser_session_required', 'password_confirmation_failed', 'second_factor_failed'],
    async handler({ principal, params, body, caller, platform, signal }) {
      const asking = { principal, caller, signal };
      const by = webhookCallerOf(principal);
      const current = await query(platform, (db) => findWebhook(db, by, params.id));
      const isConfirmed = needsPerson(by, current, body);
      const checked = await checkRequest(platform, asking, body, isConfirmed);
      const { shown, mail } = await commit(platform, checked, async (ctx) => {
        const { webhook, isRedirected } = await updateWebhook(ctx, { ...by, isConfirmed }, params.id, body);
        const redirected = { what: 'redirected' as const, url: webhook.url, at: ctx.now };
        return {
          shown: wire.presentWebhook(webhook, ctx.now),
          mail: isRedirected ? webhookMail(platform, principal.user, redirected) : null,
        };
      });
      mailOwner(platform, caller, mail);
      return ok(shown);
    },
  }),
  defineRoute({
    name: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/:id',
    access: webhookAccess,
    tag,
    summary: 'Delete a webhook',
    request: { params: idParams },
    response: { data: deleted },
    async handler({ principal, params, caller, platform }) {
      await commit(platform, caller, (ctx) => deleteWebhook(ctx, webhookCallerOf(principal), params.id));
      return ok({ deleted: true as const });
    },
  }),
  defineRoute({
    name: 'replaceWebhookSecret',
    method: 'POST',
    path: '/webhooks/:id/secret',
    access: webhookAccess,
    tag,
    summary: 'Replace the secret of a webhook',
    description: 'The answer contains the new secret; it is not shown again. The former one signs too for 24 hours: accept both meanwhile.',
    request: { params: idParams },
    response: { data: wire.newSecretResponse },
    errors: ['service_unavailable'],
    async handler({ principal, params, caller, platform }) {
      return ok(
        await commit(platform, caller, async (ctx) => ({
          secret: await replaceSecret(ctx, platform.config, webhookCallerOf(principal), params.id),
        })),
      );
    },
  }),
  defineRoute({
    name: 'testWebhook',
    method: 'POST',
    path: '/webhooks/:id/test',
    access: webhookAccess,
    tag,
    summary: 'Send a test to a webhook',
    description: `Sends a change of the type \`registry.webhook.tested.v1\`, before all that waits, and once. The deliveries show what became of it. At most ${interventionLimit} an hour.`,
    request: { params: idParams },
    response: { data: wire.deliveryResponse },
    errors: ['webhook_disabled'],
    async handler({ principal, params, caller, platform }) {
      const by = webhookCallerOf(principal);
      await countIntervention(platform, by, params.id, 'tests', () => undefined);
      return ok(
        await commit(platform, caller, async (ctx) => wire.presentDelivery(await testWebhook(ctx, platform.config, by, params.id))),
      );
    },
  }),
  defineRoute({
    name: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    access: webhookAccess,
    tag,
    summary: 'List the deliveries of a webhook',
    description: `Newest first, of the last ${keptDays} days. Those that the caller may read now: of records of others only with \`admin:read\`.`,
    request: { params: idParams, query: wire.deliveriesQuery },
    response: { data: z.array(wire.deliveryResponse), meta: nextMeta },
    handler: ({ principal, params, query: filter, platform }) =>
      query(platform, async (db) => {
        const by = webhookCallerOf(principal);
        await findWebhook(db, by, params.id);
        const { rows, next } = await listDeliveries(db, params.id, by, filter);
        return ok(rows.map(wire.presentDelivery), { next });
      }),
  }),
  defineRoute({
    name: 'replayWebhook',
    method: 'POST',
    path: '/webhooks/:id/replay',
    access: webhookAccess,
    tag,
    summary: 'Send a webhook earlier changes again',
    description: `Continues after \`after\`, a \`next\` of \`GET /changes\`. The changes keep their ids. At most ${interventionLimit} an hour.`,
    request: { params: idParams, body: wire.replayBody, example: { after: 'MS4xLjEuMQ' } },
    response: { data: wire.webhookResponse },
    errors: ['cursor_expired', 'webhook_disabled'],
    async handler({ principal, params, body, caller, platform }) {
      const by = webhookCallerOf(principal);
      await countIntervention(platform, by, params.id, 'replays', (db, now) => requireInLog(db, body.after, now, 'body.after'));
      return ok(
        await commit(platform, caller, async (ctx) => wire.presentWebhook(await replayWebhook(ctx, by, params.id, body.after), ctx.now)),
      );
    },
  }),
];
