import { z } from 'zod';
import { validationFailed } from '../../errors.ts';
import { access, mayReadOthers } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { deleted, idParams, nextMeta } from '../../http/schemas.ts';
import { commit, query } from '../../platform/command.ts';
import type { Platform } from '../../platform/platform.ts';
import { createWebhook, webhookLimit } from './create-webhook.ts';
import { deleteWebhook, keptDays } from './delete-webhook.ts';
import { findWebhook, listDeliveries, listWebhooks } from './queries.ts';
import { replaceSecret } from './replace-secret.ts';
import { replayWebhook } from './replay-webhook.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';
import * as wire from './wire.ts';

const tag = 'Webhooks';
// Not under impersonation: a webhook stays when the administrator has left the account.
const webhookAccess = access.inPerson(access.scope('webhooks:write'));

/** @throws {DomainError} validation_failed for a URL that cannot be a receiver */
function checkUrl({ outgoing }: Platform, url: string | undefined): void {
  const problem = url === undefined ? null : outgoing.findProblem(url);
  if (problem !== null) throw validationFailed([{ path: 'body.url', code: 'not_allowed', message: problem }]);
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
        ok((await listWebhooks(db, principal.user.id)).map((webhook) => wire.presentWebhook(webhook, now))),
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
      'Any 2xx within ten seconds is a delivery. Otherwise it is tried again after 5 seconds, 1, 5 and 30 minutes, 2, 6, 12, 24 and 24 hours; then the webhook is disabled. 410 disables it at once. ' +
      'Changes of one record arrive in order; of different records at most four at a time. A change may arrive twice: `webhook-id` tells. ' +
      `An account has at most ${webhookLimit} webhooks: 409 \`quota_exceeded\` with the quota \`webhooks\`.`,
    request: { body: wire.newWebhookBody },
    response: { status: 201, location: '/webhooks/:id', data: wire.newWebhookResponse },
    links: { getWebhook: { id: 'id' }, testWebhook: { id: 'id' } },
    errors: ['quota_exceeded', 'service_unavailable'],
    async handler({ principal, body: { description = null, ...body }, caller, platform }) {
      checkUrl(platform, body.url);
      const wanted = { ...body, description, userId: principal.user.id, seesAll: mayReadOthers(principal) };
      const shown = await commit(platform, caller, async (ctx) => {
        const { webhook, secret } = await createWebhook(ctx, platform.config, wanted);
        return { ...wire.presentWebhook(webhook, ctx.now), secret };
      });
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
    response: { data: wire.webhookResponse },
    handler: ({ principal, params, platform }) =>
      query(platform, async (db, now) => ok(wire.presentWebhook(await findWebhook(db, principal.user.id, params.id), now))),
  }),
  defineRoute({
    name: 'updateWebhook',
    method: 'PATCH',
    path: '/webhooks/:id',
    access: webhookAccess,
    tag,
    summary: 'Change, disable or enable a webhook',
    description: 'Enabled again, it continues after the last change that it got, and tries what waits at once.',
    request: { params: idParams, body: wire.webhookBody },
    response: { data: wire.webhookResponse },
    async handler({ principal, params, body, caller, platform }) {
      checkUrl(platform, body.url);
      const own = { userId: principal.user.id, id: params.id };
      const by = { seesAll: mayReadOthers(principal) };
      return ok(await commit(platform, caller, async (ctx) => wire.presentWebhook(await updateWebhook(ctx, own, body, by), ctx.now)));
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
      await commit(platform, caller, (ctx) => deleteWebhook(ctx, principal.user.id, params.id));
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
          secret: await replaceSecret(ctx, platform.config, principal.user.id, params.id),
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
    description:
      'Sends a change of the type `registry.webhook.tested.v1`, before all that waits, and once. The deliveries show what became of it.',
    request: { params: idParams },
    response: { data: wire.deliveryResponse },
    errors: ['webhook_disabled'],
    async handler({ principal, params, caller, platform }) {
      return ok(
        await commit(platform, caller, async (ctx) =>
          wire.presentDelivery(await testWebhook(ctx, platform.config, principal.user.id, params.id)),
        ),
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
    description: `Newest first, of the last ${keptDays} days.`,
    request: { params: idParams, query: wire.deliveriesQuery },
    response: { data: z.array(wire.deliveryResponse), meta: nextMeta },
    handler: ({ principal, params, query: filter, platform }) =>
      query(platform, async (db) => {
        await findWebhook(db, principal.user.id, params.id);
        const { rows, next } = await listDeliveries(db, params.id, filter);
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
    description: 'Continues after `after`, a `next` of `GET /changes`. The changes keep their ids.',
    request: { params: idParams, body: wire.replayBody },
    response: { data: wire.webhookResponse },
    errors: ['cursor_expired', 'webhook_disabled'],
    async handler({ principal, params, body, caller, platform }) {
      return ok(
        await commit(platform, caller, async (ctx) =>
          wire.presentWebhook(await replayWebhook(ctx, principal.user.id, params.id, body.after), ctx.now),
        ),
      );
    },
  }),
];
