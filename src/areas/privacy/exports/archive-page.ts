import type { Language } from '../../../http/language.ts';
import { escapeHtml } from '../../../http/response/page.ts';
import { columnName } from '../../../platform/personal-data.ts';
import { titleOfField } from './field-titles.ts';
import type { ShownRow } from './read-data.ts';
import { kindTitles, pageTexts } from './texts.ts';

/** Rows of a kind that the page shows; `data.json` has all. */
export const mostShown = 200;

/** The records of a kind on the page. */
export interface Section {
  kind: string;
  /** At most `mostShown`. */
  rows: readonly ShownRow[];
  count: number;
}

/** Writes the page of an archive (PRV-2): a table for each kind of records, without scripts and without anything from elsewhere. */
export function writePage(language: Language, madeAt: string, sections: readonly Section[]): string {
  const title = escapeHtml(pageTexts.title[language]);
  const links = sections.map(({ kind, count }) => `<li><a href="#${kind}">${titleOf(kind, language)}</a> (${count})</li>`);
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1c1c1c; background: #fff }
section { overflow-x: auto; margin-top: 2rem }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ddd; max-width: 28rem; overflow-wrap: break-word }
th { font-weight: 600; white-space: nowrap }
</style>
<h1>${title}</h1>
<p>${escapeHtml(pageTexts.made[language])}: ${readable(madeAt)} (UTC+5)</p>
<p>${escapeHtml(pageTexts.about[language])}</p>
<ul>${links.join('')}</ul>
${sections.map((section) => writeSection(section, language)).join('\n')}
</html>
`;
}

function writeSection({ kind, rows, count }: Section, language: Language): string {
  // A column without a value in any row says nothing.
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => !isEmpty(row[column])));
  const head = columns.map((column) => `<th scope="col">${escapeHtml(titleOfField(column, language))}</th>`).join('');
  const body = rows.map((row) => `<tr>${columns.map((column) => `<td>${writeValue(column, row[column], language)}</td>`).join('')}</tr>`);
  const more = count > rows.length ? `<p>${escapeHtml(pageTexts.more[language](rows.length, count))}</p>` : '';
  return `<section><h2 id="${kind}">${titleOf(kind, language)}</h2>
<table><thead><tr>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table>${more}</section>`;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function writeValue(column: string, value: unknown, language: Language): string {
  if (isEmpty(value)) return '';
  if (typeof value === 'boolean') return escapeHtml(pageTexts[value ? 'yes' : 'no'][language]);
  // Stored in tiyn.
  if (typeof value === 'number' && column.endsWith('_minor')) return `${(value / 100).toFixed(2)} KZT`;
  if (typeof value !== 'object') {
    const text = escapeHtml(typeof value === 'string' ? readable(value) : JSON.stringify(value));
    // Never a link that a person wrote.
    return column.endsWith('path') && text.startsWith('files/') ? `<a href="${text}">${text}</a>` : text;
  }
  if (Array.isArray(value)) return value.map((item) => writeValue('', item, language)).join('<br>');
  const words = new Map(Object.entries(value ?? {}));
  // A text in three languages.
  if (words.has('ru') && words.has('kk') && words.has(language)) return writeValue('', words.get(language), language);
  return [...words]
    .filter(([, part]) => !isEmpty(part))
    .map(([name, part]) => {
      const field = columnName(name);
      return `${escapeHtml(titleOfField(field, language))}: ${writeValue(field, part, language)}`;
    })
    .join('<br>');
}

/** Writes an instant as people do; other text stays as it is. */
function readable(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?\+05:00$/.exec(text) ?? [];
  return day === undefined ? text : `${day} ${time}`;
}

function titleOf(kind: string, language: Language): string {
  const title = kindTitles[kind];
  if (title === undefined) throw new TypeError(`records of the kind ${kind} have no title`);
  return escapeHtml(title[language]);
}
