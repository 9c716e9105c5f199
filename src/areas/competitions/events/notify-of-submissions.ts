import type { CommandContext } from '../../../platform/commands/context.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { notify } from '../../notifications/index.ts';
import type { Event } from '../entities.ts';
import { eventDependents } from './dependents.ts';
import { eventNotifications } from './notifications.ts';
import type { LockedEvent } from './queries.ts';
import { submissionsEveryMs } from './schedule.ts';

/** An event whose organizer is notified. */
type NotifiedEvent = Pick<Event, 'id' | 'ownerId' | 'title'>;

/**
 * Notifies the organizer that registrations were submitted, with the number that waits, at most once an hour for an event (REG-19).
 *
 * The row of the settings decides: of parallel batches one updates it, the others wait for its lock and find the hour begun. The event's
 * process notifies of those when the hour has passed.
 */
export async function notifyOfSubmissions(ctx: CommandContext, event: NotifiedEvent): Promise<void> {
  const { db, now } = ctx;
  const hourAgo = new Date(now.getTime() - submissionsEveryMs);
  const due = await db
    .updateTable('registration_settings')
    .set({ submissionsToldAt: now, hasUntoldSubmissions: false })
    .where('eventId', '=', event.id)
    .where((eb) => eb.or([eb('submissionsToldAt', 'is', null), eb('submissionsToldAt', '<=', hourAgo)]))
    .returning('eventId')
    .executeTakeFirst();
  if (due !== undefined) return notifyOrganizer(ctx, event, await countWaiting(ctx, event.id));
  const noted = await db
    .updateTable('registration_settings')
    .set({ hasUntoldSubmissions: true })
    .where('eventId', '=', event.id)
    .where('hasUntoldSubmissions', '=', false)
    .returning('eventId')
    .executeTakeFirst();
  if (noted !== undefined) ctx.wake(processRef('event', event.id));
}

/** Notifies of the submissions that were noted within the last hour; nothing is sent when all of them were decided meanwhile. */
export async function notifyOfWaitingSubmissions(ctx: CommandContext, locked: LockedEvent): Promise<void> {
  const { id, event, settings } = locked;
  if (settings === null) throw new Error(`event ${id} has no registration settings`);
  const waiting = await countWaiting(ctx, id);
  const changes = { hasUntoldSubmissions: false, ...(waiting === 0 ? {} : { submissionsToldAt: ctx.now }) };
  await ctx.db.updateTable('registration_settings').set(changes).where('eventId', '=', id).execute();
  locked.settings = { ...settings, ...changes };
  if (waiting > 0) await notifyOrganizer(ctx, event, waiting);
}

async function notifyOrganizer(ctx: CommandContext, { id, ownerId, title }: NotifiedEvent, waiting: number): Promise<void> {
  await notify(ctx, ownerId, eventNotifications['registration.submitted'], { kind: 'event', id }, { title, waiting });
}

async function countWaiting(ctx: CommandContext, eventId: number): Promise<number> {
  let waiting = 0;
  for (const { countUndecided } of ctx.extensions.of(eventDependents)) waiting += (await countUndecided?.(ctx.db, eventId)) ?? 0;
  return waiting;
}
