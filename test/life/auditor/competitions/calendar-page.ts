import { showsMovedClock } from '../http/moved-clock.ts';
import type { Inquiry } from '../inquiry.ts';

/** Fewer than a page of the calendar shows. */
const mostEvents = 15;

/** The page without scripts shows what ends today or later, or what ended before today, by days in UTC+5 (EVT-11). */
export async function askCalendarPage({ model, registryUrl, today, now, same }: Inquiry): Promise<void> {
  const published = [...model.events.values()].filter(({ wasPublished }) => wasPublished);
  if (published.length === 0 || published.length > mostEvents) return;
  const page = async (query: string) => (await fetch(`${registryUrl}/events${query}`)).text();
  const shown = async (query: string) => idsIn(await page(query));
  const first = await page('');
  same('the calendar page shows that the clock was moved (SBX-1)', true, showsMovedClock(first, now));
  const midnight = Date.parse(`${today}T00:00:00+05:00`);
  const over = published.filter(({ endsAt }) => endsAt < midnight).map(({ id }) => id);
  const coming = published.filter(({ endsAt }) => endsAt >= midnight).map(({ id }) => id);
  same('the calendar page shows running and coming events (EVT-11)', inOrder(coming), idsIn(first));
  same('the calendar page shows past events (EVT-11)', inOrder(over), await shown('?past=1'));
  same('a first day that is not past is ignored among past events (EVT-11)', inOrder(over), await shown(`?past=1&from=${today}`));
  for (const language of ['ru', 'kk', 'en']) {
    const [, feed = ''] = /href="([^"]*public\.ics[^"]*)"/.exec(await page(`?lang=${language}`)) ?? [];
    same('the feed of the calendar page is in its language (EVT-11)', true, feed.includes(`lang=${language}`));
  }
}

const inOrder = (ids: Iterable<number>) => [...new Set(ids)].toSorted((left, right) => left - right);

const idsIn = (html: string) => inOrder([...html.matchAll(/href="[^"]*\/events\/(\d+)[?"]/g)].map(([, id]) => Number(id)));
