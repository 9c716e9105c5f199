import { DomainError, fieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { stopWaiting } from '../changes/index.ts';
import type { Webhook } from './entities.ts';
import { endedWithAccess, isSameAddress, needsPerson, type WebhookCaller } from './policy.ts';
import { lockWebhook, webhookRef } from './queries.ts';

interface WebhookChanges {
  url?: string | undefined;
  types?: string[] | undefined;
  description?: string | null | undefined;
  enabled?: boolean | undefined;
}

/** Who changes a webhook, and whether they confirmed it in person. */
interface UpdatedBy extends WebhookCaller {
  isConfirmed: boolean;
}

/**
 * Changes a webhook of an account (WHK-1). Enabled again, or at another address, it continues after the last change that it got, and tries
 * what waits at once. Another address has the rights of who names it, and one that a key names ends with the key (WHK-3, WHK-9).
 * @returns whether it has another address
 * @throws {DomainError} not_found; insufficient_scope; validation_failed without a password that is needed; browser_session_required
 */
export async function updateWebhook(
  ctx: CommandContext,
  by: UpdatedBy,
  id: number,
  { url, types, description, enabled }: WebhookChanges,
): Promise<{ webhook: Readonly<Webhook>; isRedirected: boolean }> {
  const webhook = await lockWebhook(ctx, by, id);
  // The session read it before it confirmed; it may have changed since.
  if (needsPerson(by, webhook, { url, enabled }) && !by.isConfirmed) throw personMissing(by);
  const isRedirected = url !== undefined && !isSameAddress(webhook.url, url);
  if (isRedirected) Object.assign(webhook, { url, seesAll: by.seesAll, keyId: by.keyId });
  if (types !== undefined) webhook.types = types;
  if (description !== undefined) webhook.description = description;
  if (enabled === false && webhook.status === 'enabled') {
    webhook.status = 'disabled';
    webhook.disabledBy = null;
    await stopWaiting(ctx.db, webhookRef(id));
  }
  if (enabled === true && webhook.status === 'disabled') {
    // The person takes over what a key has left.
    if (endedWithAccess(webhook)) webhook.keyId = null;
    webhook.status = 'enabled';
    webhook.disabledBy = null;
    await tryAfresh(ctx, webhook);
  } else if (isRedirected) await tryAfresh(ctx, webhook);
  webhook.updatedAt = ctx.now;
  await ctx.em.flush();
  await audit(ctx, 'webhook.updated', { kind: 'webhook', id }, { status: webhook.status });
  ctx.wake(webhookRef(id));
  return { webhook, isRedirected };
}

/** The refusal of a change that needs the person (WHK-9). */
export function personMissing({ keyId }: WebhookCaller): DomainError {
  return keyId === null
    ? fieldProblem('body.password', 'required', 'is required: the change gives access to your data')
    : new DomainError('browser_session_required');
}

/** Tries all that waits at once, as at a receiver that never failed. */
async function tryAfresh({ db, now }: CommandContext, webhook: Locked<Webhook>): Promise<void> {
  Object.assign(webhook, { nextTryAt: now, failingSince: null, failedInRow: 0, restsUntil: null });
  await db
    .updateTable('webhook_deliveries')
    .set({ tries: 0, nextTryAt: now })
    .where('webhookId', '=', webhook.id)
    .where('state', '=', 'waiting')
    .where('tries', '>', 0)
    .execute();
  await db
    .updateTable('webhook_subjects')
    .set({ nextTryAt: now, failingSince: null, attempts: 0, lastStatus: null })
    .where('webhookId', '=', webhook.id)
    .execute();
}
