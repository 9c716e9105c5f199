import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { scopes } from '../../src/http/access/scopes.ts';
import { projectDirectory, runCommand } from '../../src/tools/embedded/scripts.ts';
import { startThrowawayStack } from '../../src/tools/embedded/stack.ts';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { TestClient } from '../support/client.ts';
import { fixturesByRequests } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';

/**
 * `npm run test:fuzz [-- --seed 7 --examples 30]`: a throwaway stack, a fuzzer that reads the OpenAPI document and tries what it allows and
 * what it forbids, once as a person and once as an administrator; then the invariants of the record.
 */
const { values } = parseArgs({ options: { seed: { type: 'string', default: '20260101' }, examples: { type: 'string', default: '8' } } });
const fuzzer = 'schemathesis==4.32.5';
const environmentFolder = resolve(projectDirectory, '.data', 'fuzzer');

async function prepareFuzzer(): Promise<string> {
  const program = join(environmentFolder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  process.stdout.write(`installing ${fuzzer}\n`);
  await mustRun('python3', ['-m', 'venv', environmentFolder], 'Python 3 with venv is needed for the fuzzer');
  await mustRun(
    join(environmentFolder, 'bin', 'pip'),
    ['install', '--quiet', '--disable-pip-version-check', fuzzer],
    'the fuzzer could not be installed',
  );
  return program;
}

async function mustRun(command: string, args: string[], reason: string): Promise<void> {
  const { code, output } = await runCommand(command, args, { timeout: 300_000 });
  if (code !== 0) throw new Error(`${reason}: ${output.trim().split('\n').at(-1) ?? 'no message'}`);
}

/** @param headers how this caller shows who it is @param only a pattern of the paths to fuzz; all when absent */
async function fuzzAs(program: string, who: string, baseUrl: string, headers: Record<string, string>, only?: string): Promise<boolean> {
  process.stdout.write(`\n-- fuzzing as ${who}, seed ${values.seed}\n`);
  const args = [
    '--config-file',
    join(projectDirectory, 'test', 'fuzz', 'schemathesis.toml'),
    'run',
    `${baseUrl}/api/v1/openapi.json`,
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(only === undefined ? [] : ['--include-path-regex', only]),
    '--phases',
    'examples,coverage,fuzzing',
    '--mode',
    'all',
    '--max-examples',
    values.examples,
    '--seed',
    values.seed,
    // Python 3.11 cannot compile in two threads at once: "AST constructor recursion depth mismatch".
    '--workers',
    '1',
    '--checks',
    'all',
    '--exclude-checks',
    'use_after_free,ensure_resource_availability,ignored_auth,missing_required_header',
    '--no-color',
  ];
  const child = spawn(program, args, { cwd: environmentFolder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

const program = await prepareFuzzer();
const stack = await startThrowawayStack({
  env: {
    SANDBOX: 'false',
    CAPTCHA_FIXED_ANSWER: captchaAnswer,
    RATE_LIMIT_KEY_PER_MINUTE: '1000000',
    RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000',
    RATE_LIMIT_LOGINS_PER_15_MINUTES: '100000',
    RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '100000',
    RATE_LIMIT_CALLBACKS_PER_MINUTE: '1000000',
    RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
    RATE_LIMIT_RESETS_PER_HOUR: '100000',
    // With a messenger beside it: without one, every route of the bot is disabled.
    BOT_TOKEN: '1:fuzz',
    LOG_LEVEL: 'warn',
  },
});
try {
  const user = async (name = 'Fuzz') => {
    const client = new TestClient(stack.baseUrl);
    await client.register('fuzz@example.kz', name);
    return client;
  };
  const administrator = new TestClient(stack.baseUrl);
  await administrator.login(stack.administrator.email, stack.administrator.password);
  const make = fixturesByRequests({ user, administrator: async () => administrator, surroundings: { bank: { url: stack.bankUrl } } });
  const person = await make.person();
  // Records with id 1 of every kind, so that the fuzzer gets past "not found".
  await make.application(person, { status: 'approved' });
  // As every person had it: money that payments can take.
  await make.money(person, 1_135_000);
  const key = async (client: TestClient, wanted: readonly string[]) => ({ Authorization: `Bearer ${await client.makeKey(wanted)}` });
  const ordinary = scopes.filter((scope) => !scope.startsWith('admin:'));
  const browser = new TestClient(stack.baseUrl);
  await browser.session();
  const results = [
    await fuzzAs(program, 'a person', stack.baseUrl, await key(person, ordinary)),
    await fuzzAs(program, 'an administrator', stack.baseUrl, await key(administrator, scopes)),
    await fuzzAs(
      program,
      'a browser',
      stack.baseUrl,
      { Cookie: browser.cookie ?? '', 'X-CSRF-Token': browser.csrf ?? '' },
      '^/(contact|auth/(register|login|forgot|reset))',
    ),
  ];
  const broken = await findBrokenInvariants(stack.migrationDatabaseUrl);
  for (const line of broken) process.stdout.write(`broken invariant: ${line}\n`);
  process.exitCode = results.every(Boolean) && broken.length === 0 ? 0 : 1;
} finally {
  await stack.stop();
}
