import { createShell, type Page } from '../../../src/http/response/page.ts';
import { defaultBrand } from '../../../src/platform/brand/brand.ts';

export const shell = createShell(defaultBrand);

/** @returns a page as a browser receives it, with the clock of real time */
export const htmlOf = (page: Page): string => shell.render(page, null);

/** @returns the addresses of a page's links, in their order */
export const linksOf = (html: string): string[] => [...html.matchAll(/<a href="([^"]+)"/g)].map(([, address = '']) => address);

/** @returns the blocks of a language on a page for programmers, as a reader copies them */
export const codeOf = (html: string, language: 'sh' | 'ts'): string[] =>
  [...html.matchAll(new RegExp(`<pre><code class="${language}">([^<]+)</code></pre>`, 'g'))].map(([, block = '']) => unescaped(block));

function unescaped(text: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}
