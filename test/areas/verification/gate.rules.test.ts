import { makeRelease } from '../../../src/areas/verification/gate/release.ts';
import { readWebBuild } from '../../../src/http/response/web-build.ts';
import { defaultBrand } from '../../../src/platform/brand/brand.ts';
import { buildWeb } from '../../../src/tools/web/build.ts';

const workerAddress = '/gate/service-worker.js';
const textOf = (release: ReturnType<typeof makeRelease>, address: string) => String(release.get(address)?.content);
const otherBrand = { name: { kk: 'Клуб', ru: 'Клуб «Ветер»', en: 'Club "Wind"' }, crest: '<svg id="crest"></svg>', colour: '#7a1f5c' };

let built: ReturnType<typeof readWebBuild>;
beforeAll(async () => {
  await buildWeb();
  built = readWebBuild('gate');
});

test('GAT-7: the service worker keeps every file of its release', () => {
  const release = makeRelease(built, defaultBrand);
  const worker = textOf(release, workerAddress);
  const kept = [...worker.matchAll(/"url":"([^"]+)"/g)].map(([, url = '']) => new URL(url, `http://localhost${workerAddress}`).pathname);
  expect(kept.toSorted()).toEqual([...release.keys()].filter((address) => address !== workerAddress).toSorted());
  const [, name = ''] = /name="release" content="([\w-]{22})"/.exec(textOf(release, '/gate')) ?? [];
  expect(worker).toContain(name);
  expect(worker).not.toContain('GATE_');
});

test('GAT-7: another brand is another release, and changes no file that browsers never ask for again', () => {
  const [release, other] = [makeRelease(built, defaultBrand), makeRelease(built, otherBrand)];
  const changed = [...release.keys()].filter((address) => textOf(release, address) !== textOf(other, address));
  expect(changed.toSorted()).toEqual(['/gate', '/gate/brand.css', '/gate/manifest.webmanifest', workerAddress]);
  for (const address of changed) expect([address, release.get(address)?.headers['Cache-Control']]).toEqual([address, 'no-cache']);
  for (const address of changed) expect(textOf(other, address)).not.toContain(defaultBrand.colour);
  expect(textOf(other, '/gate')).toContain('<svg aria-hidden="true" id="crest"></svg><b id="brand" data-kk="Клуб" data-ru="Клуб «Ветер»"');
  expect(textOf(other, '/gate')).toContain('content="#7a1f5c"');
});
