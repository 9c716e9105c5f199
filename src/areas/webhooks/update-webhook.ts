import type { CommandContext } from '../../platform/context.ts';
import { audit } from '../audit/index.ts';
import { stopWaiting } from '../changes/index.ts';
import type { Webhook } from './entities.ts';
import { lockWebhook, webhookRef } from './queries.ts';

export interface WebhookChanges {
  url?: string | undefined;
  types?: string[] | undefined;
  description?: string | null | undefined;
  enabled?: boolean | undefined;
}

/**
 * Changes a webhook of an account (WHK-1). Enabled again, it continues after the last change that it got, and tries what waits at once.
 * @param by whether the caller may read the records of others: a key without that right cannot direct them to an address of its own
 * @throws {DomainError} not_found
 */
export async function updateWebhook(
  ctx: CommandContext,
  { userId, id }: { userId: number; id: number },
  { url, types, description, enabled }: WebhookChanges,
  by: { seesAll: boolean },
): Promise<Readonly<Webhook>> {
  const webhook = await lockWebhook(ctx, userId, id);
  if (url !== undefined && url !== webhook.url) {
    webhook.url = url;
    webhook.seesAll = by.seesAll;
  }
  if (types !== undefined) webhook.types = types;
  if (description !== undefined) webhook.description = description;
  if (enabled === false && webhook.status === 'enabled') {
    webhook.status = 'disabled';
    webhook.disabledBy = null;
    await stopWaiting(ctx.db, webhookRef(id));
  }
  if (enabled === true && webhook.status === 'disabled') {
    webhook.status = 'enabled';
    webhook.disabledBy = null;
    webhook.nextTryAt = ctx.now;
    await ctx.db
      .updateTable('webhook_deliveries')
      .set({ tries: 0, nextTryAt: ctx.now })
      .where('webhookId', '=', id)
      .where('state', '=', 'waiting')
      .execute();
  }
  webhook.updatedAt = ctx.now;
  await ctx.em.flush();
  await audit(ctx, 'webhook.updated', { kind: 'webhook', id }, { status: webhook.status });
  ctx.wake(webhookRef(id));
  return webhook;
}
