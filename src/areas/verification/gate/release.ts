import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../http/response/page.ts';
import { webFileHeaders } from '../../../http/response/web-build.ts';
import { type Brand, defaultBrand } from '../../../platform/brand/brand.ts';

/** A file of the page `/gate`. */
export interface GateFile {
  content: Buffer;
  headers: Record<string, string>;
}

/** Own files only; a photo is a blob. */
const gatePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageName = 'index.html';
const workerName = 'service-worker.js';
/** Files whose names have no hash, so that the brand may change their content. */
const brandedNames: ReadonlySet<string> = new Set([pageName, 'brand.css', 'manifest.webmanifest']);

/**
 * Makes the files of the page, by address, from those that Vite has built. Writes crest, names and colour into them, and the hash of all
 * files, the release, into the page and the service worker: another brand is another release (GAT-7).
 * @param built by path
 */
export function makeRelease(built: ReadonlyMap<string, Buffer>, brand: Brand): ReadonlyMap<string, GateFile> {
  const branded = [...built].map(([path, content]) => [path, brandedNames.has(path) ? writeBrand(content, brand) : content] as const);
  const release = createHash('sha256');
  for (const [path, content] of branded) release.update(`${path}\n`).update(content);
  const hash = release.digest('base64url').slice(0, 22);
  const named: Readonly<Record<string, string>> = { [pageName]: hash, [workerName]: JSON.stringify(hash) };
  return new Map(
    branded.map(([path, content]) => [
      path === pageName ? '/gate' : `/gate/${path}`,
      {
        content: path in named ? Buffer.from(content.toString().replaceAll('GATE_RELEASE', () => named[path] ?? '')) : content,
        headers: gateHeaders(path),
      },
    ]),
  );
}

function writeBrand(content: Buffer, { crest, name, colour }: Brand): Buffer {
  const names = Object.entries(name).map(([language, words]) => ` data-${language}="${escapeHtml(words)}"`);
  return Buffer.from(
    content
      .toString()
      .replaceAll(defaultBrand.colour, colour)
      .replace('<!-- crest -->', () => crest.replace('<svg', '<svg aria-hidden="true"'))
      .replace('<b id="brand">', () => `<b id="brand"${names.join('')}>`),
  );
}

function gateHeaders(path: string): Record<string, string> {
  return {
    ...webFileHeaders(path),
    'Content-Security-Policy': gatePolicy,
    ...(path === pageName ? { 'Permissions-Policy': 'camera=(self)' } : {}),
    ...(path === workerName ? { 'Service-Worker-Allowed': '/gate' } : {}),
  };
}
