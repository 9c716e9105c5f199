import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDirectory, runCommand } from '../../src/tools/embedded/scripts.ts';
import type { TestClient } from '../support/client.ts';
import { type Fixtures, fixturesOf } from '../support/factories.ts';
import { type InstalledClient, installClient } from './installed-client.ts';
import { makeScan } from '../support/papers/scans.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

/** The recipes of client/README.md, as programs of a project that has installed the package. */

let api: TestApi;
let make: Fixtures<TestClient>;
let installed: InstalledClient;

beforeAll(async () => {
  [api, installed] = await Promise.all([startTestApi(), installClient()]);
  make = fixturesOf(api);
  writeFileSync(join(installed.folder, 'scan.pdf'), await makeScan('medical'));
});
afterAll(async () => {
  installed.close();
  await api.close();
});

const page = readFileSync('client/README.md', 'utf8');
const [preamble = ''] = codeIn(page);
const recipes = page.split('\n## ').slice(1);
const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;

function codeIn(text: string): string[] {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
}

/** Writes and compiles the program of a recipe, with `use` at its end, which calls the recipe's functions. */
async function write(title: string, key: string, use: string): Promise<string> {
  const [code = ''] = codeIn(recipes.find((recipe) => recipe.startsWith(`${title}\n`)) ?? '');
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(15);
  const program = `${preamble}${code}${use}`
    .replaceAll("'https://registry.example.kz'", `'${api.url}'`)
    .replaceAll("'fsk_…'", `'${key}'`)
    .replaceAll("'whsec_…'", `'${webhookSecret}'`);
  expect(program).not.toContain('…');
  expect((await installed.compile(program, { isForNode: true })).output).toBe('');
  const name = `${title.toLowerCase().replaceAll(' ', '-')}.ts`;
  writeFileSync(join(installed.folder, name), program);
  return name;
}

interface Running {
  process: ChildProcessWithoutNullStreams;
  output(): string;
  ended: Promise<number | null>;
}

function start(name: string, ...args: string[]): Running {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', name, ...args], { cwd: installed.folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { process: child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}

/** Runs a program to its end. */
async function outputOf(name: string, ...args: string[]): Promise<string> {
  const { ended, output } = start(name, ...args);
  const code = await ended;
  if (code !== 0) throw new Error(output());
  return output().trim();
}

test('there are five', () => {
  expect(recipes).toHaveLength(5);
});

test('Make an application', async () => {
  const owner = await api.user();
  const profileId = await make.profile(owner, { status: 'pending' });
  const identityId = await make.document(owner, profileId, { type: 'identity' });
  const key = await owner.makeKey(['files:write', 'profiles:write', 'applications:read', 'applications:write']);
  const use = `
import { openAsBlob } from 'node:fs';
const [profileId = 0, identityId = 0] = process.argv.slice(2).map(Number);
console.log(JSON.stringify(await apply(profileId, identityId, await openAsBlob('scan.pdf'))));`;
  const made = JSON.parse(await outputOf(await write('Make an application', key, use), String(profileId), String(identityId)));
  expect(made).toMatchObject({ application: { status: 'submitted', profile_id: profileId }, missing: expect.arrayContaining(['payment']) });
  expect((await owner.get('/applications')).body.meta.total).toBe(1);
});

test('Follow changes', async () => {
  const owner = await api.user();
  const use = `
const end = new AbortController();
process.once('SIGTERM', () => end.abort());
await follow(end.signal);`;
  const program = await write('Follow changes', await owner.makeKey(['changes:read']), use);
  const first = start(program);
  await waitFor(async () => existsSync(join(installed.folder, 'cursor.txt')) || first.process.exitCode !== null, Boolean, 'a cursor');
  const one = await make.application(owner, { status: 'submitted' });
  await waitFor(
    async () => first.output(),
    (output) => output.includes('submitted.v1'),
    'the change',
  );
  expect(first.output()).toContain(`registry.application.submitted.v1 submitted ${api.url}/api/v1/applications/${one.id}\n`);
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  // A later run has what happened between them.
  const other = await make.application(owner, { status: 'submitted' });
  const second = start(program);
  await waitFor(
    async () => second.output(),
    (output) => output.includes(`/applications/${other.id}\n`),
    'the later change',
  );
  second.process.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('Receive webhooks', async () => {
  const use = `
import type { AddressInfo } from 'node:net';
receiver.listen(0, '127.0.0.1', () => console.log('port', (receiver.address() as AddressInfo).port));`;
  const running = start(await write('Receive webhooks', '', use));
  try {
    await waitFor(
      async () => running.output(),
      (output) => /port \d+/.test(output),
      'the server',
    );
    const [, port] = /port (\d+)/.exec(running.output()) ?? [];
    const body = JSON.stringify({ id: '1-1', type: 'registry.profile.created.v1', data: { url: 'http://localhost/1' } });
    const send = (content: string) => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const secret = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
      const signature = `v1,${createHmac('sha256', secret).update(`msg_1.${timestamp}.${body}`).digest('base64')}`;
      const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: content });
    };
    expect([(await send(body)).status, (await send(`${body} `)).status]).toEqual([204, 400]);
    expect(running.output()).toContain('1-1 registry.profile.created.v1 http://localhost/1\n');
  } finally {
    running.process.kill();
    await running.ended;
  }
});

