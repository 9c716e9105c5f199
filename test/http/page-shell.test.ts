import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createShell } from '../../src/http/response/page.ts';
import { defaultBrand, loadBrand } from '../../src/platform/brand/brand.ts';
import { useRegistry } from '../support/use-registry.ts';

/** What stands around every page: the federation's brand, and the note of a sandbox whose clock was moved. */

const { api } = await useRegistry();

const open = async (path: string) => fetch(api.url + path, { headers: { accept: 'text/html', 'accept-language': 'en' } });

test('SBX-1: every page shows that the sandbox clock was moved, and is not cached then', async () => {
  const paths = [
    '/',
    '/events',
    '/events/99',
    '/docs/build',
    '/docs/start',
    '/v/unknown-token-0123456789',
    '/payment-return',
    '/reset?token=x',
  ];
  for (const path of paths) expect([path, await (await open(path)).text()]).toEqual([path, expect.not.stringContaining('clock was moved')]);
  const later = new Date(Date.now() + 400 * 86_400_000).toISOString();
  const year = later.slice(0, 4);
  await api.travelTo(later);
  for (const path of paths) {
    const answer = await open(path);
    expect([path, await answer.text()]).toEqual([path, expect.stringMatching(new RegExp(`clock was moved and shows [^<]*${year}`))]);
    expect([path, answer.headers.get('cache-control')]).toEqual([path, 'no-store']);
  }
  expect((await open('/status-lists')).headers.get('sandbox-now')).toMatch(new RegExp(`^${year}-`));
});

const folder = mkdtempSync(join(tmpdir(), 'brand-'));
function brandOf(content: unknown, crest = '<svg viewBox="0 0 1 1"><path d="M0 0h1"/></svg>') {
  writeFileSync(join(folder, 'brand.json'), typeof content === 'string' ? content : JSON.stringify(content));
  writeFileSync(join(folder, 'crest.svg'), crest);
  return () => loadBrand(join(folder, 'brand.json'));
}
const name = { kk: 'К', ru: 'Р <b>', en: 'E' };

test('BRAND_FILE changes name, crest and colour of a page', () => {
  const brand = brandOf({ name, crest: 'crest.svg', colour: '#7a1f3d' })();
  const html = createShell(brand).render({ language: 'ru', title: 'T', content: '', query: null }, null);
  for (const part of ['Р &lt;b&gt;', '<path d="M0 0h1"/>', '--brand: #7a1f3d']) expect(html).toContain(part);
  expect(brandOf({ name })().crest).toBe(defaultBrand.crest);
});

test.each([
  ['no JSON', '{', undefined, 'is not JSON'],
  ['a name less', { name: { kk: 'К', ru: 'Р' } }, undefined, 'name.en'],
  ['an unknown field', { name, color: '#123456' }, undefined, 'color'],
  ['a pale colour', { name, colour: '#ffdd00' }, undefined, 'not legible'],
  ['a crest that does not exist', { name, crest: 'no.svg' }, undefined, 'ENOENT'],
  ['a crest with a script', { name, crest: 'crest.svg' }, '<svg><script>1</script></svg>', 'without scripts'],
  ['a crest with a handler', { name, crest: 'crest.svg' }, '<svg onload="x()"></svg>', 'without scripts'],
  ['a crest with an address', { name, crest: 'crest.svg' }, '<svg><path fill="url(#a)"/></svg>', 'without scripts'],
])('BRAND_FILE with %s is refused at the start', (_what, content, crest, words) => {
  expect(brandOf(content, crest)).toThrow(words);
});
