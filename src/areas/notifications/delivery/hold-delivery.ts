import { sql } from 'kysely';
import { query } from '../../../platform/command.ts';
import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import type { Platform } from '../../../platform/platform.ts';
import { DeliveryEntity } from '../entities.ts';

/** A holder that is silent for so long has lost the account; about as long as Temporal waits for a heartbeat of the activity. */
const heldFor = sql<Date>`now() + interval '12 seconds'`;
/** Milliseconds between two words of a holder that lives. */
const pulseMs = 4_000;

/**
 * Takes an account for whoever sends to it.
 * @param holder of this one piece of work: another try of it is another holder, since the first may still be at work
 * @returns false where somebody else has the account, or where nothing waits
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
        // One that is just being ended is gone then.
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
 * Keeps an account while somebody sends to it, however long one message takes.
 * @param work asks before each message whether the account is still its own: somebody else has it by then if this one stood still
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
  // What fails here fails before the next message, or has done no harm.
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

/** Gives the account back. */
export async function releaseDelivery(db: Database, userId: number, holder: string): Promise<void> {
  await db.deleteFrom('delivery_holds').where('userId', '=', userId).where('holder', '=', holder).execute();
}

/**
 * Puts a delivery off until whoever has the account is done with it, or must have died: its process looks again then.
 * @returns whether anything waits
 */
export async function leaveToHolder({ em, db, now }: CommandContext, userId: number): Promise<boolean> {
  const delivery = await lockForChange(em, DeliveryEntity, { userId });
  if (delivery === null) return false;
  // Read behind the lock: a holder that has just ended is gone.
  const hold = await db
    .selectFrom('delivery_holds')
    .where('userId', '=', userId)
    .where('until', '>', sql<Date>`now()`)
    .select(sql<number>`ceil(extract(epoch from until - now()) * 1000)::int`.as('leftMs'))
    .executeTakeFirst();
  if (hold !== undefined) delivery.dueAt = new Date(now.getTime() + hold.leftMs);
  return true;
}
