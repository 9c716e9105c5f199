import { type Language, languages } from '../../../http/language.ts';
import { dayOf, endOfDay, isDay, startOfDay } from '../../../platform/time/date-time.ts';
import type { CalendarFilter, CalendarOrder } from './queries.ts';

export interface CalendarSearch {
  /** The language that the link chose; null: the browser's. */
  language: Language | null;
  /** Days, `YYYY-MM-DD`. */
  from: string | null;
  to: string | null;
  disciplineId: number | null;
  phrase: string | null;
  /** Only past events, the latest first. */
  isPast: boolean;
  page: number;
  /** Events a page. */
  limit: number;
}

const eventsOfPage = 30;
const mostPages = 10_000;
/** Characters; a longer phrase is cut. */
const maxPhrase = 100;

/**
 * Reads the query of the page. Invalid values are ignored: people type them and messengers add parameters. So is the first day of past
 * events when it is not past.
 */
export function readSearch(query: Record<string, unknown>, now: Date): CalendarSearch {
  const text = (name: string) => {
    const value = query[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const day = (name: string) => (isDay(text(name)) ? text(name) : null);
  const count = (name: string, most: number) => {
    const value = /^[1-9]\d{0,9}$/.test(text(name)) ? Number(text(name)) : 0;
    return value >= 1 && value <= most ? value : null;
  };
  const isPast = text('past') === '1';
  const from = day('from');
  return {
    language: languages.find((language) => language === query['lang']) ?? null,
    from: isPast && from !== null && from >= dayOf(now) ? null : from,
    to: day('to'),
    disciplineId: count('discipline_id', 2_147_483_647),
    phrase: [...text('q')].slice(0, maxPhrase).join('') || null,
    isPast,
    page: count('page', mostPages) ?? 1,
    limit: eventsOfPage,
  };
}

/** Returns the query string of a search, with its `?`; the inverse of `readSearch`. */
export function addressOf({ language, from, to, disciplineId, phrase, isPast, page }: CalendarSearch): string {
  const parameters = new URLSearchParams();
  if (language !== null) parameters.set('lang', language);
  if (isPast) parameters.set('past', '1');
  if (phrase !== null) parameters.set('q', phrase);
  if (from !== null) parameters.set('from', from);
  if (to !== null) parameters.set('to', to);
  if (disciplineId !== null) parameters.set('discipline_id', String(disciplineId));
  if (page > 1) parameters.set('page', String(page));
  return `?${parameters.toString()}`;
}

/**
 * Returns the filter of a search on a day. Without dates it finds running and future events; chosen dates restrict the start. Past events
 * come latest first.
 */
export function filterOf({ from, to, disciplineId, phrase, isPast }: CalendarSearch, now: Date): CalendarFilter & { order: CalendarOrder } {
  const today = startOfDay(dayOf(now));
  const chosen = {
    disciplineId: disciplineId ?? undefined,
    phrase: phrase ?? undefined,
    startsFrom: from === null ? undefined : startOfDay(from),
    startsBefore: to === null ? undefined : endOfDay(to),
  };
  if (isPast) return { ...chosen, startsBefore: chosen.startsBefore ?? today, endsBefore: today, order: 'desc' };
  if (from !== null || to !== null) return { ...chosen, order: 'asc' };
  return { ...chosen, endsFrom: today, order: 'asc' };
}
