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

/** A channel that took nothing. */
export interface Away {
  channel: DeliveryChannel;
  /** What failed, as a log may say it: a code or a name, never what a server said of an address. */
  cause: string;
  /** So long it wants to be left alone, milliseconds. */
  leastPauseMs: number;
}

/** How a round of sending went. */
export interface Round {
  away: readonly Away[];
  /** The channels that took something, also before they were away. */
  moved: ReadonlySet<DeliveryChannel>;
  /** One of them had been away before. */
  wasAway: boolean;
}

/**
 * Ends a round of sending: the delivery is over when nothing waits any more, which is known under its lock; what failed is tried again later. What
 * came meanwhile is due. Whoever sent gives the account back.
 * @returns whether it is over, and whether its process waits for a date of it
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
  // While one of two channels is still away, or a mail is refused for now, the trouble stands.
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

/** A channel that took something begins to count anew. */
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

/** The first instant at which something that waits may go out; now, where a channel of it is not left alone. */
async function nextTry({ db, now }: CommandContext, userId: number): Promise<Date> {
  const rows = await db
    .selectFrom('notification_deliveries as d')
    .leftJoin('delivery_pauses as p', (join) => join.onRef('p.userId', '=', 'd.userId').onRef('p.channel', '=', 'd.channel'))
    .where('d.userId', '=', userId)
    .groupBy(['p.until', 'd.retryAt'])
    // Of two dates the later; null for neither.
    .select(sql<Date | null>`greatest(p.until, d.retry_at)`.as('until'))
    .execute();
  return rows.map(({ until }) => until ?? now).reduce((first, at) => (at < first ? at : first));
}
