import { escapeHtml, type Page } from '../response/page.ts';

export const buildPagePath = '/docs/build';
export const startPagePath = '/docs/start';

/** A part of a page for programmers. */
export interface Section {
  id: string;
  title: string;
  /** HTML. */
  content: string[];
}

/** Renders a page for programmers, with links to its sections. @param introduction with the marks of `text` */
export function renderGuide(title: string, introduction: string, sections: readonly Section[]): Page {
  const links = sections.map(({ id, title: name }) => `<a href="#${id}">${escapeHtml(name)}</a>`);
  const bodies = sections.map(({ id, title: name, content }) => `<h2 id="${id}">${escapeHtml(name)}</h2>\n${content.join('\n')}`);
  const content = `<h1>${escapeHtml(title)}</h1>
${text(introduction)}
<nav class="tabs" aria-label="Sections">${links.join('')}</nav>
${bodies.join('\n')}`;
  return { language: 'en', title, content, query: null, isForAll: true };
}

/** Renders a paragraph with `code` and [links](address). */
export function text(source: string): string {
  const html = escapeHtml(source)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^[\]]+)\]\(([^()]+)\)/g, '<a href="$2">$1</a>');
  return `<p>${html}</p>`;
}

/** Renders lines of a shell. Tests run them in the order of the page. */
export function commands(lines: string): string {
  return `<pre><code class="sh">${escapeHtml(lines)}</code></pre>`;
}

/** Renders a program in TypeScript. */
export function program(lines: string): string {
  return `<pre><code class="ts">${escapeHtml(lines)}</code></pre>`;
}

/** Two years ahead, so that a sandbox may be a year ahead too. */
export function yearOfExpiry(): number {
  return new Date().getUTCFullYear() + 2;
}
