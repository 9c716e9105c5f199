import { sql } from 'kysely';
import { query } from '../../../platform/command.ts';
import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import type { Platform } from '../../../platform/platform.ts';
import { DeliveryEntity } from '../entities.ts';

/** Lease duration, about the heartbeat timeout of the Temporal activity. */
const heldFor = sql<Date>`now() + interval '12 seconds'`;
/** Milliseconds between two renewals of the lease. */
const pulseMs = 4_000;

/**
 * Leases an account to one sender.
 * @param holder unique to this attempt: an earlier attempt may still run
 * @returns false when another sender holds the lease, or when nothing waits
 */
export async function holdDelivery(db: Database, userId: number, holder: string): Promise<boolean> {
  const held = await db
    .insertInto('delivery_holds')
    .columns(['userId', 'holder', 'until'])
    .expression((eb) =>
      eb
        .selectFrom('deliveries')
        .where('userId', '=', userId)
        .select(['userId', sql<string>`${holder}::text`.as('holder'), heldFor.as('until')])
        // Skips a delivery that another transaction is deleting.
        .forKeyShare(),
    )
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet({ holder, until: heldFor })
        .where('delivery_holds.until', '<=', sql<Date>`now()`),
    )
    .returning('userId')
    .executeTakeFirst();
  return held !== undefined;
}

/**
 * Renews the lease while `work` runs, however long one message takes.
 * @param work must check before each message that the lease is still its own: it expires if the process stalls
 */
export async function whileHeld<T>(
  platform: Pick<Platform, 'orm' | 'clock'>,
  userId: number,
  holder: string,
  work: (isOwn: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  let isOwn = true;
  let keptAt = performance.now();
  const keep = async () => {
    const askedAt = performance.now();
    isOwn = await query(platform, (db) => keepDelivery(db, userId, holder));
    keptAt = askedAt;
  };
  // A failed renewal is safe: the check before the next message finds the lease lost.
  const pulse = setInterval(() => void keep().catch(() => undefined), pulseMs);
  try {
    return await work(async () => {
      if (performance.now() - keptAt >= pulseMs) await keep();
      return isOwn;
    });
  } finally {
    clearInterval(pulse);
  }
}

async function keepDelivery(db: Database, userId: number, holder: string): Promise<boolean> {
  const kept = await db
    .updateTable('delivery_holds')
    .set({ until: heldFor })
    .where('userId', '=', userId)
    .where('holder', '=', holder)
    .returning('userId')
    .executeTakeFirst();
  return kept !== undefined;
}

/** Releases the lease. */
export async function releaseDelivery(db: Database, userId: number, holder: string): Promise<void> {
  await db.deleteFrom('delivery_holds').where('userId', '=', userId).where('holder', '=', holder).execute();
}

/**
 * Postpones a delivery until the current lease is released or expires; then its process checks again.
 * @returns whether anything waits
 */
export async function leaveToHolder({ em, db, now }: CommandContext, userId: number): Promise<boolean> {
  const delivery = await lockForChange(em, DeliveryEntity, { userId });
  if (delivery === null) return false;
  // Read under the lock, so that a released lease is not seen.
  const hold = await db
    .selectFrom('delivery_holds')
    .where('userId', '=', userId)
    .where('until', '>', sql<Date>`now()`)
    .select(sql<number>`ceil(extract(epoch from until - now()) * 1000)::int`.as('leftMs'))
    .executeTakeFirst();
  if (hold !== undefined) delivery.dueAt = new Date(now.getTime() + hold.leftMs);
  return true;
}
