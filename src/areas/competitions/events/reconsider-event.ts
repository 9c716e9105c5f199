import { assertNever } from '../../../errors.ts';
import { asRegistry, type CommandContext } from '../../../platform/commands/context.ts';
import { dayOf, formatDateTime } from '../../../platform/time/date-time.ts';
import { notify } from '../../notifications/index.ts';
import { closingOf, intakeOf } from './dates.ts';
import { type LockedEvent, lockEvent } from './queries.ts';
import { deadlineOf, isDeadlinePassed, scheduledSteps } from './schedule.ts';
import { notifyOfWaitingSubmissions } from './notify-of-submissions.ts';
import { eventNotifications } from './notifications.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import type { StageName } from './states.ts';

/**
 * Runs the due steps of an event: reminds of stages near their deadline (EVT-8), announces that the intake opened or closed
 * (EVT-14), and notifies of registrations that were submitted within an hour after the last notification (REG-19).
 *
 * Idempotent: it decides under the lock, and each step runs once.
 *
 * @throws {DomainError} not_found
 */
export async function reconsiderEvent(given: CommandContext, id: number): Promise<EventRecord> {
  const ctx = asRegistry(given);
  const locked = await lockEvent(ctx, id);
  for (const step of scheduledSteps(locked)) {
    if (step.at > ctx.now) break;
    switch (step.step) {
      case 'remind':
        await remind(ctx, locked, step.stage);
        break;
      case 'announce_opening':
        await announceIntake(ctx, locked, 'openedAt');
        break;
      case 'tell_submissions':
        await notifyOfWaitingSubmissions(ctx, locked);
        break;
      case 'announce_closing':
        await announceIntake(ctx, locked, 'closedAt');
        break;
      default:
        assertNever(step);
    }
  }
  return locked;
}

async function remind(ctx: CommandContext, locked: LockedEvent, name: StageName): Promise<void> {
  const { id, event, stages } = locked;
  stages[name].remindedAt = ctx.now;
  const dueOn = dayOf(deadlineOf(event, name));
  await recordEventStep(ctx, locked, 'reminded', { stage: name, due_on: dueOn });
  const deadline = isDeadlinePassed(event, name, ctx.now) ? 'passed' : 'ahead';
  const facts = { stage: name, title: event.title, due_on: dueOn, deadline };
  await notify(ctx, event.ownerId, eventNotifications['event_stage.reminder'], { kind: 'event', id }, facts);
}

/** Records the opening or closing. An intake that opened and closed between two runs is announced as closed only. */
async function announceIntake(ctx: CommandContext, locked: LockedEvent, column: 'openedAt' | 'closedAt'): Promise<void> {
  const { id, event, settings } = locked;
  if (settings === null) throw new Error(`event ${id} has no registration settings`);
  await ctx.db
    .updateTable('registration_settings')
    .set({ [column]: ctx.now })
    .where('eventId', '=', id)
    .execute();
  locked.settings = { ...settings, [column]: ctx.now };
  const closing = closingOf(event, settings);
  const at = column === 'openedAt' ? settings.opensAt : closing;
  await recordEventStep(
    ctx,
    locked,
    column === 'openedAt' ? 'intake_opened' : 'intake_closed',
    at === null ? {} : { at: formatDateTime(at) },
  );
  if (column === 'openedAt' && intakeOf(event, settings, ctx.now) !== 'open') return;
  const kind = column === 'openedAt' ? 'event_stage.intake_opened' : 'event_stage.intake_closed';
  const facts = { title: event.title, ...(column === 'openedAt' ? { until: formatDateTime(closing) } : {}) };
  await notify(ctx, event.ownerId, eventNotifications[kind], { kind: 'event', id }, facts);
}
