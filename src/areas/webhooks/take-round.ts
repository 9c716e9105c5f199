import { sql } from 'kysely';
import { baseUrl, required, type Variables } from '../../registry/config.ts';
import { mustSetUpSecondFactor } from '../../http/access/access.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { holdUnchanged, type Locked, lockForChange } from '../../platform/database/lock.ts';
import { keysInForce, UserEntity } from '../accounts/index.ts';
import { type Audience, actionsOf, changedRecords, isOwnChange, presentChange, readChanges, waitForChanges } from '../changes/index.ts';
import { disable } from './disable-webhooks.ts';
import { type Webhook, type WebhookDelivery, WebhookEntity } from './entities.ts';
import { deadAfter } from './next-try.ts';
import { mostReady, webhookRef } from './queries.ts';
import { openSecret } from './secrets.ts';

/** A waiting delivery. */
export type Waiting = Readonly<Pick<WebhookDelivery, 'id' | 'messageId' | 'subject' | 'body' | 'isTest' | 'isOwn' | 'tries'>> & {
  /** Since when its subject fails; null while it goes on. */
  failingSince: Date | null;
};

/** Deliveries to send now, with what sending needs. */
export interface Round {
  url: string;
  /** Each signs. */
  secrets: string[];
  /** Tests first, then each subject's in order. */
  waiting: Waiting[];
  /** The account may read the records of others at present. */
  seesAll: boolean;
}

/** Changes that are read at once, and deliveries of a round. Smaller rounds cost more for each delivery. */
const roundSize = 400;
/** Subjects of a round: those that go on, and those whose failed delivery is tried again. */
const [mostSubjects, mostRetries, mostTests] = [100, 20, 20];

/**
 * Moves changes from the log to the webhook's deliveries, and returns those that may be sent now (WHK-3, WHK-4). With none it registers the
 * process to be woken by the next change.
 *
 * Holds the account: a demotion or a block is in effect before the next change is read. Disables a webhook whose key has ended, and that of an
 * administrator who must set up a second factor first (WHK-9).
 * @param busy deliveries that were taken before and are not recorded yet
 * @returns `nothing` to send now; `over` when the webhook is not enabled
 */
export async function takeRound(
  ctx: CommandContext,
  config: Variables,
  id: number,
  busy: readonly Waiting[],
): Promise<Round | 'nothing' | 'over'> {
  const owner = await ctx.db.selectFrom('webhooks').select('userId').where('id', '=', id).executeTakeFirst();
  const user = owner && (await holdUnchanged(ctx.em, UserEntity, { id: owner.userId }));
  const webhook = await lockForChange(ctx.em, WebhookEntity, { id });
  if (!user || webhook === null || webhook.status !== 'enabled') return 'over';
  if (webhook.keyId !== null && !(await isInForce(ctx, webhook.keyId))) {
    await disable(ctx, webhook, 'key_ended');
    return 'over';
  }
  if (mustSetUpSecondFactor(config, user)) {
    await disable(ctx, webhook, 'no_second_factor');
    return 'over';
  }
  const seesAll = webhook.seesAll && user.role === 'administrator';
  const audience: Audience = seesAll ? 'all' : { userId: user.id };
  if (user.status === 'active') {
    await planDeliveries(ctx, config, webhook, audience);
    const subjects = busy.filter(({ isTest }) => !isTest).map(({ subject }) => subject);
    const waiting = [...(await readTests(ctx, id, busy)), ...(await readDue(ctx, webhook, subjects))];
    if (waiting.length > 0) return { url: webhook.url, secrets: secretsOf(webhook, config, ctx.now), waiting, seesAll };
    webhook.nextTryAt = await findNextTry(ctx, webhook, subjects);
  }
  await ctx.em.flush();
  await waitForChanges(ctx.db, webhookRef(id), audience);
  return 'nothing';
}

async function isInForce({ db, now }: CommandContext, keyId: number): Promise<boolean> {
  return (await keysInForce(db, now).select('k.id').where('k.id', '=', keyId).executeTakeFirst()) !== undefined;
}