test('Check a certificate without a network', async () => {
  const owner = await api.user();
  const { id } = await make.application(owner, { status: 'approved' });
  const { url } = (await owner.get(`/applications/${id}/credential`)).body.data;
  const use = `
const [text = ''] = process.argv.slice(2);
globalThis.fetch = () => Promise.reject(new TypeError('the network is cut'));
const { verdict, reason, credential } = await check(text);
console.log(verdict, reason, credential?.kind);`;
  const program = await write('Check a certificate without a network', '', use);
  // Its status list is published within a minute.
  const output = await waitFor(
    () => outputOf(program, url),
    (text) => text.startsWith('valid'),
    'the certificate in its list',
  );
  expect(output).toBe('valid null national_certificate');
});

test('Find why a call failed', async () => {
  const administrator = await api.administrator();
  const key = await administrator.makeKey(['admin:read', 'profiles:write']);
  const use = `
const athlete = { last_name: 'A', first_name: 'B', birth_date: '1990-05-17', gender: 'male', citizenship: 'KZ', iin: '12' } as const;
const error: unknown = await client.POST('/profiles', { body: { kind: 'athlete', data: athlete } }).catch((thrown: unknown) => thrown);
// The log has a call within seconds.
let answer = '';
while (!answer.includes('POST')) answer = await explain(error, ${administrator.userId});
console.log(answer);`;
  const output = await outputOf(await write('Find why a call failed', key, use));
  expect(output).toMatch(/^\S+\+05:00 POST \/profiles validation_failed body\.data\.iin /);
});

test('openapi-typescript makes types of the served document, with which a program compiles and runs', async () => {
  const args = ['run', '--silent', 'openapi-typescript', '--', `${api.url}/api/v1/openapi.json`, '-o', join(installed.folder, 'types.ts')];
  expect(await runCommand('npm', args, { cwd: projectDirectory })).toMatchObject({ code: 0 });
  const owner = await api.user();
  const program = `import createClient from 'openapi-fetch';
import type { paths } from './types.js';
const headers = { authorization: 'Bearer ${await owner.makeKey(['applications:read'])}' };
const { data } = await createClient<paths>({ baseUrl: '${api.url}/api/v1', headers }).GET('/services/prices');
const code: string | undefined = data?.data.services[0]?.code;
console.log(code);`;
  expect((await installed.compile(program, { isForNode: true })).output).toBe('');
  const { services } = (await owner.get('/services/prices')).body.data;
  expect(await outputOf('program.ts')).toBe(services[0].code);
});
