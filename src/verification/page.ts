import { createHash } from 'node:crypto';
import type { DocumentType } from '../documents/states.ts';
import { registryOffset, startOfDay } from '../platform/date-time.ts';
import { languages } from './language.ts';
import type { Language } from './language.ts';
import { pageTexts } from './page-texts.ts';
import type { PageTexts } from './page-texts.ts';
import type { Verification } from './presenter.ts';

const style = `
:root { color-scheme: light dark; --good: #0b6b3a; --bad: #a3161b; --unknown: #4a5560; --line: #8886; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 34rem; padding: 1rem; font: 1.0625rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem; justify-content: flex-end; margin-bottom: 1rem; }
nav a { padding: .6rem .75rem; border-radius: .5rem; color: inherit; }
nav a[aria-current] { font-weight: 700; text-decoration: none; background: var(--line); }
.verdict { border-radius: 1rem; padding: 1.75rem 1rem; text-align: center; color: #fff; background: var(--unknown); }
.verdict.valid { background: var(--good); }
.verdict.invalid { background: var(--bad); }
.verdict svg { width: 5.5rem; height: 5.5rem; display: block; margin: 0 auto .5rem; }
h1 { margin: 0; font-size: clamp(1.25rem, 7.6vw, 2.1rem); line-height: 1.15; overflow-wrap: anywhere; }
.verdict p { margin: .6rem auto 0; max-width: 26rem; }
dl { margin: 1.25rem 0 0; }
dl div { padding: .75rem 0; border-bottom: 1px solid var(--line); }
dt { font-size: .9375rem; opacity: .8; }
dd { margin: .125rem 0 0; font-size: 1.1875rem; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 1.5rem 0 .25rem; }
ul { margin: 0; padding: 0; list-style: none; }
li a { display: block; padding: .75rem 0; border-bottom: 1px solid var(--line); color: inherit; }
.note, footer { font-size: .9375rem; opacity: .8; }
footer { margin-top: 2rem; }
`;

/** No script, no outside source, no frame: only this page's own style, by its hash. */
export const pageContentPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A scan that may be opened from the page. */
export interface PageDocument {
  type: DocumentType;
  url: string;
}

/** The page a person sees after scanning a QR: the same facts as GET /verify/{token}, in words (decisions.md §4). */
export function renderVerification(facts: Verification, documents: readonly PageDocument[], language: Language): string {
  const texts = pageTexts[language];
  const heading = facts.valid ? texts.heading.valid : texts.heading.invalid;
  const day = (value: string) => formatDay(value, language);
  return render(
    language,
    `${heading} · ${facts.number}`,
    `${verdict(facts.valid ? 'valid' : 'invalid', heading, texts.states[facts.state])}
<dl>
<div><dt>${escape(texts.kinds[facts.kind])}</dt><dd>${escape(facts.number)}</dd></div>
<div><dt>${escape(texts.validity)}</dt><dd>${escape(texts.period(day(facts.valid_from), day(facts.valid_until)))}</dd></div>
<div><dt>${escape(texts.checked)}</dt><dd><time datetime="${escape(facts.checked_at)}">${escape(formatInstant(facts.checked_at, language))}</time></dd></div>
</dl>
<p class="note">${escape(texts.compare)}</p>${documentList(documents, texts)}`,
  );
}

/** The page for a token that the registry does not know. */
export function renderUnknown(language: Language): string {
  const { heading, unknownText } = pageTexts[language];
  return render(language, heading.unknown, verdict('unknown', heading.unknown, unknownText));
}

function render(language: Language, title: string, content: string): string {
  const texts = pageTexts[language];
  const links = languages.map((other) => {
    const current = other === language ? ' aria-current="true"' : '';
    return `<a href="?lang=${other}" lang="${other}" hreflang="${other}"${current}>${escape(pageTexts[other].languageName)}</a>`;
  });
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)} · ${escape(texts.title)}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="${escape(texts.otherLanguages)}">${links.join('')}</nav>
<main>
${content}
</main>
<footer>${escape(texts.footer)}</footer>
</body>
</html>
`;
}

const icons = {
  valid: '<path d="M30 52l14 14 27-31" stroke-width="9"/>',
  invalid: '<path d="M34 34l32 32M66 34L34 66" stroke-width="9"/>',
  unknown: '<path d="M38 40a12 12 0 1 1 17 11c-4 2-5 4-5 9" stroke-width="7"/><path d="M50 72v1" stroke-width="9"/>',
};

function verdict(kind: keyof typeof icons, heading: string, text: string): string {
  return `<div class="verdict ${kind}">
<svg viewBox="0 0 100 100" fill="none" stroke="#fff" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="50" cy="50" r="45" stroke-width="6"/>${icons[kind]}</svg>
<h1>${escape(heading)}</h1>
<p>${escape(text)}</p>
</div>`;
}

function documentList(documents: readonly PageDocument[], texts: PageTexts): string {
  if (documents.length === 0) return '';
  const items = documents.map(({ type, url }) => `<li><a href="${escape(url)}">${escape(texts.documentTypes[type])}</a></li>`);
  return `\n<h2>${escape(texts.documents)}</h2>\n<ul>${items.join('')}</ul>`;
}

const locales = { ru: 'ru-RU', kk: 'kk-KZ', en: 'en-GB' } as const satisfies Record<Language, string>;

function formatDay(day: string, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: registryOffset }).format(startOfDay(day));
}

function formatInstant(text: string, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeStyle: 'medium', timeZone: registryOffset }).format(
    new Date(text),
  );
}

/** Makes text safe in an element and in a quoted attribute. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
