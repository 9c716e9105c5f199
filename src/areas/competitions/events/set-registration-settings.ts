import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, validationFailed } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { json } from '../../../platform/database/database.ts';
import { dayOf, endOfDay, formatDateTime } from '../../../platform/time/date-time.ts';
import type { Event, RegistrationSettings } from '../entities.ts';
import { requireEventOwner } from '../policy.ts';
import { closingOf } from './dates.ts';
import { eventDependents } from './dependents.ts';
import { lockEvent } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import { type IntakeSettings, limitOf } from './settings.ts';
import { requireEventAction } from './states.ts';

/**
 * Sets what an event asks of athletes who register, and the dates of its intake (EVT-14). The process announces changed dates again.
 * Equal settings change nothing.
 * @throws {DomainError} not_found; invalid_state for an event that is over; validation_failed
 */
export async function setRegistrationSettings(ctx: CommandContext, id: number, settings: IntakeSettings): Promise<EventRecord> {
  const locked = await lockEvent(ctx, id);
  const { event, settings: before } = locked;
  requireEventOwner(ctx.actor, event);
  requireEventAction(event, 'change');
  checkIntakeDates(event, settings);
  const isSameOpening = before !== null && before.opensAt?.getTime() === settings.opensAt?.getTime();
  const isSameClosing = before !== null && closingOf(event, before).getTime() === closingOf(event, settings).getTime();
  if (before !== null && isDeepStrictEqual(contentOf(before), contentOf(settings))) return locked;
  const row: RegistrationSettings = {
    eventId: id,
    ...settings,
    openedAt: isSameOpening ? before.openedAt : null,
    closedAt: isSameOpening && isSameClosing ? before.closedAt : null,
    submissionsToldAt: before?.submissionsToldAt ?? null,
    hasUntoldSubmissions: before?.hasUntoldSubmissions ?? false,
    updatedAt: ctx.now,
  };
  const { eventId, classes, classLimits, crew, vehicleFields, columns, ...dates } = row;
  const written = {
    ...dates,
    classes: json(classes),
    classLimits: json(classLimits),
    crew: json(crew),
    vehicleFields: json(vehicleFields),
    columns: json(columns),
  };
  await ctx.db
    .insertInto('registration_settings')
    .values({ eventId, ...written })
    .onConflict((conflict) => conflict.column('eventId').doUpdateSet(written))
    .execute();
  locked.settings = row;
  const stamps = { opens_at: settings.opensAt?.toISOString() ?? null, closes_at: settings.closesAt?.toISOString() ?? null };
  await recordEventStep(ctx, locked, 'registration_settings_updated', stamps);
  // A raised capacity, or an intake that closes later.
  for (const { offerPlaces } of ctx.extensions.of(eventDependents)) await offerPlaces?.(ctx, id);
  return locked;
}

/** Returns what the organizer sets, in whole seconds as the API shows them, so that the same values sent back are no change. */
function contentOf(settings: IntakeSettings) {
  const { opensAt, closesAt, classes, crew, vehicleFields, columns } = settings;
  const limits = classes.map((name) => limitOf(settings, name));
  return { opensAt: formatDateTime(opensAt), closesAt: formatDateTime(closesAt), classes, limits, crew, vehicleFields, columns };
}

/** Checks the dates of an intake against the event (EVT-14). @throws {DomainError} validation_failed */
function checkIntakeDates(
  event: Pick<Event, 'startsAt' | 'endsAt'>,
  { opensAt, closesAt }: Pick<IntakeSettings, 'opensAt' | 'closesAt'>,
): void {
  const problems: FieldProblem[] = [];
  const wrong = (field: string, message: string) => problems.push({ path: `body.${field}`, code: 'out_of_range', message });
  // A bare day means its last second (API-4), which may lie after the event's end on the same day.
  if (closesAt !== null && closesAt >= endOfDay(dayOf(event.endsAt))) wrong('closes_at', 'must not be after the last day of the event');
  else if (closesAt !== null && opensAt !== null && closesAt <= opensAt) wrong('closes_at', 'must be after opens_at');
  if (opensAt !== null && opensAt >= event.startsAt) wrong('opens_at', 'must be before the start of the event');
  if (problems.length > 0) throw validationFailed(problems);
}
