import { sql } from 'kysely';
import { asRegistry, type CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { type ClassLimit, findEvent, limitOf } from '../../competitions/index.ts';
import { notify } from '../../notifications/index.ts';
import type { Registration } from '../entities.ts';
import { registrationNotifications } from '../notifications.ts';
import { recordSteps } from '../record-steps.ts';
import { transition } from '../states.ts';
import { countPlaces, emptyClass, lockClasses, offerEndOf, offersPlaces } from './places.ts';

const hourMs = 3_600_000;

/**
 * Offers the free places of classes to those who wait, by the instant in the line, then by id (REG-21). Does nothing after the intake has
 * closed or the event has begun. Idempotent: the classes are locked, and each registration leaves the line once.
 * @param classes by default all in which a registration waits
 */
export async function offerPlaces(given: CommandContext, eventId: number, classes?: readonly string[]): Promise<void> {
  const ctx = asRegistry(given);
  // The freed place is counted.
  await ctx.em.flush();
  const names = classes ?? [...(await countPlaces(ctx.db, eventId))].filter(([, { waiting }]) => waiting > 0).map(([name]) => name);
  if (names.length === 0) return;
  await lockClasses(ctx.db, eventId, names);
  // Read under the lock: the capacity may have changed while this transaction waited.
  const record = await findEvent(ctx.db, eventId);
  if (record === null || record.settings === null) return;
  const { event, settings } = record;
  if (!offersPlaces(event, settings, ctx.now)) return;
  for (const limit of names.flatMap((name) => limitOf(settings, name) ?? []))
    for (;;) {
      const { taken, waiting } = (await countPlaces(ctx.db, eventId, [limit.name])).get(limit.name) ?? emptyClass;
      const free = Math.min(waiting, (limit.capacity ?? Number.POSITIVE_INFINITY) - taken);
      if (free <= 0) break;
      // Fewer than counted when one of them withdraws at this moment; then others are counted again.
      if ((await offerFirst(ctx, record, limit, free)) === free) break;
    }
}

/** @returns how many places were offered */
async function offerFirst(
  ctx: CommandContext,
  { id: eventId, event }: { id: number; event: { startsAt: Date } },
  limit: ClassLimit,
  most: number,
): Promise<number> {
  const first = ctx.db
    .selectFrom('registrations')
    .select('id')
    .where('eventId', '=', eventId)
    .where('class', '=', limit.name)
    .where('status', '=', 'waiting')
    .orderBy('queuedAt')
    .orderBy('id')
    .limit(most);
  const offeredUntil = newOfferEnd(ctx.now, limit, event);
  const offered = await ctx.db
    .updateTable('registrations')
    // Its process runs at the end of the offer.
    .set({
      status: 'offered',
      queuedAt: null,
      offeredUntil,
      dueAt: sql<Date>`least(due_at, ${offeredUntil}::timestamptz)`,
      updatedAt: ctx.now,
    })
    .where('id', 'in', first)
    .where('status', '=', 'waiting')
    .returning(['id', 'eventId', 'profileId', 'ownerId', 'status', 'startNumber', 'offeredUntil'])
    .execute();
  await announceOffers(ctx, offered);
  return offered.length;
}

function newOfferEnd(now: Date, { offerHours }: ClassLimit, event: { startsAt: Date }): Date {
  return offerEndOf({ offeredUntil: new Date(now.getTime() + offerHours * hourMs) }, event);
}

type Offered = Pick<Registration, 'id' | 'eventId' | 'profileId' | 'ownerId' | 'status' | 'startNumber' | 'offeredUntil'>;

async function announceOffers(ctx: CommandContext, offered: readonly Offered[]): Promise<void> {
  await recordSteps(
    ctx,
    offered.map((registration) => ({ registration, step: 'offered', data: { until: formatDateTime(registration.offeredUntil) } })),
  );
  for (const { id, ownerId, eventId, offeredUntil } of offered) {
    const facts = { event_id: eventId, ...(offeredUntil === null ? {} : { until: formatDateTime(offeredUntil) }) };
    await notify(ctx, ownerId, registrationNotifications['registration.offered'], { kind: 'registration', id }, facts);
    ctx.wake(processRef('registration', id));
  }
}

/**
 * Offers a place to one registration. The caller has locked its class and found a free place (REG-21).
 * @throws {DomainError} invalid_state unless it waits
 */
export async function offerTo(
  ctx: CommandContext,
  registration: Locked<Registration>,
  limit: ClassLimit,
  event: { startsAt: Date },
): Promise<void> {
  transition(registration, 'offer');
  registration.queuedAt = null;
  registration.offeredUntil = newOfferEnd(ctx.now, limit, event);
  registration.updatedAt = ctx.now;
  await announceOffers(ctx, [registration]);
}
