import fc from 'fast-check';
import { renderEvent } from '../../../src/areas/competitions/calendar/event-page.ts';
import { pageTexts } from '../../../src/areas/competitions/calendar/page-texts.ts';
import { phaseOf } from '../../../src/areas/competitions/calendar/wire.ts';
import { type PublicEvent, publicStatuses } from '../../../src/areas/competitions/calendar/queries.ts';
import { addressOf, type CalendarSearch, filterOf, readSearch } from '../../../src/areas/competitions/calendar/search.ts';
import type { ClassPlaces } from '../../../src/areas/competitions/events/settings.ts';
import type { PublicResult } from '../../../src/areas/competitions/participants/queries.ts';
import { languages } from '../../../src/http/language.ts';
import { parseQuery } from '../../../src/http/request/validate.ts';
import { htmlOf } from '../../support/texts/page-html.ts';

const now = new Date('2026-11-22T10:00:00+05:00');

const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((instant) => instant.toISOString().slice(0, 10));
const search: fc.Arbitrary<CalendarSearch> = fc
  .record({
    language: fc.constantFrom(...languages, null),
    from: fc.option(day),
    to: fc.option(day),
    disciplineId: fc.option(fc.integer({ min: 1, max: 2_147_483_647 })),
    phrase: fc.option(
      fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' }).map((text) => [...text.trim()].slice(0, 100).join('').trim() || 'я'),
    ),
    isPast: fc.boolean(),
    page: fc.integer({ min: 1, max: 10_000 }),
    limit: fc.constant(30),
  })
  .map((chosen) => (chosen.isPast && (chosen.from ?? '') >= '2026-11-22' ? { ...chosen, from: null } : chosen));

test('the address of a search reads back as the same search', () => {
  fc.assert(fc.property(search, (chosen) => expect(readSearch(parseQuery(addressOf(chosen)), now)).toEqual(chosen)));
});

test('any address gives a valid filter', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('from', 'to', 'q', 'page', 'discipline_id', 'past', 'lang'),
        fc.oneof(fc.string(), fc.array(fc.string())),
      ),
      (query) => {
        const { order, ...filter } = filterOf(readSearch(query, now), now);
        expect(['asc', 'desc']).toContain(order);
        for (const value of Object.values(filter)) if (value instanceof Date) expect(Number.isNaN(value.getTime())).toBe(false);
      },
    ),
  );
});

test('days are in UTC+5, and the last day is included (API-4)', () => {
  const { startsFrom, startsBefore } = filterOf(readSearch({ from: '2026-12-01', to: '2026-12-01' }, now), now);
  expect([startsFrom?.toISOString(), startsBefore?.toISOString()]).toEqual(['2026-11-30T19:00:00.000Z', '2026-12-01T19:00:00.000Z']);
  // 23:59 in UTC+5.
  expect(filterOf(readSearch({}, now), new Date('2026-11-22T18:59:00Z')).endsFrom?.toISOString()).toBe('2026-11-21T19:00:00.000Z');
});

test('past events ignore a first day that is not past, and keep an earlier one', () => {
  const firstOf = (from: string) => readSearch({ past: '1', from }, now).from;
  expect([firstOf('2027-01-01'), firstOf('2026-11-22'), firstOf('2026-11-21')]).toEqual([null, null, '2026-11-21']);
});

