import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeApi } from '../../src/http/openapi/openapi.ts';
import { allRoutes } from '../../src/routes.ts';
import { projectDirectory, runCommand } from '../../src/tools/embedded/scripts.ts';
import manifest from '../../client/package.json' with { type: 'json' };

/** The package as another project installs it. */

const inProject = (path: string) => join(projectDirectory, path);
const tsc = inProject('node_modules/typescript/bin/tsc');
let folder: string;
/** An empty project with the package. */
let installed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-client-'));
  cpSync(inProject('client'), join(folder, 'client'), { recursive: true, filter: (path) => !/node_modules|dist$/.test(path) });
  cpSync(inProject('tsconfig.json'), join(folder, 'tsconfig.json'));
  symlinkSync(inProject('node_modules'), join(folder, 'node_modules'));
  await run(join(folder, 'client'), process.execPath, tsc, '-p', 'tsconfig.build.json');
  installed = join(folder, 'installed');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  // The dependencies are packed too, so that the installation needs no network.
  const packages = ['openapi-fetch', 'openapi-typescript-helpers', '@noble/ed25519'].map((name) => inProject(`node_modules/${name}`));
  await run(folder, 'npm', 'pack', '--ignore-scripts', join(folder, 'client'), ...packages);
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await run(installed, 'npm', 'install', '--offline', '--ignore-scripts', ...archives.map((name) => join(folder, name)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { code, output } = await runCommand(command, args, { timeout: 240_000, cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}\n${output}`);
  return output;
}

/** The strictest options; they also check the package's types. */
const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
};

/** Compiles a program in the project. @returns the lines with an error, and the output */
async function compile(program: string): Promise<{ lines: number[]; output: string }> {
  writeFileSync(join(installed, 'program.ts'), program);
  writeFileSync(join(installed, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const { output } = await runCommand(process.execPath, [tsc, '-p', installed], { timeout: 240_000, cwd: installed });
  const lines = [...output.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  return { lines: [...new Set(lines)], output };
}

test('the version of the package is that of the API', () => {
  const { info } = describeApi(allRoutes({ sandbox: false, ownMetricsPort: true, baseUrl: 'http://localhost' }), 'http://localhost');
  expect(manifest.version).toBe((info as { version: string }).version);
});

test('the types are those of the document: run npm run docs:generate', async () => {
  expect(await run(projectDirectory, process.execPath, 'src/tools/client-types/generate.ts', 'check')).toContain('unchanged');
});

test('the package has its built files only, and needs nothing of Node', () => {
  const root = join(installed, 'node_modules/federation-registry-client');
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
  const { output } = await compile(`${start}
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
  const { lines } = await compile(`${start}
await client.GET('/nowhere');
await client.POST('/profiles', { body: { kind: 'unknown', data: {} } });
await client.POST('/applications/{id}/submit', { params: { path: { id: 'one' } } });
await client.POST('/applications/{id}/submit');
export const balance: string = (await client.GET('/wallet')).data.balance_minor;
for await (const one of client.list('/wallet')) one;
for await (const event of client.list('/events')) event.nothing;`);
  expect(lines).toEqual([3, 4, 5, 6, 7, 8, 9]);
});
