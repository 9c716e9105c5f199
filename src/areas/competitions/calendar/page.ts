import type { Language } from '../../../http/language.ts';
import { wordsOfDays, wordsOfMonth } from '../../../http/response/in-words.ts';
import { escapeHtml, type Page } from '../../../http/response/page.ts';
import type { CatalogDiscipline } from '../../catalog/index.ts';
import { pageTexts, type PageTexts } from './page-texts.ts';
import { phaseOf } from './wire.ts';
import type { CalendarEvent } from './queries.ts';
import { addressOf, type CalendarSearch } from './search.ts';

export interface CalendarPage {
  search: CalendarSearch;
  events: readonly CalendarEvent[];
  total: number;
  isTotalCapped: boolean;
  disciplines: readonly CatalogDiscipline[];
  /** The present instant by the registry's clock. */
  now: Date;
}

/** Paths of the calendar's pages and feed, from the root of the site. */
export interface SiteAddresses {
  /** `/events` */
  pages: string;
  /** `/api/v1/events/public` */
  api: string;
}

/** Renders the calendar page: a form without scripts, events by month, and paging. */
export function renderCalendar(page: CalendarPage, addresses: SiteAddresses, language: Language): Page {
  const texts = pageTexts[language];
  const { search, events, total, isTotalCapped } = page;
  const content = `<h1>${escapeHtml(texts.title)}</h1>
${renderTabs(search, texts)}
${renderForm(page, language)}
${events.length === 0 ? renderNothing(search, texts) : `<p class="note">${escapeHtml(texts.found(total, isTotalCapped))}</p>`}
${renderMonths(page, addresses, language)}${renderPaging(page, texts)}
<p class="note"><a href="${escapeHtml(feedAddress(search, addresses, language))}">${escapeHtml(texts.follow)}</a></p>`;
  return { language, title: texts.title, content, query: addressOf(search).slice(1), isForAll: true, hasForm: true };
}

/** Says that the search found nothing, and leads to all events of the same tab. */
function renderNothing(search: CalendarSearch, texts: PageTexts): string {
  const all = addressOf({ ...search, phrase: null, disciplineId: null, from: null, to: null, page: 1 });
  const isNarrowed = search.phrase !== null || search.disciplineId !== null || search.from !== null || search.to !== null;
  const link = isNarrowed ? `<a href="${escapeHtml(all)}">${escapeHtml(texts.showAll)}</a>` : escapeHtml(texts.comeBack);
  return `<div class="empty"><p><strong>${escapeHtml(texts.nothing)}</strong></p><p>${link}</p></div>`;
}

function renderTabs(search: CalendarSearch, texts: PageTexts): string {
  const isWhole = search.from === null && search.to === null;
  const tab = (isPast: boolean, label: string) => {
    const current = isWhole && search.isPast === isPast ? ' aria-current="page"' : '';
    return `<a href="${escapeHtml(addressOf({ ...search, isPast, from: null, to: null, page: 1 }))}"${current}>${escapeHtml(label)}</a>`;
  };
  return `<nav class="tabs" aria-label="${escapeHtml(texts.days)}">${tab(false, texts.upcoming)}${tab(true, texts.past)}</nav>`;
}

/** Renders a GET form, so that a search has an address to share and bookmark. */
function renderForm({ search, disciplines }: CalendarPage, language: Language): string {
  const texts = pageTexts[language];
  const field = (name: string, label: string, control: string) => `<div><label for="${name}">${escapeHtml(label)}</label>${control}</div>`;
  const date = (name: 'from' | 'to') => `<input type="date" id="${name}" name="${name}" value="${escapeHtml(search[name] ?? '')}">`;
  const options = disciplines.map(({ id, title }) => {
    const chosen = id === search.disciplineId ? ' selected' : '';
    return `<option value="${id}"${chosen}>${escapeHtml(title[language])}</option>`;
  });
  const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  return `<form method="get" class="filters" role="search">
${search.language === null ? '' : hidden('lang', search.language)}${search.isPast ? hidden('past', '1') : ''}
${field('q', texts.search, `<input type="search" id="q" name="q" maxlength="100" placeholder="${escapeHtml(texts.searchHint)}" value="${escapeHtml(search.phrase ?? '')}">`)}
${field('from', texts.from, date('from'))}
${field('to', texts.to, date('to'))}
${field('discipline_id', texts.discipline, `<select id="discipline_id" name="discipline_id"><option value="">${escapeHtml(texts.allDisciplines)}</option>${options.join('')}</select>`)}
<button>${escapeHtml(texts.find)}</button>
</form>`;
}

function renderMonths({ events, search, now }: CalendarPage, { pages }: SiteAddresses, language: Language): string {
  const months = Map.groupBy(events, ({ startsAt }) => wordsOfMonth(startsAt, language));
  const suffix = search.language === null ? '' : `?lang=${search.language}`;
  const item = (event: CalendarEvent) =>
    `<li><a href="${escapeHtml(`${pages}/${event.id}${suffix}`)}"><b>${escapeHtml(event.title)}</b>
<span>${escapeHtml(wordsOfDays(event.startsAt, event.endsAt, language))}</span>
<span>${escapeHtml(`${event.location} · ${event.discipline.title[language]}`)}</span>${markOf(event, now, language)}</a></li>`;
  const sections = [...months].map(
    ([month, members]) => `<section>
<h2>${escapeHtml(month)}</h2>
<ul class="events">
${members.map(item).join('\n')}
</ul>
</section>`,
  );
  return sections.join('\n');
}

/** Renders the phase of an event; `planned` only with `showsPlanned`. */
export function markOf(event: CalendarEvent, now: Date, language: Language, showsPlanned = false): string {
  const phase = phaseOf(event, now);
  if (phase === 'planned' && !showsPlanned) return '';
  return `<span class="mark ${phase}">${escapeHtml(pageTexts[language].phases[phase])}</span>`;
}

/** Renders paging. With a capped total, a full page implies a next one. */
function renderPaging({ search, events, total, isTotalCapped }: CalendarPage, texts: PageTexts): string {
  const hasNext = search.page * search.limit < total || (isTotalCapped && events.length === search.limit);
  if (search.page === 1 && !hasNext) return '';
  const link = (page: number, relation: 'prev' | 'next', label: string) =>
    `<a href="${escapeHtml(addressOf({ ...search, page }))}" rel="${relation}">${escapeHtml(label)}</a>`;
  return `
<nav class="pages" aria-label="${escapeHtml(texts.pages)}">
${search.page > 1 ? link(search.page - 1, 'prev', texts.previous) : ''}<a href="${escapeHtml(addressOf(search))}" aria-current="page">${escapeHtml(texts.page(search.page))}</a>${hasNext ? link(search.page + 1, 'next', texts.next) : ''}
</nav>`;
}

/** Returns the feed's address for the same search, without its dates. It names the page's language: calendar programs send none. */
function feedAddress({ disciplineId, phrase }: CalendarSearch, { api }: SiteAddresses, language: Language): string {
  const parameters = new URLSearchParams({ lang: language });
  if (disciplineId !== null) parameters.set('discipline_id', String(disciplineId));
  if (phrase !== null) parameters.set('q', phrase);
  return `${api}.ics?${parameters.toString()}`;
}
