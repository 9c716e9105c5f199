import { randomUUID } from 'node:crypto';
import { apiPrefix } from '../../http/api-prefix.ts';
import { baseUrl, type Variables } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { audit } from '../audit/index.ts';
import { testType } from '../changes/index.ts';
import type { WebhookDelivery } from './entities.ts';
import type { WebhookCaller } from './policy.ts';
import { lockWebhook, webhookRef } from './queries.ts';

/**
 * Sends a webhook a change that is none, before all that waits and whatever types it wants (WHK-8).
 * @throws {DomainError} not_found; insufficient_scope; webhook_disabled
 */
export async function testWebhook(
  ctx: CommandContext,
  config: Variables,
  by: WebhookCaller,
  id: number,
): Promise<Readonly<WebhookDelivery>> {
  const webhook = await lockWebhook(ctx, by, id);
  if (webhook.status !== 'enabled') throw new DomainError('webhook_disabled');
  const [messageId, subject] = [`test-${randomUUID()}`, `webhook/${id}`];
  const body = {
    specversion: '1.0',
    id: messageId,
    source: baseUrl(config),
    type: testType,
    subject,
    time: formatDateTime(ctx.now),
    datacontenttype: 'application/json',
    data: { id, url: `${baseUrl(config)}${apiPrefix}/webhooks/${id}` },
  };
  const delivery = await ctx.db
    .insertInto('webhook_deliveries')
    .values({
      webhookId: id,
      messageId,
      type: testType,
      subject,
      body: JSON.stringify(body),
      isTest: true,
      isOwn: true,
      nextTryAt: ctx.now,
      createdAt: ctx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  webhook.nextTryAt = ctx.now;
  await ctx.em.flush();
  await audit(ctx, 'webhook.tested', { kind: 'webhook', id });
  ctx.wake(webhookRef(id));
  return delivery;
}
