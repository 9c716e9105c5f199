import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/context.ts';
import { inList } from '../../../platform/database/database.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { clearTrouble } from '../../../platform/workflows/process-troubles.ts';
import { type DeliveryChannel, DeliveryEntity } from '../entities.ts';
import { releaseDelivery } from './hold-delivery.ts';
import { deliveryProcess, sendStep } from './process.ts';
import { pauseAfterTry } from './schedule.ts';

/** A channel that accepted nothing. */
export interface Away {
  channel: DeliveryChannel;
  /** Error code or name, safe to log. Never the server's text, which may hold an address. */
  cause: string;
  /** Shortest pause before the next attempt, milliseconds. */
  leastPauseMs: number;
}

/** Outcome of a round of sending. */
export interface Round {
  away: readonly Away[];
  /** Channels that accepted something, also those that failed later in the round. */
  moved: ReadonlySet<DeliveryChannel>;
  /** One of the channels had failed before this round. */
  wasAway: boolean;
}

/**
 * Ends a round of sending and releases the account's lease.
 * Deletes the delivery when nothing waits, checked under its lock. Otherwise schedules the next attempt (NOT-4).
 * @returns `isOver`: the delivery is deleted; `isAwaited`: its process waits for a later date
 */
export async function endDelivery(
  ctx: CommandContext,
  userId: number,
  holder: string,
  { away, moved, wasAway }: Round,
): Promise<{ isOver: boolean; isAwaited: boolean }> {
  const { em, db } = ctx;
  const delivery = await lockForChange(em, DeliveryEntity, { userId });
  if (delivery === null) return { isOver: true, isAwaited: false };
  const isAwaited = delivery.dueAt > ctx.now;
  const left = await db.selectFrom('notification_deliveries').where('userId', '=', userId).select('id').limit(1).executeTakeFirst();
  if (left === undefined) em.remove(delivery);
  else {
    await postpone(ctx, userId, away, moved);
    delivery.dueAt = await nextTry(ctx, userId);
    await releaseDelivery(db, userId, holder);
  }
  // The trouble stays while a channel is away or a mail is refused for now.
  if (wasAway && away.length === 0 && (left === undefined || !(await isAnyAway(ctx, userId))))
    await clearTrouble(db, { process: refOf(deliveryProcess, userId), step: sendStep });
  return { isOver: left === undefined, isAwaited };
}

async function isAnyAway({ db }: CommandContext, userId: number): Promise<boolean> {
  const [paused, refused] = [
    await db.selectFrom('delivery_pauses').where('userId', '=', userId).select('channel').executeTakeFirst(),
    await db.selectFrom('notification_deliveries').where('userId', '=', userId).where('tries', '>', 0).select('id').executeTakeFirst(),
  ];
  return paused !== undefined || refused !== undefined;
}

/** Resets the retry count of channels that accepted something, and postpones those that failed. */
async function postpone({ db, now }: CommandContext, userId: number, away: Round['away'], moved: Round['moved']): Promise<void> {
  if (moved.size > 0)
    await db
      .deleteFrom('delivery_pauses')
      .where('userId', '=', userId)
      .where('channel', '=', inList([...moved]))
      .execute();
  if (away.length === 0) return;
  const before = await db.selectFrom('delivery_pauses').where('userId', '=', userId).select(['channel', 'tries']).execute();
  const pauses = away.map(({ channel, leastPauseMs }) => {
    const tries = (before.find((pause) => pause.channel === channel)?.tries ?? 0) + 1;
    return { userId, channel, tries, until: new Date(now.getTime() + pauseAfterTry(tries, leastPauseMs)) };
  });
  await db
    .insertInto('delivery_pauses')
    .values(pauses)
    .onConflict((conflict) =>
      conflict.columns(['userId', 'channel']).doUpdateSet((eb) => ({ tries: eb.ref('excluded.tries'), until: eb.ref('excluded.until') })),
    )
    .execute();
}

/** Returns the first instant at which a waiting notification may go out; `now` when none of its channels is paused. */
async function nextTry({ db, now }: CommandContext, userId: number): Promise<Date> {
  const rows = await db
    .selectFrom('notification_deliveries as d')
    .leftJoin('delivery_pauses as p', (join) => join.onRef('p.userId', '=', 'd.userId').onRef('p.channel', '=', 'd.channel'))
    .where('d.userId', '=', userId)
    .groupBy(['p.until', 'd.retryAt'])
    // The later of two dates; null when both are null.
    .select(sql<Date | null>`greatest(p.until, d.retry_at)`.as('until'))
    .execute();
  return rows.map(({ until }) => until ?? now).reduce((first, at) => (at < first ? at : first));
}
