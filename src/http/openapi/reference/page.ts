import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DomainError } from '../../../errors.ts';
import { type CompressedContent, compressOnce } from '../../response/cacheable.ts';
import { body, type Reply } from '../../response/reply.ts';
import { buildPagePath, startPagePath } from '../guide.ts';

/** Leaves the library its place below the links (`--scalar-custom-header-height`), in its colours. */
const style = `
:root { --scalar-custom-header-height: 2.75rem; }
body { margin: 0; }
.guides { position: sticky; top: 0; z-index: 10; display: flex; align-items: center; gap: 1.25rem; box-sizing: border-box; height: 2.75rem; padding: 0 1.25rem; overflow-x: auto; white-space: nowrap; font: 0.875rem system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; color: var(--scalar-color-1); background: var(--scalar-background-1); border-bottom: 1px solid var(--scalar-border-color); }
.guides a { color: inherit; }
`;

/**
 * Allows own scripts, and style elements that carry the nonce of this answer. Style attributes cannot carry one; the library renders its
 * icons and measures with them.
 */
const policyOf = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const pageOf = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" nonce="${nonce}" content="${nonce}">
<title>Registry API reference</title>
<link rel="icon" href="/gate/icon.svg">
${preloads()}
<style nonce="${nonce}">${style}</style>
</head>
<body>
<nav class="guides" aria-label="Guides"><a href="${startPagePath}">From registration to certificate</a><a href="${buildPagePath}">Build on it</a></nav>
<div id="reference"></div>
<noscript>This page needs scripts; the document itself is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</noscript>
<script type="module" src="/docs/start.js"></script>
</body>
</html>
`;

/** Answers the reference page. */
export function showReferencePage(): Reply<never> {
  const nonce = randomBytes(16).toString('base64');
  return body(pageOf(nonce), { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policyOf(nonce) });
}

let links = '';

/** Lets the browser request at once what `start.mjs` and the library load in turn. */
function preloads(): string {
  if (links === '') {
    const chunks = readScript('standalone.esm.js')
      .toString()
      .matchAll(/from"\.(\/chunks\/[\w.-]+)"/g);
    const modules = ['/start.js', '/standalone.esm.js', ...new Set([...chunks].map(([, path]) => path))];
    links = modules.map((path) => `<link rel="modulepreload" href="/docs${path}">`).join('\n');
  }
  return links;
}

const contents = new Map<string, CompressedContent>();

/**
 * Returns a script of the page; reads each at its first request.
 * @param name below `/docs/`
 * @throws {DomainError} not_found
 */
export function referenceScript(name: string): CompressedContent {
  let content = contents.get(name);
  if (!content) {
    content = compressOnce(readScript(name), {
      'Content-Type': 'text/javascript; charset=utf-8',
      // The names of chunks have a hash of their content.
      'Cache-Control': name.startsWith('chunks/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    contents.set(name, content);
  }
  return content;
}

function readScript(name: string): Buffer {
  try {
    return readFileSync(name === 'start.js' ? new URL('start.mjs', import.meta.url) : new URL(name, libraryFolder()));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new DomainError('not_found');
    throw error;
  }
}

/** The scripts that the library has built: in its package, and in the image, which has no packages of the development, in a copy. */
function libraryFolder(): URL {
  try {
    return new URL('browser/', import.meta.resolve('@scalar/api-reference'));
  } catch {
    return new URL('../../../../dist/reference/', import.meta.url);
  }
}
