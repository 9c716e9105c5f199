import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import { type Position, requireInLog } from '../changes/index.ts';
import type { Webhook } from './entities.ts';
import type { WebhookCaller } from './policy.ts';
import { lockWebhook, webhookRef } from './queries.ts';

/**
 * Sends a webhook the changes after a position again, with the same ids (WHK-8).
 * @throws {DomainError} not_found; insufficient_scope; cursor_expired; validation_failed for a cursor beyond the log; webhook_disabled
 */
export async function replayWebhook(ctx: CommandContext, by: WebhookCaller, id: number, after: Position): Promise<Readonly<Webhook>> {
  const webhook = await lockWebhook(ctx, by, id);
  await requireInLog(ctx.db, after, ctx.now, 'body.after');
  if (webhook.status !== 'enabled') throw new DomainError('webhook_disabled');
  webhook.place = after.place;
  webhook.changeId = after.id;
  webhook.positionAt = after.at;
  webhook.updatedAt = ctx.now;
  await ctx.em.flush();
  await audit(ctx, 'webhook.replayed', { kind: 'webhook', id });
  ctx.wake(webhookRef(id));
  return webhook;
}
