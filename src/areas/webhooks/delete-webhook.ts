import { sql } from 'kysely';
import type { Cleared } from '../../platform/expired-rows.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { anyOf } from '../../platform/database/database.ts';
import { audit } from '../audit/index.ts';
import { stopWaiting } from '../changes/index.ts';
import type { WebhookCaller } from './policy.ts';
import { lockWebhook, webhookRef } from './queries.ts';
import { dayMs } from '../../platform/time/date-time.ts';

/** Days for which deliveries are kept, and a deleted webhook with them (WHK-6). */
export const keptDays = 30;
/** Rows of one page: a backlog must not become one long transaction. */
const batch = 5_000;

/** Deletes a webhook: it is not seen again, and its secrets are erased. Its deliveries go when their time is over. @throws {DomainError} not_found; insufficient_scope */
export async function deleteWebhook(ctx: CommandContext, by: WebhookCaller, id: number): Promise<void> {
  const webhook = await lockWebhook(ctx, by, id);
  Object.assign(webhook, { status: 'deleted', secret: '', formerSecret: null, formerUntil: null, nextTryAt: null, updatedAt: ctx.now });
  await ctx.em.flush();
  await stopWaiting(ctx.db, webhookRef(id));
  await audit(ctx, 'webhook.deleted', { kind: 'webhook', id });
  ctx.wake(webhookRef(id));
}

/** Deletes a page of deliveries past their retention, and the deleted webhooks that have none left. For the sweeper. */
export async function clearWebhooks({ db, now }: Pick<CommandContext, 'db' | 'now'>): Promise<Cleared> {
  const before = new Date(now.getTime() - keptDays * dayMs);
  const old = db.selectFrom('webhook_deliveries').select('id as key').where('createdAt', '<', before).orderBy('createdAt').limit(batch);
  const deliveries = await db.deleteFrom('webhook_deliveries').where('id', '=', anyOf(old)).executeTakeFirst();
  const webhooks = await db
    .deleteFrom('webhooks as w')
    .where('w.status', '=', sql.lit('deleted' as const))
    .where('w.updatedAt', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('webhook_deliveries as d').select('d.id').whereRef('d.webhookId', '=', 'w.id'))),
    )
    .executeTakeFirst();
  const cleared = Number(deliveries.numDeletedRows);
  return { changed: cleared + Number(webhooks.numDeletedRows), isMore: cleared === batch };
}
