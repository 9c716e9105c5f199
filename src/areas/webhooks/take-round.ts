import { sql } from 'kysely';
import { baseUrl, required, type Variables } from '../../config.ts';
import type { CommandContext } from '../../platform/context.ts';
import { holdUnchanged, type Locked, lockForChange } from '../../platform/database/lock.ts';
import { UserEntity } from '../accounts/index.ts';
import { type Audience, actionsOf, changedRecords, isOwnChange, presentChange, readChanges, waitForChanges } from '../changes/index.ts';
import { DeliveryLine } from './delivery-line.ts';
import { type Webhook, type WebhookDelivery, WebhookEntity } from './entities.ts';
import { mostWaiting, webhookRef } from './queries.ts';
import { openSecret } from './secrets.ts';

/** A waiting delivery. */
export type Waiting = Readonly<Pick<WebhookDelivery, 'id' | 'messageId' | 'subject' | 'body' | 'isTest' | 'isOwn' | 'tries' | 'nextTryAt'>>;

/** Deliveries to send now, with what sending needs. */
export interface Round {
  url: string;
  /** Each signs. */
  secrets: string[];
  line: DeliveryLine<Waiting>;
  /** The account may read the records of others at present. */
  seesAll: boolean;
}

/**
 * Moves changes from the log to the webhook's deliveries, and returns those that may be sent now (WHK-3, WHK-4). With none it registers the
 * process to be woken by the next change.
 *
 * Holds the account: a demotion or a block is in effect before the next change is read.
 * @returns `nothing` to send now; `over` when the webhook is not enabled
 */
export async function takeRound(ctx: CommandContext, config: Variables, id: number): Promise<Round | 'nothing' | 'over'> {
  const owner = await ctx.db.selectFrom('webhooks').select('userId').where('id', '=', id).executeTakeFirst();
  const user = owner && (await holdUnchanged(ctx.em, UserEntity, { id: owner.userId }));
  const webhook = await lockForChange(ctx.em, WebhookEntity, { id });
  if (!user || webhook === null || webhook.status !== 'enabled') return 'over';
  const seesAll = webhook.seesAll && user.role === 'administrator';
  const audience: Audience = seesAll ? 'all' : { userId: user.id };
  if (user.status === 'active') {
    await planDeliveries(ctx, config, webhook, audience);
    const waiting = await readWaiting(ctx, id);
    const line = new DeliveryLine(waiting, ctx.now);
    if (line.hasNext()) return { url: webhook.url, secrets: secretsOf(webhook, config, ctx.now), line, seesAll };
    webhook.nextTryAt = line.nextTryAt();
  }
  await ctx.em.flush();
  await waitForChanges(ctx.db, webhookRef(id), audience);
  return 'nothing';
}

/** Writes a delivery for each next change, up to the limit of those that wait. */
async function planDeliveries(ctx: CommandContext, config: Variables, webhook: Locked<Webhook>, audience: Audience): Promise<void> {
  const { db, now, extensions } = ctx;
  const taken = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhookId', '=', webhook.id)
    .where('state', '=', 'waiting')
    .limit(mostWaiting)
    .execute();
  if (taken.length >= mostWaiting) return;
  const chosen = webhook.types.map((filter) => actionsOf(filter) ?? []);
  const actions = webhook.types.includes('*') ? null : [...new Set(chosen.flat())];
  const after = { place: webhook.place, id: webhook.changeId, at: webhook.positionAt };
  const { rows, next } = await readChanges(db, { audience, after, limit: mostWaiting - taken.length, actions, now });
  webhook.place = next.place;
  webhook.changeId = next.id;
  webhook.positionAt = next.at;
  await ctx.em.flush();
  if (rows.length === 0) return;
  const presenting = { records: extensions.of(changedRecords).flat(), baseUrl: baseUrl(config), userId: webhook.userId };
  const deliveries = rows.map((row, n) => {
    const change = presentChange(row, presenting);
    return {
      n,
      message_id: change.id,
      type: change.type,
      subject: change.subject,
      body: JSON.stringify(change),
      is_own: isOwnChange(row, webhook.userId),
    };
  });
  // One parameter instead of nine for each delivery. Ids follow the order of the changes, which is that of sending.
  await sql`
    insert into webhook_deliveries (webhook_id, message_id, type, subject, body, is_test, is_own, next_try_at, created_at)
    select ${webhook.id}, message_id, type, subject, body, false, is_own, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) d (n int, message_id text, type text, subject text, body text, is_own boolean)
    order by n`.execute(db);
}

function readWaiting({ db }: CommandContext, id: number): Promise<Waiting[]> {
  return db
    .selectFrom('webhook_deliveries')
    .select(['id', 'messageId', 'subject', 'body', 'isTest', 'isOwn', 'tries', 'nextTryAt'])
    .where('webhookId', '=', id)
    .where('state', '=', 'waiting')
    .orderBy('isTest', 'desc')
    .orderBy('id')
    .limit(2 * mostWaiting)
    .execute();
}

function secretsOf({ id, secret, formerSecret, formerUntil }: Webhook, config: Variables, now: Date): string[] {
  const keys = required(config, 'ENCRYPTION_KEY');
  const stored = [secret, ...(formerSecret !== null && formerUntil !== null && formerUntil > now ? [formerSecret] : [])];
  return stored.map((sealed) => openSecret(keys, id, sealed).secret);
}
