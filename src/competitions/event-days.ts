import { dayOf, endOfDay } from '../platform/date-time.ts';

/** When a competition takes place. */
export interface EventDates {
  startsAt: Date;
  endsAt: Date;
}

/** Days one after the other, `YYYY-MM-DD` in UTC+5, both ends included; none where the last lies before the first. */
export interface DaySpan {
  first: string;
  last: string;
}

/** From the day of a competition's start to that of its end. */
export function competitionSpan({ startsAt, endsAt }: EventDates): DaySpan {
  return { first: dayOf(startsAt), last: dayOf(endsAt) };
}

/** The days of a competition in UTC+5, `YYYY-MM-DD`, from that of its start to that of its end, both included (decisions.md §6). */
export function competitionDays({ startsAt, endsAt }: EventDates): string[] {
  const { first, last } = competitionSpan({ startsAt, endsAt });
  const days = [];
  for (let day = first; day <= last; day = dayOf(endOfDay(day))) days.push(day);
  return days;
}
