import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestClient } from '../support/client.ts';
import { makePhoto, makeScan } from '../support/papers/scans.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

/** A typed client: types from the published document by `openapi-typescript`, requests by `openapi-fetch`. */

let api: TestApi;
let person: TestClient;
let folder: string;
let generated: Ran;

beforeAll(async () => {
  api = await startTestApi();
  person = await api.user('Ғалым Әбдіқадырұлы');
  folder = await mkdtemp(join(tmpdir(), 'registry-client-'));
  const source = await readFile(new URL('../support/typed-client/program.ts', import.meta.url), 'utf8');
  const program = source.replace(/^\/\/ @ts-nocheck.*\n/, '');
  expect(program).not.toContain('@ts-');
  const inFolder = (name: string) => join(folder, name);
  await Promise.all([
    api
      .browser()
      .get('/openapi.json')
      .then(({ bytes }) => writeFile(inFolder('openapi.json'), bytes)),
    writeFile(inFolder('package.json'), JSON.stringify({ type: 'module' })),
    writeFile(inFolder('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] })),
    symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), inFolder('node_modules')),
    writeFile(inFolder('program.ts'), program),
    makePhoto().then((photo) => writeFile(inFolder('photo.jpg'), photo)),
    makeScan('scan').then((scan) => writeFile(inFolder('scan.pdf'), scan)),
  ]);
  const generator = fileURLToPath(new URL('../support/typed-client/generate-types.ts', import.meta.url));
  generated = await run(generator, inFolder('openapi.json'), inFolder('api.ts'));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

/** The strictest options; they also check the generated types. */
const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
};

interface Ran {
  code: number;
  output: string;
  errors: string;
}

/** Runs a program by Node in the client's folder. */
function run(...words: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, words, { cwd: folder }, (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output, errors }),
    );
  });
}

const compile = () => run(fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url)), '-p', folder);

test('types are generated from the published document, and a client that uses them compiles', async () => {
  expect(generated).toEqual({ code: 0, output: '', errors: '' });
  expect(await compile()).toEqual({ code: 0, output: '', errors: '' });
});

test('a client that misreads the document does not compile', async () => {
  const wrong = `
import createClient from 'openapi-fetch';
import type { operations, paths } from './api.ts';
const client = createClient<paths>();
await client.GET('/nowhere');
await client.POST('/profiles', { body: { kind: 'unknown', data: {} } });
await client.POST('/applications/{id}/submit', { params: { path: { id: 'one' } } });
const { data } = await client.GET('/wallet');
export const balance: string | undefined = data?.data.balance_minor;
export type Submit = operations['submitApplication'];
export type Unknown = operations['submitNothing'];
`;
  await writeFile(join(folder, 'wrong.ts'), wrong);
  try {
    const { code, output } = await compile();
    expect(code).not.toBe(0);
    const lines = [...output.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    expect([...new Set(lines)]).toEqual([5, 6, 7, 9, 11]);
  } finally {
    await rm(join(folder, 'wrong.ts'));
  }
});

test('the client makes an application with the files, errors and paths of the types', async () => {
  const key = await person.makeKey([
    'profiles:read',
    'profiles:write',
    'files:read',
    'files:write',
    'applications:read',
    'applications:write',
  ]);
  const ran = await run('program.ts', `${api.url}/api/v1`, key, join(folder, 'photo.jpg'), join(folder, 'scan.pdf'));
  expect(ran).toMatchObject({ code: 0, errors: '' });
  const { profile, documents, application, ...others } = JSON.parse(ran.output);
  expect(profile).toEqual({ id: expect.any(Number), status: 'pending', location: `/api/v1/profiles/${profile.id}` });
  expect(documents).toEqual(['identity', 'medical'].map((type) => ({ id: expect.any(Number), type, status: 'pending' })));
  expect(application).toEqual({ id: expect.any(Number), status: 'submitted', amount: 865_000 });
  expect(others).toEqual({
    service: 'national_certificate_a',
    missing: expect.arrayContaining([{ rule: 'payment', fix: '/invoices' }]),
    refusal: 'insufficient_scope',
  });
  // The same records, as their owner's browser sees them.
  expect((await person.get(profile.location)).body.data).toMatchObject({ id: profile.id, kind: 'athlete', status: 'pending' });
  const { data } = (await person.get(`/applications/${application.id}`)).body;
  expect(data).toMatchObject({ status: 'submitted', profile_id: profile.id, data: { sport: 'Автоспорт' } });
});
