import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { DomainError } from '../../errors.ts';

const builds = new URL('../../../dist/web/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
};

/**
 * Reads what Vite has built of a page of `web/`, by path; the page itself is `index.html`.
 * @throws {DomainError} not_found before the build
 */
export function readWebBuild(page: 'desk' | 'gate'): ReadonlyMap<string, Buffer> {
  const folder = new URL(`${page}/`, builds);
  if (!existsSync(folder)) throw new DomainError('not_found', undefined, 'The pages are not built. Run `npm run build:web`.');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(new URL(path, folder)).isFile());
  return new Map(paths.toSorted().map((path) => [path, readFileSync(new URL(path, folder))]));
}

/** The headers of a built file. Vite gives hashed names to the files that it puts into a folder. */
export function webFileHeaders(path: string): Record<'Content-Type' | 'Cache-Control', string> {
  return {
    'Content-Type': types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'Cache-Control': path.includes('/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}
