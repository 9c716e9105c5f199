import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** SPDX ids that may ship. LGPL is of sharp's libvips, a shared library that an operator can replace. */
const allowed: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
  'LGPL-3.0-or-later',
]);
/** Packages whose LICENSE file has what their package.json omits. */
const readByHand: Readonly<Record<string, string>> = { 'png-js@1.1.0': 'MIT', 'unionfs@4.6.0': 'Unlicense' };

const licence = z.union([
  z.object({ expression: z.string() }).transform(({ expression }) => expression),
  z
    .object({ license: z.object({ id: z.string().optional(), name: z.string().optional() }) })
    .transform(({ license }) => license.id ?? license.name),
]);
const bill = z.object({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      licenses: z.array(licence).default([]),
      properties: z.array(z.object({ name: z.string() })).default([]),
    }),
  ),
});

test('the bill of materials names every production package of the lock file, each with an allowed licence', () => {
  const output = execFileSync('npm', ['run', '--silent', 'sbom', '--', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  // `--omit dev` would also omit production packages that a tool needs too.
  const components = bill
    .parse(JSON.parse(output))
    .components.filter(({ properties }) => properties.every(({ name }) => name !== 'cdx:npm:package:development'));
  const refused = components.filter(({ name, version, licenses }) => {
    const id = `${name}@${version}`;
    const found = licenses.length > 0 ? licenses : [readByHand[id]];
    return !found.every((one) => one !== undefined && isAllowed(one));
  });
  expect(refused).toEqual([]);
  const direct = Object.keys(z.object({ dependencies: z.record(z.string(), z.string()) }).parse(readJson('package.json')).dependencies);
  const listed = new Set(components.map(({ name }) => name));
  expect(direct.filter((name) => !listed.has(name))).toEqual([]);
});

test('no package without upkeep is installed; each that ships has its hash, and none is from elsewhere than the registry', () => {
  const lock = z
    .object({
      packages: z.record(
        z.string(),
        z.object({
          version: z.string().optional(),
          dev: z.boolean().optional(),
          resolved: z.string().optional(),
          integrity: z.string().optional(),
        }),
      ),
    })
    .parse(readJson('package-lock.json'));
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  const isDropped = (path: string, version = '') =>
    /^(.*\/)?node_modules\/(fstream|inflight|buffers|chainsaw)$/.test(path) ||
    (path.endsWith('/rimraf') && /^[0-3]\./.test(version)) ||
    (path.endsWith('/node_modules/glob') && /^[0-9]\./.test(version));
  expect(packages.filter(([path, { version }]) => isDropped(path, version)).map(([path]) => path)).toEqual([]);
  expect(
    packages.filter(([, { dev, resolved, integrity }]) => dev !== true && (resolved !== undefined || integrity === undefined)),
  ).toEqual([]);
});

/** Of `A AND B` both count, of `A OR B` one does. */
function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((id) => allowed.has(id)));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
