import { createHash } from 'node:crypto';
import type { Brand } from '../../platform/brand/brand.ts';
import { type Language, languages } from '../language.ts';
import { wordsOfInstant } from './in-words.ts';

const styleOf = (colour: string) => `
:root { --brand: ${colour}; color-scheme: light dark; --good: #0b6b3a; --bad: #a3161b; --unknown: #4a5560; --line: #8886; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 34rem; padding: 1rem; font: 1.0625rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
header { margin-bottom: .5rem; padding-bottom: .75rem; border-bottom: 3px solid var(--brand); }
header svg { flex: none; width: 2.75rem; height: 2.75rem; }
header a { display: flex; align-items: center; gap: .75rem; color: inherit; text-decoration: none; }
header span { font-size: .9375rem; font-weight: 700; line-height: 1.25; overflow-wrap: anywhere; }
.sandbox { margin: 0 0 .75rem; padding: .5rem .75rem; border: 2px dashed var(--line); border-radius: .5rem; font-size: .9375rem; }
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
form { display: grid; gap: .75rem; margin-top: 1rem; }
label { font-weight: 600; }
input, button, select { width: 100%; min-height: 3.4rem; padding: .75rem; font: inherit; border-radius: .5rem; border: 1px solid var(--line); }
button { background: var(--brand); color: #fff; border: 0; font-weight: 600; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: .75rem 0 .25rem; font-size: 1.125rem; font-weight: 700; }
fieldset label { display: flex; gap: .75rem; align-items: center; padding: .6rem 0; border-bottom: 1px solid var(--line); font-weight: inherit; }
[type='checkbox'] { flex: none; margin: 0; width: 1.375rem; min-height: 1.375rem; accent-color: var(--brand); }
.plain { border: 1px solid var(--line); color: inherit; background: none; }
.alert { margin: 1rem 0 0; padding: .75rem; border-radius: .5rem; color: #fff; background: var(--bad); }
.page { max-width: 60rem; }
.page h1 { font-size: clamp(1.375rem, 6vw, 2rem); }
.page h2::first-letter { text-transform: uppercase; }
input, select { color: inherit; background: Field; }
::placeholder { color: inherit; opacity: .75; }
.empty { margin: 1rem 0; padding: 2rem 1rem; border: 2px dashed var(--line); border-radius: .75rem; text-align: center; }
.empty p { margin: 0 0 .5rem; }
.empty a { color: inherit; }
.tabs, .pages { justify-content: flex-start; margin: .75rem 0 0; }
.back { display: inline-block; padding: .6rem 0; color: inherit; }
.action { display: inline-block; margin-top: 1rem; padding: .75rem 1rem; border-radius: .5rem; background: var(--brand); color: #fff; font-weight: 600; text-decoration: none; }
.events b, .events span { display: block; overflow-wrap: anywhere; }
.events a { text-decoration: none; }
.events b { text-decoration: underline; }
.events .mark { display: inline-block; }
.mark { display: inline-block; margin-top: .35rem; padding: .1rem .6rem; border-radius: .5rem; font-size: .9375rem; font-weight: 600; background: var(--line); }
.mark.cancelled { color: #fff; background: var(--bad); }
.mark.running { color: #fff; background: var(--good); }
.later { padding: .75rem 0; border-bottom: 1px solid var(--line); }
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; margin-top: .75rem; font-size: 1rem; }
caption { padding: .5rem 0; text-align: left; font-weight: 600; overflow-wrap: anywhere; }
th, td { padding: .5rem .4rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word; }
tbody th { font-weight: inherit; min-width: 7.5rem; }
tbody th, td:last-child { overflow-wrap: anywhere; }
td:last-child { min-width: 5.5rem; }
.short { white-space: nowrap; width: 1%; }
@media (max-width: 30rem) { th, td { padding: .5rem .2rem; font-size: .9375rem; } }
@media (min-width: 40rem) { td:last-child { min-width: 11rem; } }
.filters { grid-template-columns: 1fr 1fr; }
.filters div { min-width: 0; }
.filters > :first-of-type, .filters > :nth-last-child(-n + 2) { grid-column: 1 / -1; }
@media (min-width: 45rem) {
  .filters { grid-template-columns: 1fr 1fr 1.5fr auto; align-items: end; }
  .filters > :nth-last-child(-n + 2) { grid-column: auto; }
  .page dl { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2rem; }
}
pre { overflow-x: auto; padding: .75rem; border-radius: .5rem; background: #8882; font-size: .875rem; }
p code { overflow-wrap: anywhere; }
.note, footer { font-size: .9375rem; opacity: .8; }
.note a { color: inherit; }
footer { margin-top: 2rem; }
`;