test.each([
  ['published', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z', 'planned'],
  ['published', '2026-11-22T05:00:00Z', '2026-11-24T00:00:00Z', 'running'],
  ['published', '2026-11-20T00:00:00Z', '2026-11-22T05:00:00Z', 'running'],
  ['published', '2026-11-20T00:00:00Z', '2026-11-22T04:59:59Z', 'over'],
  ['completed', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', 'completed'],
  ['cancelled', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z', 'cancelled'],
] as const)('%s, from %s until %s: %s', (status, startsAt, endsAt, phase) => {
  expect(publicStatuses).toContain(status);
  expect(phaseOf({ status, startsAt: new Date(startsAt), endsAt: new Date(endsAt) }, now)).toBe(phase);
});

describe('the page of an event', () => {
  const event: PublicEvent = {
    id: 12,
    title: 'Ұлы дала жорығы '.repeat(12).trim(),
    location: 'Шарын шатқалы',
    startsAt: new Date('2026-10-03T04:00:00Z'),
    endsAt: new Date('2026-10-04T12:00:00Z'),
    reserveAt: null,
    status: 'completed',
    publishedAt: now,
    updatedAt: now,
    organizerName: 'Клуб',
    discipline: { id: 1, code: 'rally', title: { ru: 'Ралли', kk: 'Раллі', en: 'Rally' } },
    stages: [],
    additional: [],
    classes: null,
    classLimits: null,
  };
  const none = { status: 'locked', url: null } as const;
  const documents = { regulations: none, results: none, additional: [] };
  const results = Array.from({ length: 200 }, (_, index): PublicResult => ({
    place: index % 10 === 9 ? null : index + 1,
    start_number: String(index),
    class: index < 150 ? 'R2' : null,
    name: `Қатысушы ${index}`,
    result: index % 10 === 9 ? null : `1:${index}`,
    result_status: index % 10 === 9 ? 'dsq' : 'finished',
  }));

  test.each(languages)('in %s: one accessible table a class, no script, texts for missing documents', (language) => {
    const texts = pageTexts[language];
    const page = htmlOf(renderEvent({ event, documents, results, places: [], now }, '/events', language, true));
    expect(page.match(/<table>/g)?.length).toBe(2);
    expect(page.match(/<caption>[^<]*/g)).toEqual(['<caption>R2', `<caption>${texts.noClass}`]);
    expect(page.match(/<th scope="row">/g)?.length).toBe(200);
    expect(page.match(/<th scope="col"/g)?.length).toBe(8);
    expect(page).toContain(texts.resultStatuses.dsq);
    expect(page).not.toContain(texts.resultStatuses.finished);
    expect(page).toContain(`${texts.stageDocuments.regulations}: ${texts.notYet.locked}`);
    expect(page).toContain(texts.phases.completed);
    expect(page).toContain(`href="/events?lang=${language}"`);
    expect(page).not.toContain('<script');
    expect(page).not.toContain('noindex');
  });

  test('shows the places of limited classes before the end, no table without results, and offers the day to calendars before the event', () => {
    const unlimited = { class: 'R5', capacity: null, taken: 3, waiting: 0 };
    const pageWith = (places: ClassPlaces[]) =>
      htmlOf(renderEvent({ event: { ...event, status: 'published' }, documents, results: [], places, now }, '/events', 'ru', false));
    const page = pageWith([unlimited]);
    expect(page).not.toContain('<table');
    expect(pageWith([{ class: 'R2', capacity: 40, taken: 40, waiting: 7 }, unlimited])).toContain(
      '<th scope="row">R2</th><td class="short">40 / 40</td><td class="short">7</td></tr>\n</tbody>',
    );
    expect(page).toContain('href="/events/12/calendar.ics"');
    expect(
      htmlOf(renderEvent({ event: { ...event, status: 'cancelled' }, documents, results: [], places: [], now }, '/events', 'ru', false)),
    ).not.toContain('.ics');
  });

  test('names a document once', () => {
    const url = '/d';
    const additional = [
      { document_id: 1, title: 'Бюллетень №1', kind: 'bulletin' as const, status: 'approved' as const, url },
      { document_id: 2, title: 'Спецучасток', kind: 'scheme' as const, status: 'approved' as const, url },
    ];
    const approved = { status: 'approved', url } as const;
    const page = htmlOf(
      renderEvent(
        { event, documents: { regulations: approved, results: approved, additional }, results: [], places: [], now },
        '/events',
        'ru',
        false,
      ),
    );
    const names = [...page.matchAll(/<li><a href="\/d">([^<]*)</g)].map(([, name]) => name);
    expect(names).toEqual(['Регламент', 'Итоговый протокол', 'Бюллетень №1', 'Схема: Спецучасток']);
  });
});