/** Writes a delivery for each next change, unless many subjects wait for their turn already. */
async function planDeliveries(ctx: CommandContext, config: Variables, webhook: Locked<Webhook>, audience: Audience): Promise<void> {
  const { db, now, extensions } = ctx;
  const ready = await db
    .selectFrom('webhook_subjects')
    .select('subject')
    .where('webhookId', '=', webhook.id)
    .where('failingSince', 'is', null)
    .limit(sql.lit(mostReady))
    .execute();
  if (ready.length >= mostReady) return;
  const chosen = webhook.types.map((filter) => actionsOf(filter) ?? []);
  const actions = webhook.types.includes('*') ? null : [...new Set(chosen.flat())];
  const after = { place: webhook.place, id: webhook.changeId, at: webhook.positionAt };
  const { rows, next } = await readChanges(db, { audience, after, limit: roundSize, actions, now });
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

async function readTests({ db }: CommandContext, id: number, busy: readonly Waiting[]): Promise<Waiting[]> {
  const tests = await db
    .selectFrom('webhook_deliveries')
    .select(['id', 'messageId', 'subject', 'body', 'isTest', 'isOwn', 'tries'])
    .where('webhookId', '=', id)
    .where(sql<boolean>`state = 'waiting' and is_test and id <> all(${busy.map((each) => each.id)}::bigint[])`)
    .orderBy('id')
    .limit(sql.lit(mostTests))
    .execute();
  return tests.map((test) => ({ ...test, failingSince: null }));
}

/**
 * Reads the deliveries of subjects that are due, in the order of their changes. Costs the same for any number of deliveries that wait behind
 * a failed one. A receiver that rests gets none; a dead one a single try (WHK-4).
 */
async function readDue({ db, now }: CommandContext, webhook: Webhook, busy: readonly string[]): Promise<Waiting[]> {
  const isDead = webhook.failedInRow >= deadAfter;
  if ((webhook.restsUntil !== null && webhook.restsUntil > now) || (isDead && busy.length > 0)) return [];
  const due = (isReady: boolean, most: number) => sql`
    (select subject, failing_since from webhook_subjects where webhook_id = ${webhook.id}
      and failing_since is ${sql.raw(isReady ? 'null' : 'not null')} and next_try_at <= ${now} and subject <> all(${[...busy]}::text[])
      order by next_try_at limit ${sql.lit(most)})`;
  const { rows } = await sql<Waiting & { id: number | null }>`
    with due as materialized (${due(true, mostSubjects)} union all ${due(false, mostRetries)})
    select d.id, d.message_id, due.subject, d.body, d.is_test, d.is_own, d.tries, due.failing_since
    from due left join lateral (
      select * from webhook_deliveries d where d.webhook_id = ${webhook.id} and d.subject = due.subject and d.state = 'waiting' and not d.is_test
      order by d.id limit (select greatest(1, ${sql.lit(roundSize)} / count(*)) from due)
    ) d on true
    order by d.id`.execute(db);
  const empty = rows.filter(({ id }) => id === null);
  // Their deliveries were deleted when their time was over.
  if (empty.length > 0)
    await db
      .deleteFrom('webhook_subjects')
      .where('webhookId', '=', webhook.id)
      .where('subject', '=', inList(empty.map(({ subject }) => subject)))
      .execute();
  const waiting = rows.filter(({ id }) => id !== null);
  return isDead ? [waiting.find(({ failingSince }) => failingSince === null) ?? waiting[0] ?? []].flat() : waiting;
}

/** Returns when the next delivery can be tried, but of those under way; null when none waits. */
async function findNextTry({ db }: CommandContext, { id, restsUntil }: Webhook, busy: readonly string[]): Promise<Date | null> {
  const first = (isReady: boolean) => sql`
    (select next_try_at from webhook_subjects where webhook_id = ${id} and failing_since is ${sql.raw(isReady ? 'null' : 'not null')}
      and subject <> all(${[...busy]}::text[]) order by next_try_at limit 1)`;
  const { rows } = await sql<{ at: Date | null }>`select least(${first(true)}, ${first(false)}) as at`.execute(db);
  const at = rows[0]?.at ?? null;
  return at !== null && restsUntil !== null && restsUntil > at ? restsUntil : at;
}

/** @returns the secret, and the former one while it signs too and is readable @throws {Error} when no key of ENCRYPTION_KEY opens the secret */
function secretsOf({ id, secret, formerSecret, formerUntil }: Webhook, config: Variables, now: Date): string[] {
  const keys = required(config, 'ENCRYPTION_KEY');
  const current = openSecret(keys, id, secret);
  if (current === null) throw new Error(`no ENCRYPTION_KEY opens the secret of webhook ${id}; add the former key to the list`);
  const former = formerSecret !== null && formerUntil !== null && formerUntil > now ? openSecret(keys, id, formerSecret) : null;
  return former === null ? [current.secret] : [current.secret, former.secret];
}
