import { documentTypeTitles } from '../catalog/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import { wordsOfDay, wordsOfInstant } from '../http/dates-in-words.ts';
import type { Language } from '../http/language.ts';
import { escapeHtml, renderPage, renderVerdict } from '../http/page.ts';
import { pageTexts } from './page-texts.ts';
import type { Verification } from './presenter.ts';

/** A scan that may be opened from the page. */
export interface PageDocument {
  type: DocumentType;
  url: string;
}

/** The page a person sees after scanning a QR: the same facts as GET /verify/{token}, in words (decisions.md §4). */
export function renderVerification(facts: Verification, documents: readonly PageDocument[], language: Language): string {
  const texts = pageTexts[language];
  const heading = facts.valid ? texts.heading.valid : texts.heading.invalid;
  const day = (value: string) => wordsOfDay(value, language);
  return render(
    language,
    `${heading} · ${facts.number}`,
    `${renderVerdict(facts.valid ? 'valid' : 'invalid', heading, texts.states[facts.state])}
<dl>
<div><dt>${escapeHtml(texts.kinds[facts.kind])}</dt><dd>${escapeHtml(facts.number)}</dd></div>
<div><dt>${escapeHtml(texts.validity)}</dt><dd>${escapeHtml(texts.period(day(facts.valid_from), day(facts.valid_until)))}</dd></div>
<div><dt>${escapeHtml(texts.checked)}</dt><dd><time datetime="${escapeHtml(facts.checked_at)}">${escapeHtml(wordsOfInstant(new Date(facts.checked_at), language))}</time></dd></div>
</dl>
<p class="note">${escapeHtml(texts.compare)}</p>${documentList(documents, language)}`,
  );
}

/** The page for a token that the registry does not know. */
export function renderUnknown(language: Language): string {
  const { heading, unknownText } = pageTexts[language];
  return render(language, heading.unknown, renderVerdict('unknown', heading.unknown, unknownText));
}

function render(language: Language, title: string, content: string): string {
  return renderPage(language, `${title} · ${pageTexts[language].title}`, content);
}

function documentList(documents: readonly PageDocument[], language: Language): string {
  if (documents.length === 0) return '';
  const items = documents.map(
    ({ type, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(documentTypeTitles[language][type])}</a></li>`,
  );
  return `\n<h2>${escapeHtml(pageTexts[language].documents)}</h2>\n<ul>${items.join('')}</ul>`;
}