/** Words on every page. */
const words: Record<Language, { languageName: string; otherLanguages: string; footer: string; movedClock: (now: string) => string }> = {
  ru: {
    languageName: 'Русский',
    otherLanguages: 'Язык страницы',
    footer: 'Реестр спортивной федерации. Время указано по UTC+5.',
    movedClock: (now) => `Песочница: часы реестра переведены и показывают ${now}.`,
  },
  kk: {
    languageName: 'Қазақша',
    otherLanguages: 'Бет тілі',
    footer: 'Спорт федерациясының тізілімі. Уақыт UTC+5 бойынша көрсетілген.',
    movedClock: (now) => `Сынақ ортасы: тізілімнің сағаты жылжытылған, ол ${now} көрсетіп тұр.`,
  },
  en: {
    languageName: 'English',
    otherLanguages: 'Page language',
    footer: 'Registry of the sports federation. Times are in UTC+5.',
    movedClock: (now) => `Sandbox: the registry's clock was moved and shows ${now}.`,
  },
};

/** A page without its shell. */
export interface Page {
  language: Language;
  title: string;
  /** HTML with all foreign text escaped. */
  content: string;
  /** Of the page's address, for links to other languages; null for a page without such links. */
  query: string | null;
  /** A wide page that is the same for all visitors; search engines may index it. */
  isForAll?: boolean;
  /** It has a form, which posts to this service only. */
  hasForm?: boolean;
}

/** What all pages share: the federation's name, crest and colour. */
export interface Shell {
  headersOf(page: Pick<Page, 'language' | 'hasForm'>): Record<string, string>;
  /** @param movedClock the instant of a sandbox clock that was moved; null for the real time */
  render(page: Page, movedClock: Date | null): string;
}

/** Makes the shell of all pages: for phones, without scripts. */
export function createShell({ name, crest, colour }: Brand): Shell {
  const style = styleOf(colour);
  // Allows only the page's own style, by its hash: no scripts, external sources or frames.
  const policyOf = (formAction: "'none'" | "'self'") =>
    [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "base-uri 'none'",
      `form-action ${formAction}`,
      "frame-ancestors 'none'",
    ].join('; ');
  const [pagePolicy, formPolicy] = [policyOf("'none'"), policyOf("'self'")];
  const picture = crest.replace('<svg', '<svg aria-hidden="true"');
  return {
    headersOf: ({ language, hasForm }) => ({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': hasForm ? formPolicy : pagePolicy,
      'Content-Language': language,
      Vary: 'Accept-Language',
    }),
    render: ({ language, title, content, query, isForAll = false }, movedClock) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isForAll ? '' : '<meta name="robots" content="noindex">\n'}<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body${isForAll ? ' class="page"' : ''}>
<header><a href="/">${picture}<span>${escapeHtml(name[language])}</span></a></header>
${query === null ? '' : languageLinks(language, query)}<main>
${movedClock === null ? '' : `<p class="sandbox" role="note">${escapeHtml(words[language].movedClock(wordsOfInstant(movedClock, language)))}</p>\n`}${content}
</main>
<footer>${escapeHtml(words[language].footer)}</footer>
</body>
</html>
`,
  };
}

function languageLinks(language: Language, query: string): string {
  const links = languages.map((other) => {
    const current = other === language ? ' aria-current="true"' : '';
    const parameters = new URLSearchParams(query);
    parameters.set('lang', other);
    return `<a href="?${escapeHtml(parameters.toString())}" lang="${other}" hreflang="${other}"${current}>${escapeHtml(words[other].languageName)}</a>`;
  });
  return `<nav aria-label="${escapeHtml(words[language].otherLanguages)}">${links.join('')}</nav>\n`;
}

const icons = {
  valid: '<path d="M30 52l14 14 27-31" stroke-width="9"/>',
  invalid: '<path d="M34 34l32 32M66 34L34 66" stroke-width="9"/>',
  unknown: '<path d="M38 40a12 12 0 1 1 17 11c-4 2-5 4-5 9" stroke-width="7"/><path d="M50 72v1" stroke-width="9"/>',
  problem: '<path d="M50 29v29" stroke-width="9"/><path d="M50 72v1" stroke-width="9"/>',
  notice: '<path d="M50 30v1" stroke-width="9"/><path d="M50 45v27" stroke-width="9"/>',
};

/** Renders a page's result in large type. */
export function renderVerdict(kind: keyof typeof icons, heading: string, text: string): string {
  return `<div class="verdict ${kind}">
<svg viewBox="0 0 100 100" fill="none" stroke="#fff" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="50" cy="50" r="45" stroke-width="6"/>${icons[kind]}</svg>
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
</div>`;
}

/** Escapes text for an element and a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
