import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { escapeHtml } from '../../../http/response/page.ts';
import { type Brand, defaultBrand } from '../../../platform/brand/brand.ts';

/** A file of the page `/gate`. */
export interface GateAsset {
  type: string;
  content: Buffer;
}

const client = new URL('../../../../client/', import.meta.url);
const script = 'text/javascript; charset=utf-8';
const workerName = 'service-worker.js';

const manifest = {
  name: 'Контроль документов',
  short_name: 'Контроль',
  lang: 'ru',
  start_url: '/gate',
  scope: '/gate',
  display: 'standalone',
  background_color: '#0b4a8f',
  theme_color: '#0b4a8f',
  icons: [
    { src: '/gate/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/gate/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
    { src: '/gate/icon.svg', sizes: 'any', type: 'image/svg+xml' },
  ],
};

/** Writes crest and names into the page. */
function brandPage(page: string, { crest, name }: Brand): string {
  const names = Object.entries(name).map(([language, words]) => ` data-${language}="${escapeHtml(words)}"`);
  return page
    .replace('<!-- crest -->', () => crest.replace('<svg', '<svg aria-hidden="true"'))
    .replace('<b id="brand">', () => `<b id="brand"${names.join('')}>`);
}

/**
 * Builds the page and its files from `client/`, by path below `/gate/`; the page itself is `''`. Node strips the types, so there is no
 * bundle. The service worker names all files and their hash, the release (GAT-7).
 * @param change of the page's main script; tests make another release with it
 */
export function buildGate(brand: Brand, change: (script: string) => string = (same) => same): ReadonlyMap<string, GateAsset> {
  const assets = new Map<string, GateAsset>([
    ['', { type: 'text/html; charset=utf-8', content: Buffer.from(brandPage(read('gate/gate.html').toString(), brand)) }],
    [
      'gate.css',
      {
        type: 'text/css; charset=utf-8',
        content: Buffer.from(read('gate/gate.css').toString().replaceAll(defaultBrand.colour, brand.colour)),
      },
    ],
    [
      'manifest.webmanifest',
      { type: 'application/manifest+json', content: Buffer.from(JSON.stringify(manifest).replaceAll(defaultBrand.colour, brand.colour)) },
    ],
    ['icon.svg', { type: 'image/svg+xml', content: read('gate/icon.svg') }],
    ['icon-192.png', { type: 'image/png', content: read('gate/icon-192.png') }],
    ['icon-512.png', { type: 'image/png', content: read('gate/icon-512.png') }],
    ['ed25519.js', { type: script, content: readFileSync(fileURLToPath(import.meta.resolve('@noble/ed25519'))) }],
    ['jsqr.js', { type: script, content: wrapCommonJs(readFileSync(createRequire(import.meta.url).resolve('jsqr'), 'utf8')) }],
  ]);
  for (const folder of ['src', 'gate']) {
    // The entry of the package has the client of the whole API, which the page does not load.
    for (const name of readdirSync(new URL(folder, client)).filter((each) => each.endsWith('.ts') && each !== 'index.ts'))
      assets.set(name.replace('.ts', '.js'), { type: script, content: toScript(read(`${folder}/${name}`)) });
  }
  const main = assets.get('main.js');
  if (main) main.content = Buffer.from(change(main.content.toString()));
  const worker = assets.get(workerName);
  assets.delete(workerName);
  if (worker) assets.set(workerName, { type: script, content: nameFiles(worker.content, assets) });
  return assets;
}

function read(path: string): Buffer {
  return readFileSync(new URL(path, client));
}

/** All scripts lie in one folder: an import names a file of it. */
function toScript(source: Buffer): Buffer {
  const code = stripTypeScriptTypes(source.toString())
    .replaceAll(/(from |import\()'\.[^']*\/([\w-]+)\.ts'/g, "$1'./$2.js'")
    .replaceAll("'@noble/ed25519'", "'./ed25519.js'")
    .replaceAll("import('jsqr')", "import('./jsqr.js')");
  return Buffer.from(code);
}

function wrapCommonJs(source: string): Buffer {
  return Buffer.from(`const module = { exports: {} };\nconst exports = module.exports;\n${source}\nexport default module.exports;\n`);
}

function nameFiles(worker: Buffer, assets: ReadonlyMap<string, GateAsset>): Buffer {
  const hash = createHash('sha256');
  for (const [name, { content }] of assets) hash.update(`${name}\n`).update(content);
  const files = [...assets.keys()].map((name) => (name === '' ? '/gate' : `/gate/${name}`));
  return Buffer.from(
    worker
      .toString()
      .replace("'RELEASE'", JSON.stringify(hash.digest('base64url').slice(0, 22)))
      .replace("['FILES']", JSON.stringify(files)),
  );
}
