import type { Language } from '../../../http/language.ts';
import { wordsOfDays, wordsOfMoment } from '../../../http/response/in-words.ts';
import { escapeHtml, type Page, renderVerdict } from '../../../http/response/page.ts';
import type { ClassPlaces } from '../events/settings.ts';
import type { PublicResult } from '../participants/queries.ts';
import { pageTexts, type PageTexts } from './page-texts.ts';
import { markOf } from './page.ts';
import type { PublicEvent } from './queries.ts';
import type { PresentedEvent } from './wire.ts';

export interface EventPage {
  event: PublicEvent;
  documents: PresentedEvent['documents'];
  results: readonly PublicResult[];
  places: readonly ClassPlaces[];
  /** The present instant by the registry's clock. */
  now: Date;
}

/**
 * Renders the page of an event from the facts of GET /events/public/{id} (EVT-17).
 * @param chosen whether the link chose the language; the page's own links then keep it
 */
export function renderEvent(
  { event, documents, results, places, now }: EventPage,
  pages: string,
  language: Language,
  chosen: boolean,
): Page {
  const texts = pageTexts[language];
  const suffix = chosen ? `?lang=${language}` : '';
  const moment = (instant: Date) => `<time datetime="${instant.toISOString()}">${escapeHtml(wordsOfMoment(instant, language))}</time>`;
  const facts: [string, string][] = [
    [texts.begins, moment(event.startsAt)],
    [texts.ends, moment(event.endsAt)],
    [texts.location, escapeHtml(event.location)],
    ...(event.reserveAt
      ? [[texts.reserve, escapeHtml(wordsOfDays(event.reserveAt, event.reserveAt, language))] satisfies [string, string]]
      : []),
    [texts.discipline, escapeHtml(event.discipline.title[language])],
    [texts.organizer, escapeHtml(event.organizerName)],
  ];
  const content = `<a class="back" href="${escapeHtml(`${pages}${suffix}`)}">← ${escapeHtml(texts.back)}</a>
<h1>${escapeHtml(event.title)}</h1>
${markOf(event, now, language, true)}
<dl>
${facts.map(([term, description]) => `<div><dt>${escapeHtml(term)}</dt><dd>${description}</dd></div>`).join('\n')}
</dl>
${event.status === 'published' ? `<a class="action" href="${escapeHtml(`${pages}/${event.id}/calendar.ics${suffix}`)}">${escapeHtml(texts.addToCalendar)}</a>\n` : ''}${event.status === 'published' ? renderPlaces(places, texts) : ''}${renderDocuments(documents, texts)}${renderResults(results, texts)}`;
  return { language, title: `${event.title} · ${texts.title}`, content, query: suffix.slice(1), isForAll: true };
}

/** Renders the page for an event that is not in the calendar. */
export function renderUnknownEvent(pages: string, language: Language): Page {
  const { unknown, back, title } = pageTexts[language];
  const content = `${renderVerdict('unknown', unknown.heading, unknown.text)}
<a class="back" href="${escapeHtml(pages)}">← ${escapeHtml(back)}</a>`;
  return { language, title: `${unknown.heading} · ${title}`, content, query: '' };
}

function renderDocuments({ regulations, results, additional }: EventPage['documents'], texts: PageTexts): string {
  const stage = (name: 'regulations' | 'results', { status, url }: EventPage['documents']['results']) => {
    const label = escapeHtml(texts.stageDocuments[name]);
    return url === null
      ? `<li class="later">${label}: ${escapeHtml(texts.notYet[status])}</li>`
      : `<li><a href="${escapeHtml(url)}">${label}</a></li>`;
  };
  const others = additional.map(
    ({ kind, title, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(nameOf(title, texts.kinds[kind]))}</a></li>`,
  );
  return `<h2>${escapeHtml(texts.documents)}</h2>
<ul>
${[stage('regulations', regulations), stage('results', results), ...others].join('\n')}
</ul>`;
}

/** Renders how full the classes are; nothing without a limit (REG-20). */
function renderPlaces(places: readonly ClassPlaces[], texts: PageTexts): string {
  const limited = places.filter(({ capacity }) => capacity !== null);
  if (limited.length === 0) return '';
  const { title, columns } = texts.places;
  const heads = [columns.taken, columns.waiting].map((head) => `<th scope="col" class="short">${escapeHtml(head)}</th>`);
  const lines = limited.map(
    ({ class: name, capacity, taken, waiting }) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td class="short">${taken} / ${capacity}</td><td class="short">${waiting}</td></tr>`,
  );
  return `<h2>${escapeHtml(title)}</h2>
<div class="table"><table>
<thead><tr><th scope="col">${escapeHtml(columns.class)}</th>${heads.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>
`;
}

/** Omits the kind when the title contains it. */
function nameOf(title: string, kind: string): string {
  return title.toLowerCase().includes(kind.toLowerCase()) ? title : `${kind}: ${title}`;
}

/** Renders a table for each class, so that lines fit a phone. */
function renderResults(results: readonly PublicResult[], texts: PageTexts): string {
  if (results.length === 0) return '';
  const { columns } = texts;
  const classes = Map.groupBy(results, (line) => line.class);
  const tables = [...classes].map(
    ([name, lines]) => `<div class="table"><table>
${classes.size === 1 && name === null ? '' : `<caption>${escapeHtml(name ?? texts.noClass)}</caption>\n`}<thead><tr><th scope="col" class="short">${escapeHtml(columns.place)}</th><th scope="col" class="short">${escapeHtml(columns.startNumber)}</th><th scope="col">${escapeHtml(columns.name)}</th><th scope="col">${escapeHtml(columns.result)}</th></tr></thead>
<tbody>
${lines.map((line) => renderLine(line, texts)).join('\n')}
</tbody>
</table></div>`,
  );
  return `
<h2>${escapeHtml(texts.results)}</h2>
${tables.join('\n')}`;
}

function renderLine({ place, start_number: startNumber, name, result, result_status: status }: PublicResult, texts: PageTexts): string {
  // A result already implies `finished`.
  const words = [result, status === 'finished' && result !== null ? null : texts.resultStatuses[status]];
  return `<tr><td class="short">${place ?? '–'}</td><td class="short">${escapeHtml(startNumber ?? '–')}</td><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(words.filter((word) => word !== null).join(', '))}</td></tr>`;
}
