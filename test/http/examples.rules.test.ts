import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { readdirSync, readFileSync } from 'node:fs';
import type { Route } from '../../src/http/define-route.ts';
import { describeApi } from '../../src/http/openapi/openapi.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { placeOf } from '../support/place-of.ts';
import { isPage, recordKindOf } from '../support/factories/budget-records.ts';

/** The examples of the published document, which people copy and the fuzzer sends. */

const published = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(({ atRoot }) => !atRoot);

/** Says where a wrong example is declared: a route whose name is computed is found by its path. */
function edit({ name, path }: Route, problem: string): string {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((found) => found.endsWith('routes.ts'));
  const place = files.map((file) => placeOf(`src/${file}`, `name: '${name}'`)).find((found) => found.includes(':'));
  return place === undefined ? `request.example of ${name} (${path}) ${problem}` : `${place}: request.example of ${name} ${problem}`;
}

test('each JSON body has an example that its own schema accepts', () => {
  const problems = published.flatMap((route) => {
    const {
      bodyKind,
      request: { body, example },
    } = route;
    if (body === undefined || bodyKind === 'raw' || bodyKind === 'ignored') return [];
    if (example === undefined) return bodyKind === 'json' ? [edit(route, 'is missing')] : [];
    const parsed = body.safeParse(example);
    return parsed.success ? [] : [edit(route, parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '))];
  });
  expect(problems).toEqual([]);
});

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: { examples?: unknown[] };
}

test('the route accepts each example of a parameter', () => {
  const { paths } = describeApi(published, 'http://localhost') as unknown as {
    paths: Record<string, Record<string, { operationId: string; parameters: Parameter[] }>>;
  };
  const operations = new Map(Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => [one.operationId, one])));
  const problems = published.flatMap((route) =>
    (operations.get(route.name)?.parameters ?? []).flatMap(({ name, in: place, schema: { examples = [] } }) => {
      const field = { path: route.request.params, query: route.request.query, header: undefined }[place]?.shape[name];
      const wrong = examples.filter((example) => field !== undefined && !z.safeParse(field, String(example)).success);
      return wrong.map((example) => `${route.name} ${name}: ${String(example)}`);
    }),
  );
  expect(problems).toEqual([]);
});

test('the tests of access and of statements have a record of each kind in a path', () => {
  const lacking = (file: string, kinds: string[]) => {
    const has = (kind: string) => new RegExp(`[\\s{]'?${kind}'?: `).test(readFileSync(file, 'utf8'));
    return kinds.filter((kind) => !has(kind)).map((kind) => `${placeOf(file, 'records = {')}: add a record of ${kind}`);
  };
  const onRecords = published.filter(({ path }) => path.includes(':'));
  const owned = onRecords.filter(({ access }) => access.kind === 'scope' || access.kind === 'browser');
  const problems = [
    ...lacking(
      'test/http/access-matrix.test.ts',
      owned.map(({ path }) => path.split('/')[1] ?? ''),
    ),
    ...lacking(
      'test/http/budgets.test.ts',
      onRecords.filter(isPage).map(({ path }) => recordKindOf(path)),
    ),
  ];
  expect([...new Set(problems)]).toEqual([]);
});

/** Operations whose success needs what the story of `answers.test.ts` does not have. */
const withoutAnswer = [
  // The messaging bot.
  'getMessagingBot',
  'createMessagingBotLink',
  'deleteMessagingBotLink',
  'receiveBotUpdate',
  // A callback that only the bank signs.
  'receiveBankCallback',
  // A second factor in another browser, or one that is lost.
  'completeLogin',
  'removeLostSecondFactor',
  // What has failed.
  'actOnProcess',
  'noteContractSeen',
  // A file beside the fields.
  'verifyAgreementFile',
];

interface Success {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: object; example?: unknown }> }>;
}

test('each answer with data has an example that fits its published shape; from the story of answers.test.ts', () => {
  const document = describeApi(published, 'http://localhost') as { paths: Record<string, Record<string, Success>>; components: object };
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'api', components: document.components });
  const missing: string[] = [];
  const problems: string[] = [];
  for (const { operationId, responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const json = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.['application/json'];
    if (json?.schema === undefined) continue;
    const schema = JSON.parse(JSON.stringify(json.schema).replaceAll('"#/components/', '"api#/components/')) as object;
    if (json.example === undefined) missing.push(operationId);
    else if (!ajv.validate(schema, json.example)) problems.push(`${operationId}: ${ajv.errorsText()}; run npm run docs:answers`);
  }
  const story = placeOf('test/http/answers.test.ts', 'test(');
  for (const name of missing.filter((one) => !withoutAnswer.includes(one)))
    problems.push(`${story}: send ${name} in the story, then run npm run docs:answers`);
  expect(problems).toEqual([]);
  expect(withoutAnswer.filter((name) => !missing.includes(name))).toEqual([]);
});
