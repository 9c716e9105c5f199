import { dayOf, endOfDay } from '../platform/date-time.ts';

/** When a competition takes place. */
export interface EventDates {
  startsAt: Date;
  endsAt: Date;
}

/** The days of a competition in UTC+5, `YYYY-MM-DD`, from that of its start to that of its end, both included (decisions.md §6). */
export function competitionDays({ startsAt, endsAt }: EventDates): string[] {
  const last = dayOf(endsAt);
  const days = [];
  for (let day = dayOf(startsAt); day <= last; day = dayOf(endOfDay(day))) days.push(day);
  return days;
}
