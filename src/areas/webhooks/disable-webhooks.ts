import type { CommandContext } from '../../platform/commands/context.ts';
import { type Locked, lockAllForChange } from '../../platform/database/lock.ts';
import type { EndedAccess } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { stopWaiting } from '../changes/index.ts';
import { notify } from '../notifications/index.ts';
import { type DisabledReason, type Webhook, WebhookEntity } from './entities.ts';
import { webhookNotifications } from './notifications.ts';
import { webhookRef } from './queries.ts';

/** Disables a webhook and tells the owner (WHK-5, WHK-9). Its process ends when it is woken. */
export async function disable(ctx: CommandContext, webhook: Locked<Webhook>, cause: DisabledReason): Promise<void> {
  const subject = { kind: 'webhook', id: webhook.id };
  webhook.status = 'disabled';
  webhook.disabledBy = cause;
  webhook.updatedAt = ctx.now;
  await ctx.em.flush();
  await stopWaiting(ctx.db, webhookRef(webhook.id));
  await audit(ctx, 'webhook.disabled', subject, { cause });
  // The mail about the new password names the webhooks.
  if (cause !== 'password_changed') await notify(ctx, webhook.userId, webhookNotifications['webhook.disabled'], subject, { cause });
}

/**
 * Disables the webhooks of access that ended (WHK-9): all of an account after a new password, those of a key when the key ends. One that
 * was disabled before can then be enabled only in the same way.
 * @returns the number of webhooks that were enabled
 */
export async function disableWebhooksOf(ctx: CommandContext, ended: EndedAccess): Promise<{ webhooks: number }> {
  if (ended.cause === 'password_changed' && ended.keepsPrograms) return { webhooks: 0 };
  const ofKey = ended.cause === 'key_ended' ? { keyId: ended.keyId } : {};
  const which = { userId: ended.userId, status: { $ne: 'deleted' as const }, ...ofKey };
  let webhooks = 0;
  for (const webhook of await lockAllForChange(ctx.em, WebhookEntity, which, { id: 'asc' })) {
    if (webhook.status === 'enabled') {
      await disable(ctx, webhook, ended.cause);
      ctx.wake(webhookRef(webhook.id));
      webhooks += 1;
    } else webhook.disabledBy = ended.cause;
  }
  await ctx.em.flush();
  return { webhooks };
}
