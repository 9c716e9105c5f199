import ical, { type ICalCalendar, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { setImmediate } from 'node:timers/promises';
import type { Language } from '../../../http/language.ts';
import { wordsOfDays } from '../../../http/response/in-words.ts';
import { pageTexts } from './page-texts.ts';
import type { CalendarEvent } from './queries.ts';

export interface FeedOptions {
  language: Language;
  /** The address of the registry, without a trailing slash. */
  baseUrl: string;
}

/** Suggested polling interval of calendar clients, seconds. */
const refreshSeconds = 3600;

/** Batch size: one batch takes some milliseconds, then the event loop serves other requests. */
const eventsAtOnce = 25;

/**
 * Renders events as iCalendar (RFC 5545): instants in UTC, a stable UID for each event. SEQUENCE and LAST-MODIFIED show a change, STATUS
 * a cancellation.
 */
export async function renderFeed(events: readonly CalendarEvent[], options: FeedOptions): Promise<string> {
  const [head, tail] = partsOf(openCalendar(options).toString());
  const parts: string[] = [];
  for (let start = 0; start < events.length; start += eventsAtOnce) {
    if (start > 0) await setImmediate();
    const calendar = openCalendar(options);
    for (const event of events.slice(start, start + eventsAtOnce)) addEvent(calendar, event, options);
    parts.push(calendar.toString().slice(head.length, -tail.length));
  }
  // RFC 5545 §3.1 requires a line break after the last line; the library omits it.
  return `${head}${parts.join('')}${tail}\r\n`;
}

/** Splits an empty calendar into the parts before and after its events. */
function partsOf(empty: string): [head: string, tail: string] {
  const end = empty.lastIndexOf('END:VCALENDAR');
  return [empty.slice(0, end), empty.slice(end)];
}

function openCalendar({ language }: FeedOptions): ICalCalendar {
  return ical({
    name: pageTexts[language].title,
    prodId: { company: 'Federation registry', product: 'Calendar', language: language.toUpperCase() },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds,
  });
}

function addEvent(calendar: ICalCalendar, event: CalendarEvent, { language, baseUrl }: FeedOptions): void {
  const texts = pageTexts[language];
  const url = `${baseUrl}/events/${event.id}`;
  const discipline = event.discipline.title[language];
  const reserve = event.reserveAt && `${texts.reserve}: ${wordsOfDays(event.reserveAt, event.reserveAt, language)}`;
  calendar.createEvent({
    id: `event-${event.id}@${new URL(baseUrl).host}`,
    // Seconds since publication: grows with each change.
    sequence: Math.max(0, Math.floor((event.updatedAt.getTime() - event.publishedAt.getTime()) / 1000)),
    stamp: event.updatedAt,
    lastModified: event.updatedAt,
    start: event.startsAt,
    end: event.endsAt,
    summary: event.title,
    location: event.location,
    description: [`${texts.discipline}: ${discipline}`, `${texts.organizer}: ${event.organizerName}`, reserve, url]
      .filter(Boolean)
      .join('\n'),
    categories: [{ name: discipline }],
    url,
    status: event.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
  });
}
