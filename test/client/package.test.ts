import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeApi } from '../../src/http/openapi/openapi.ts';
import { releaseName, releaseVersion } from '../../src/platform/runtime/release.ts';
import { writesWithoutKey } from '../../client/src/api/writes-without-key.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import manifest from '../../client/package.json' with { type: 'json' };
import { type InstalledClient, installClient } from './installed-client.ts';

/** The package as another project installs it. */

let installed: InstalledClient;
beforeAll(async () => {
  installed = await installClient();
});
afterAll(() => installed.close());

test('the service, its document and the package have one name and one version', () => {
  const { info } = describeApi([], 'http://localhost') as { info: { title: string; version: string } };
  expect(info).toMatchObject({ title: 'Federation registry', version: releaseVersion });
  expect([releaseName, manifest.name]).toEqual(['federation-registry', 'federation-registry-client']);
  expect(manifest.version).toBe(releaseVersion);
});

test('the client sends an Idempotency-Key with each write that takes one', () => {
  const routes = allRoutes({ sandbox: false, ownMetricsPort: true, baseUrl: 'http://localhost' });
  const { paths } = describeApi(routes, 'http://localhost') as unknown as {
    paths: Record<string, Record<string, { parameters: readonly { name: string }[] }>>;
  };
  const withoutKey = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { parameters }]) => method !== 'get' && !parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(writesWithoutKey).toEqual(withoutKey);
});

test('the package has its built files only, and needs nothing of Node', () => {
  const root = join(installed.folder, 'node_modules/federation-registry-client');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const others = files.filter(({ name, parentPath }) => !parentPath.includes('dist') && !['package.json', 'README.md'].includes(name));
  expect(others).toEqual([]);
  const scripts = files
    .filter(({ name }) => name.endsWith('.js'))
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((script) => /\b(?:node:|process\.|Buffer\b|require\()/.test(script))).toEqual([]);
});

const start = `import { createClient, RegistryError } from 'federation-registry-client';
const client = createClient({ baseUrl: 'http://localhost', apiKey: 'fsk_' });`;

test('a program with the types of the document compiles', async () => {
  const { output } = await installed.compile(`${start}
const { data: profile, meta } = await client.POST('/profiles/{id}/submit', { params: { path: { id: 1 } } });
export const status: string = profile.status;
export const nothing: Record<string, never> = meta;
const { data: pdf } = await client.GET('/applications/{id}/certificate', { params: { path: { id: 1 } }, parseAs: 'blob' });
export const size: number = pdf.size;
for await (const application of client.list('/applications', { params: { query: { status: 'draft' } } })) application.amount_minor.toFixed();
for await (const event of client.list('/events')) event.id.toFixed();
for await (const change of client.changes()) change.data.url.slice(1);
export const isExpired = (error: unknown) => error instanceof RegistryError && error.code === 'cursor_expired';`);
  expect(output).toBe('');
});

test('a program that misreads the document does not compile', async () => {
  const { lines } = await installed.compile(`${start}
await client.GET('/nowhere');
await client.POST('/profiles', { body: { kind: 'unknown', data: {} } });
await client.POST('/applications/{id}/submit', { params: { path: { id: 'one' } } });
await client.POST('/applications/{id}/submit');
export const balance: string = (await client.GET('/wallet')).data.balance_minor;
for await (const one of client.list('/wallet')) one;
for await (const event of client.list('/events')) event.nothing;`);
  expect(lines).toEqual([3, 4, 5, 6, 7, 8, 9]);
});
